/** A stream with a copy on several servers, to which each text is appended once. */
import { NatsError, StorageType } from 'nats';
import { untilResolved } from '../until.js';
import { REQUEST_MS, withJetStream } from './jetStream.js';
import type { NatsCluster } from './natsCluster.js';

const WRONG_LAST_SEQUENCE = 10071;
const NAME = 'test';

export class TestStream {
  readonly name = NAME;
  readonly #cluster: NatsCluster;
  #stored = 0;

  private constructor(cluster: NatsCluster) {
    this.#cluster = cluster;
  }

  static async create(cluster: NatsCluster, copies: number): Promise<TestStream> {
    // Repeating it is harmless: a server that has the same stream already says so.
    await untilResolved(() =>
      withJetStream(cluster.url(0), ({ manager }) =>
        manager.streams.add({ name: NAME, subjects: [NAME], num_replicas: copies, storage: StorageType.File }),
      ),
    );
    return new TestStream(cluster);
  }

  /** One attempt, through one server. Rejects without an acknowledgement. */
  async appendOnce(server: number, text: string): Promise<void> {
    const expected = this.#stored;
    await withJetStream(this.#cluster.url(server), async ({ client, manager }) => {
      try {
        await client.publish(NAME, text, { expect: { lastSequence: expected }, timeout: REQUEST_MS });
      } catch (error) {
        if (!(error instanceof NatsError) || error.api_error?.err_code !== WRONG_LAST_SEQUENCE) throw error;
        const { data } = await manager.streams.getMessage(NAME, { seq: expected + 1 });
        if (Buffer.from(data).toString() !== text) throw error;
      }
    });
    this.#stored = expected + 1;
  }

  /** Repeats it until it is acknowledged. Its place in the stream is fixed, so it is stored once. */
  append(server: number, text: string): Promise<void> {
    return untilResolved(() => this.appendOnce(server, text));
  }

  /** Until the leader reports that every copy is complete. */
  async untilCopiesAgree(): Promise<void> {
    await untilResolved(async () => {
      const { cluster, state } = await withJetStream(this.#cluster.url(0), ({ manager }) => manager.streams.info(NAME));
      if (state.last_seq < this.#stored) throw new Error(`the stream ends at ${state.last_seq}`);
      const late = (cluster?.replicas ?? []).filter(({ current, lag, offline }) => !current || offline || (lag ?? 0) > 0);
      if (late.length > 0) throw new Error(`copies that lag: ${JSON.stringify(late)}\n${this.#cluster.lastLines()}`);
    });
  }

  /** What one server has. Only the leader reads from its own copy for certain, so this makes the server the leader. */
  async contentOf(server: number): Promise<string[]> {
    return untilResolved(async () => {
      await this.#requireLeader(server);
      const texts = await withJetStream(this.#cluster.url(server), async ({ manager }) => {
        const { state } = await manager.streams.info(NAME);
        const read: string[] = [];
        for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
          read.push(Buffer.from((await manager.streams.getMessage(NAME, { seq })).data).toString());
        }
        return read;
      });
      // Otherwise another server may have answered.
      await this.#requireLeader(server);
      return texts;
    });
  }

  /** Rejects if another server leads, after it was asked to give up. */
  async #requireLeader(server: number): Promise<void> {
    const leader = await this.#cluster.leaderOf(NAME);
    if (leader === server) return;
    await withJetStream(this.#cluster.url(server), ({ connection }) =>
      connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${NAME}`, '', { timeout: REQUEST_MS }),
    );
    throw new Error(`the leader is ${leader}`);
  }
}
