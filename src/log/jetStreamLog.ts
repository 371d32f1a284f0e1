/** The log of one partition as a JetStream stream. */
import { ANSWER_MS, JetStreamRefusal, parseAnswer, type JetStream } from './jetStream.js';
import type { LogNames } from './logNames.js';
import type { LogBounds, LogStream, Published, StoredRecord } from './logStream.js';
import { NO_MESSAGE, WRONG_LAST_SEQUENCE } from './refusalCodes.js';

/** Records that are asked for at the same time. */
const READ_AHEAD = 32;

export interface StreamInfo {
  readonly created: string;
  readonly config: { readonly num_replicas: number; readonly max_bytes: number; readonly metadata?: Readonly<Record<string, string>> };
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

export class JetStreamLog implements LogStream {
  readonly #server: JetStream;
  readonly #names: LogNames;

  constructor(server: JetStream, names: LogNames) {
    this.#server = server;
    this.#names = names;
  }

  async publish(body: Uint8Array, expected: number): Promise<Published> {
    const { stream, subject } = this.#names;
    // No message id: a server that refuses a message for its place keeps the id, and acknowledges a repetition that it
    // does not store.
    const head = { 'Nats-Expected-Last-Sequence': String(expected), 'Nats-Expected-Stream': stream };
    try {
      const { seq, duplicate } = parseAnswer<{ seq: number; duplicate?: boolean }>(await this.#server.request(subject, body, { head }));
      return duplicate === true ? { kind: 'no answer', reason: 'a duplicate' } : { kind: 'stored', seq };
    } catch (error) {
      if (error instanceof JetStreamRefusal && WRONG_LAST_SEQUENCE.has(error.code)) return { kind: 'wrong place' };
      return { kind: 'no answer', reason: String(error) };
    }
  }

  async read(seq: number): Promise<StoredRecord | null> {
    try {
      const { message } = await this.#server.call<{ message: { data?: string } }>(`STREAM.MSG.GET.${this.#names.stream}`, { seq });
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
    const { state } = await this.info();
    return { first: Math.max(1, state.first_seq), last: state.last_seq };
  }

  /** Removes the records before this place. */
  async purge(before: number): Promise<void> {
    await this.#server.call(`STREAM.PURGE.${this.#names.stream}`, { seq: before });
  }

  info(answerMs = ANSWER_MS): Promise<StreamInfo> {
    return this.#server.call<StreamInfo>(`STREAM.INFO.${this.#names.stream}`, {}, answerMs);
  }

  listen(onRecord: (record: StoredRecord) => void): { stop(): void } {
    return this.#server.subscribe(this.#names.repeated, ({ data, headers }) => {
      const seq = Number(headers?.get('Nats-Sequence'));
      if (Number.isSafeInteger(seq) && seq > 0) onRecord({ seq, body: data });
    });
  }
}
