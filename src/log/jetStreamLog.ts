/** The log of one partition as a JetStream stream. */
import { ANSWER_MS, JetStreamRefusal, parseAnswer, type JetStream, NO_MESSAGE, WRONG_LAST_SEQUENCE } from './jetStream.js';
import type { LogNames } from './logNames.js';
import type { LogBounds, LogStream, Published, StoredRecord } from './logStream.js';

/** Records that are asked for at the same time. */
const READ_AHEAD = 32;

export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly republish?: { readonly src?: string; readonly dest: string };
  readonly num_replicas: number;
  readonly max_bytes: number;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of logs that earlier programs created. */
  readonly first_seq?: number;
}

export interface StreamInfo {
  readonly created: string;
  readonly config: StreamConfig;
  readonly state: { readonly first_seq: number; readonly last_seq: number; readonly bytes: number };
  readonly cluster?: { readonly leader?: string; readonly replicas?: readonly StreamReplica[] };
}

/** A server with a copy of the stream, as its leader knows it. */
export interface StreamReplica {
  readonly name: string;
  readonly current: boolean;
  readonly offline?: boolean;
  /** Nanoseconds since the leader heard of it. */
  readonly active: number;
}

/**
 * Where a log is. Its places need not begin with 1: `base` places come before the first message of the stream. Refused:
 * `first_seq` of the stream. nats-server 2.10.0 to 2.11.1 empties such a stream when it restarts, and 2.15.0 may.
 */
export interface LogAddress extends LogNames {
  readonly base: number;
}

export function addressOf({ name, subjects: [subject = ''], republish, metadata }: StreamConfig): LogAddress {
  return { stream: name, subject, repeated: republish?.dest ?? '', base: Number(metadata?.['base'] ?? 0) };
}

export function boundsOf({ config, state }: Pick<StreamInfo, 'config' | 'state'>): LogBounds {
  const { base } = addressOf(config);
  return { first: base + Math.max(1, state.first_seq), last: base + state.last_seq };
}

export function streamInfo(server: JetStream, stream: string, answerMs = ANSWER_MS): Promise<StreamInfo> {
  return server.call<StreamInfo>(`STREAM.INFO.${stream}`, {}, answerMs);
}

export class JetStreamLog implements LogStream {
  readonly #server: JetStream;
  readonly #address: LogAddress;

  constructor(server: JetStream, address: LogAddress) {
    this.#server = server;
    this.#address = address;
  }

  async publish(body: Uint8Array, expected: number): Promise<Published> {
    const { stream, subject, base } = this.#address;
    // No message id: a server that refuses a message for its place keeps the id, and acknowledges a repetition that it
    // does not store.
    const head = { 'Nats-Expected-Last-Sequence': String(expected - base), 'Nats-Expected-Stream': stream };
    try {
      const { seq, duplicate } = parseAnswer<{ seq: number; duplicate?: boolean }>(await this.#server.request(subject, body, { head }));
      return duplicate === true ? { kind: 'no answer', reason: 'a duplicate' } : { kind: 'stored', seq: base + seq };
    } catch (error) {
      if (error instanceof JetStreamRefusal && WRONG_LAST_SEQUENCE.has(error.code)) return { kind: 'wrong place' };
      return { kind: 'no answer', reason: String(error) };
    }
  }

  async read(seq: number): Promise<StoredRecord | null> {
    try {
      const { message } = await this.#server.call<{ message: { data?: string } }>(`STREAM.MSG.GET.${this.#address.stream}`, {
        seq: seq - this.#address.base,
      });
      return { seq, body: Buffer.from(message.data ?? '', 'base64') };
    } catch (error) {
      if (error instanceof JetStreamRefusal && error.code === NO_MESSAGE) return null;
      throw error;
    }
  }

  async readFrom(seq: number): Promise<readonly StoredRecord[]> {
    const first = await this.read(seq);
    if (first === null) return [];
    const next = await Promise.all(Array.from({ length: READ_AHEAD }, (_, index) => this.read(seq + 1 + index)));
    const gap = next.indexOf(null);
    return [first, ...(gap === -1 ? next : next.slice(0, gap))] as StoredRecord[];
  }

  async bounds(): Promise<LogBounds> {
    return boundsOf(await streamInfo(this.#server, this.#address.stream));
  }

  /** Removes the records before this place. */
  async purge(before: number): Promise<void> {
    await this.#server.call(`STREAM.PURGE.${this.#address.stream}`, { seq: before - this.#address.base });
  }

  listen(onRecord: (record: StoredRecord) => void): { stop(): void } {
    return this.#server.subscribe(this.#address.repeated, ({ data, headers }) => {
      const seq = Number(headers?.get('Nats-Sequence'));
      if (Number.isSafeInteger(seq) && seq > 0) onRecord({ seq: this.#address.base + seq, body: data });
    });
  }
}
