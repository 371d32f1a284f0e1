/** A server with one log and the stream of snapshots, as much of it as taking a snapshot needs. It can fail at any step. */
import type { LogIdentity } from '../../../src/domain/ports/partitionLog.js';
import type { JetStream, JetStreamRefusal } from '../../../src/log/jetStream.js';
import { NO_MESSAGE } from '../../../src/log/jetStream.js';
import { decodeManifest } from '../../../src/log/snapshotManifest.js';

export interface FakeServerOptions {
  readonly identity: LogIdentity;
  /** Of the program that is tested, which may be a broken copy. */
  readonly Refusal: typeof JetStreamRefusal;
}

interface Message {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

interface Question {
  readonly seq?: number;
  readonly filter?: string;
  readonly next_by_subj?: string;
  readonly subjects_filter?: string;
}

const FAILED = 10_000;

export class FakeSnapshotServer {
  /** The first and the last record of the log. */
  first = 1;
  last = 1;
  /** Steps until every one fails. */
  stepsLeft = Infinity;
  steps = 0;
  /** What a machine that begins now would lack, at each step. */
  readonly problems: string[] = [];
  readonly #options: FakeServerOptions;
  #messages: Message[] = [];
  #stored = 0;

  constructor(options: FakeServerOptions) {
    this.#options = options;
  }

  get jetStream(): JetStream {
    return {
      call: (operation: string, question: Question = {}) => this.#step(() => this.#call(operation, question)),
      request: (subject: string, data: Uint8Array) => this.#step(() => this.#request(subject, data)),
    } as unknown as JetStream;
  }

  async #step<Answer>(work: () => Answer): Promise<Answer> {
    if (this.stepsLeft <= 0) throw new this.#options.Refusal(FAILED, 'it fails');
    this.stepsLeft -= 1;
    this.steps += 1;
    const answer = work();
    this.#check();
    return answer;
  }

  /** A log without its beginning needs two snapshots that go on where it begins. */
  #check(): void {
    const manifests = this.#messages.filter(({ subject }) => subject.endsWith('.finished')).map(({ data }) => decodeManifest(data));
    const stored = new Set(this.#messages.map(({ seq }) => seq));
    const usable = manifests.filter(({ seq, chunks }) => seq + 1 >= this.first && chunks.every((chunk) => stored.has(chunk)));
    if (this.first > 1 && usable.length < 2) this.problems.push(`the log begins at ${this.first}, with ${usable.length} snapshots`);
  }

  #call(operation: string, question: Question): unknown {
    const [, kind, ...rest] = operation.split('.');
    const isLog = rest.at(-1)?.includes('-log-') === true;
    if (kind === 'INFO') return isLog ? this.#logInfo() : { state: { subjects: this.#count(question.subjects_filter ?? '') } };
    if (kind === 'PURGE') return isLog ? this.#purgeLog(question.seq ?? 0) : this.#purgeMessages(question);
    const message = isLog ? undefined : this.#find(question);
    if (message === undefined) throw new this.#options.Refusal(NO_MESSAGE, 'no message found');
    return { message: { seq: message.seq, data: Buffer.from(message.data).toString('base64') } };
  }

  #request(subject: string, data: Uint8Array): Uint8Array {
    if (subject.startsWith('$JS.API.DIRECT.GET')) {
      const { seq } = JSON.parse(Buffer.from(data).toString()) as Question;
      return this.#messages.find((message) => message.seq === seq)?.data ?? new Uint8Array();
    }
    this.#stored += 1;
    this.#messages.push({ seq: this.#stored, subject, data });
    return Buffer.from(JSON.stringify({ seq: this.#stored }));
  }

  #logInfo(): unknown {
    const { cluster, created, generation } = this.#options.identity;
    const config = { name: 'test-log-shard-0', subjects: ['test.log.shard.0'], metadata: { cluster, generation: String(generation) } };
    return { created, config, state: { first_seq: this.first, last_seq: this.last, bytes: 0 } };
  }

  #count(filter: string): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { subject } of this.#messages) {
      if (subject.startsWith(filter.replace('>', ''))) counts[subject] = (counts[subject] ?? 0) + 1;
    }
    return counts;
  }

  #find({ seq = 0, next_by_subj: subject }: Question): Message | undefined {
    if (subject === undefined) return this.#messages.find((message) => message.seq === seq);
    return this.#messages.find((message) => message.seq >= seq && message.subject === subject);
  }

  #purgeLog(seq: number): unknown {
    this.first = Math.max(this.first, seq);
    return {};
  }

  #purgeMessages({ filter, seq = Infinity }: Question): unknown {
    this.#messages = this.#messages.filter((message) => message.subject !== filter || message.seq >= seq);
    return {};
  }
}
