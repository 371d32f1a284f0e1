/** The I/O thread's end of a store thread. The asks of one turn of the event loop leave as one message. */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.js';
import { memoryOfSlices } from '../../domain/document/boardPlan.js';
import type { Claim } from '../../domain/ports/partitionLog.js';
import { errorOf } from '../askPort.js';
import type { Ask, CopyState, FromThread, Notice, PartitionCommand, PartitionName, Reply, ToThread } from '../messages.js';
import { encodeAsks, decodeNotices, decodeReplies } from './codec.js';
import type { ThreadStats } from '../health/partitionStats.js';
import { servePartitions, type PartitionSource } from './threadServer.js';
import type { WriteTrouble } from '../health/writeTrouble.js';

export interface StoreThreadOptions {
  readonly log: Logger;
  readonly onNotice: (notice: Notice) => void;
  /** The thread ended unexpectedly and serves nothing any more. */
  readonly onLost: (error: unknown) => void;
  /** Informed when writes of a partition fail, and when they work again. */
  readonly writes?: WriteTrouble;
  /** Another process owns the partition now. It is no longer open in the thread. */
  readonly onDeposed?: (partition: PartitionName) => void;
  /** The copy of a replicated partition has changed. */
  readonly onCopy?: (copy: CopyState) => void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The connection to the other side, and the function that ends it. */
interface Line {
  readonly port: Pick<MessagePort, 'postMessage'>;
  end(): Promise<void>;
}

export class ThreadClient {
  readonly #options: StoreThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #line: Line;
  #outgoing: Ask[] = [];
  #nextId = 0;
  #state: 'running' | 'closing' | 'lost' = 'running';
  #onClosed: (() => void) | null = null;

  /** Starts a worker thread with the given module. */
  static start(module: URL, workerData: unknown, options: StoreThreadOptions): ThreadClient {
    return new ThreadClient(options, (thread) => {
      const worker = new Worker(module, { workerData });
      worker.on('message', (message: FromThread) => thread.#receive(message));
      worker.on('error', (error) => thread.#lose(error));
      worker.on('exit', (code) => thread.#lose(new Error(`a store thread ended with code ${code}`)));
      return {
        port: worker,
        end: async () => {
          await worker.terminate();
        },
      };
    });
  }

  /** Uses the same messages without a second thread, for debugging and small machines. */
  static inline(source: PartitionSource, options: StoreThreadOptions): ThreadClient {
    return new ThreadClient(options, (thread) => {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (message: FromThread) => thread.#receive(message));
      servePartitions(port2, source);
      return {
        port: port1,
        end: async () => port1.close(),
      };
    });
  }

  private constructor(options: StoreThreadOptions, connect: (thread: ThreadClient) => Line) {
    this.#options = options;
    this.#line = connect(this);
  }

  /** `claim`: if the partition is replicated. */
  open(partition: PartitionName, claim?: Claim): Promise<unknown> {
    return this.#expect((id) => this.#post({ kind: 'open', id, partition, ...(claim === undefined ? {} : { claim }) }));
  }

  /** Resolves when the copy of the replicated partition has caught up with its log. */
  follow(partition: PartitionName): Promise<unknown> {
    return this.#expect((id) => this.#post({ kind: 'follow', id, partition }));
  }

  /** Another instance has this many records of the partition. */
  noteRecords(partition: PartitionName, applied: number): void {
    if (this.#state === 'running') this.#post({ kind: 'records', partition, applied });
  }

  stats(): Promise<ThreadStats> {
    return this.#expect((id) => this.#post({ kind: 'stats', id })) as Promise<ThreadStats>;
  }

  /** The chains over the latest records of the copy, by the number of the record. */
  chains(partition: PartitionName): Promise<ReadonlyMap<number, string>> {
    return this.#expect((id) => this.#post({ kind: 'chains', id, partition })) as Promise<ReadonlyMap<number, string>>;
  }

  /** Resolves when the file of the copy says how far it has followed its log. */
  storePosition(partition: PartitionName): Promise<unknown> {
    return this.#expect((id) => this.#post({ kind: 'position', id, partition }));
  }

  release(partition: PartitionName): Promise<unknown> {
    this.#flush();
    return this.#expect((id) => this.#post({ kind: 'release', id, partition }));
  }

  /** The memory of an imported board goes to the thread: the command cannot be sent again. */
  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    return this.#expect((id) => {
      if (this.#outgoing.length === 0) setImmediate(() => this.#flush());
      this.#outgoing.push({ id, partition, command });
    });
  }

  async close(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#flush();
    this.#state = 'closing';
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#post({ kind: 'close' });
    });
    await this.#line.end();
    this.#rejectAll();
  }

  #expect(send: (id: number) => void): Promise<unknown> {
    if (this.#state !== 'running') return Promise.reject(notServing());
    return new Promise((resolve, reject) => {
      this.#nextId += 1;
      this.#waiting.set(this.#nextId, { resolve, reject });
      send(this.#nextId);
    });
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return;
    const asks = this.#outgoing;
    this.#outgoing = [];
    this.#post(
      { kind: 'asks', asks: encodeAsks(asks) },
      asks.flatMap(({ command }) => memoryOf(command)),
    );
  }

  #post(message: ToThread, memory: readonly ArrayBuffer[] = []): void {
    this.#line.port.postMessage(message, memory);
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'settled':
        for (const notice of decodeNotices(message.notices)) this.#options.onNotice(notice);
        for (const reply of decodeReplies(message.replies)) this.#resolve(reply);
        return;
      case 'trouble':
        this.#options.log.error({ err: message.error }, 'an error in a store thread');
        return;
      case 'failing':
        this.#options.writes?.begin(message.partition, message.error);
        return;
      case 'working':
      case 'released':
        this.#options.writes?.end(message.partition, message.failures, message.kind);
        return;
      case 'deposed':
        this.#options.log.warn({ partition: message.partition }, 'a partition has another owner');
        this.#options.onDeposed?.(message.partition);
        return;
      case 'copy':
        this.#options.onCopy?.(message.copy);
        return;
      case 'closed':
        this.#onClosed?.();
    }
  }

  #resolve({ id, outcome }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (outcome.ok) waiting?.resolve(outcome.value);
    else waiting?.reject(errorOf(outcome));
  }

  #lose(error: unknown): void {
    const wasRunning = this.#state === 'running';
    if (this.#state !== 'closing') this.#state = 'lost';
    this.#onClosed?.();
    this.#rejectAll();
    if (!wasRunning) return;
    // Logged here, because during the start there is no listener for `onLost` yet.
    this.#options.log.fatal({ err: error }, 'a store thread ended');
    this.#options.onLost(error);
  }

  #rejectAll(): void {
    for (const { reject } of this.#waiting.values()) reject(notServing());
    this.#waiting.clear();
  }
}

function memoryOf(command: PartitionCommand): ArrayBuffer[] {
  return 'kind' in command && command.kind === 'import' ? memoryOfSlices(command.plan) : [];
}

function notServing(): AppError {
  return new AppError('unavailable', 'The service is stopping or starting. Try again.', { retryAfter: 1 });
}
