/**
 * The snapshots of a cluster in one JetStream stream: encrypted chunks, and for each finished snapshot a manifest. Not an
 * object store of the NATS client: newer servers refuse it.
 */
import { CHANGE_MS, JetStreamRefusal, parseAnswer, type JetStream, NO_MESSAGE, NO_STREAM } from './jetStream.js';
import { patiently } from './patience.js';
import { removeStream } from './removeStream.js';
import { decodeManifest, encodeManifest, type SnapshotManifest } from './snapshotManifest.js';

/** Snapshots that are kept of each partition. */
const KEPT = 2;
/** A chunk is flushed on several disks. */
const STORE_MS = 5_000;

/** A manifest that this program cannot read is listed too, so that nothing that it names is taken for unfinished. */
export type Listed = {
  /** Of its manifest in the stream. */
  readonly place: number;
} & ({ readonly isReadable: true; readonly manifest: SnapshotManifest } | { readonly isReadable: false; readonly reason: string });

interface Names {
  readonly stream: string;
  readonly manifests: string;
  /** Followed by the id of the snapshot. */
  readonly chunks: string;
}

export class SnapshotStream {
  readonly #server: JetStream;
  readonly #names: Names;

  constructor(server: JetStream, prefix: string, partition: string) {
    this.#server = server;
    this.#names = namesOf(prefix, partition);
  }

  static async create(server: JetStream, prefix: string, replicas: number): Promise<void> {
    const { stream } = namesOf(prefix, '');
    const config = {
      name: stream,
      subjects: [`${prefix}.snapshot.>`],
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      max_bytes: -1,
      max_msgs: -1,
      max_age: 0,
      num_replicas: replicas,
      allow_direct: true,
    };
    await patiently(() => server.call(`STREAM.CREATE.${stream}`, config, CHANGE_MS));
  }

  static async remove(server: JetStream, prefix: string): Promise<void> {
    await removeStream(server, namesOf(prefix, '').stream);
  }

  static async exists(server: JetStream, prefix: string): Promise<boolean> {
    try {
      await patiently(() => server.call(`STREAM.INFO.${namesOf(prefix, '').stream}`));
      return true;
    } catch (error) {
      if (error instanceof JetStreamRefusal && error.code === NO_STREAM) return false;
      throw error;
    }
  }

  /** Resolves with its place in the stream. A chunk whose answer was lost is stored again; no reader uses the first one. */
  async storeChunk(id: string, chunk: Uint8Array): Promise<number> {
    return this.#publish(`${this.#names.chunks}.${id}`, chunk);
  }

  /** Rejects if it is missing. */
  async readChunk(seq: number): Promise<Uint8Array> {
    const { stream } = this.#names;
    return patiently(async () => {
      const chunk = await this.#server.request(`$JS.API.DIRECT.GET.${stream}`, Buffer.from(JSON.stringify({ seq })));
      if (chunk.length > 0) return chunk;
      // The server that answered does not have it. It may lag; the leader does not.
      const { message } = await this.#server.call<{ message: { data?: string } }>(`STREAM.MSG.GET.${stream}`, { seq });
      return Buffer.from(message.data ?? '', 'base64');
    });
  }

  /** Makes the snapshot visible. All its chunks are stored. */
  async publish(manifest: SnapshotManifest): Promise<void> {
    await this.#publish(this.#names.manifests, encodeManifest(manifest));
  }

  /** The finished snapshots, the newest first. */
  async list(): Promise<Listed[]> {
    const listed: Listed[] = [];
    for (let seq = 1; ;) {
      const found = await this.#nextManifest(seq);
      if (found === null) return listed.reverse();
      listed.push(parse(found.seq, found.body));
      seq = found.seq + 1;
    }
  }

  /** Whether all chunks of a snapshot are stored. */
  async isComplete({ id, chunks }: SnapshotManifest): Promise<boolean> {
    return ((await this.#storedChunks()).get(id) ?? 0) >= chunks.length;
  }

  /**
   * Removes all but the two newest snapshots, and what takers that have died left behind. `isLeft`: whether no taker goes on
   * with this id. With a manifest of a newer program nothing is removed: it may name any of the chunks.
   */
  async clean(isLeft: (id: string) => boolean): Promise<void> {
    const listed = await this.list();
    const manifests = listed.flatMap((each) => (each.isReadable ? [each] : []));
    if (manifests.length < listed.length) return;
    const [kept, old] = [manifests.slice(0, KEPT), manifests.slice(KEPT)];
    const oldest = kept.at(-1);
    // The chunks first: those without a manifest would count as being stored.
    for (const { manifest } of old) await this.discard(manifest.id);
    if (old.length > 0 && oldest !== undefined) await this.#purge({ filter: this.#names.manifests, seq: oldest.place });
    const finished = new Set(kept.map(({ manifest }) => manifest.id));
    for (const id of (await this.#storedChunks()).keys()) if (!finished.has(id) && isLeft(id)) await this.discard(id);
  }

  /** The chunks of a snapshot that was given up before it was visible. */
  async discard(id: string): Promise<void> {
    await this.#purge({ filter: `${this.#names.chunks}.${id}` });
  }

  async #nextManifest(from: number): Promise<{ seq: number; body: Uint8Array } | null> {
    const { stream, manifests } = this.#names;
    return patiently(async () => {
      try {
        const question = { seq: from, next_by_subj: manifests };
        const { message } = await this.#server.call<{ message: { seq: number; data?: string } }>(`STREAM.MSG.GET.${stream}`, question);
        return { seq: message.seq, body: Buffer.from(message.data ?? '', 'base64') };
      } catch (error) {
        if (error instanceof JetStreamRefusal && error.code === NO_MESSAGE) return null;
        throw error;
      }
    });
  }

  /** How many chunks there are by the id of their snapshot. */
  async #storedChunks(): Promise<Map<string, number>> {
    const { stream, chunks } = this.#names;
    const question = { subjects_filter: `${chunks}.>` };
    const { state } = await patiently(() => this.#server.call<{ state: { subjects?: Record<string, number> } }>(`STREAM.INFO.${stream}`, question));
    return new Map(Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.slice(chunks.length + 1), count]));
  }

  async #publish(subject: string, body: Uint8Array): Promise<number> {
    const { stream } = this.#names;
    return patiently(async () => {
      const answer = await this.#server.request(subject, body, { head: { 'Nats-Expected-Stream': stream }, answerMs: STORE_MS });
      return parseAnswer<{ seq: number }>(answer).seq;
    });
  }

  async #purge(question: object): Promise<void> {
    await patiently(() => this.#server.call(`STREAM.PURGE.${this.#names.stream}`, question));
  }
}

function parse(place: number, body: Uint8Array): Listed {
  try {
    return { place, isReadable: true, manifest: decodeManifest(body) };
  } catch (error) {
    return { place, isReadable: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function namesOf(prefix: string, partition: string): Names {
  const place = `${prefix}.snapshot.${partition.replace(' ', '-')}`;
  return { stream: `${prefix}-snapshots`, manifests: `${place}.finished`, chunks: `${place}.chunk` };
}
