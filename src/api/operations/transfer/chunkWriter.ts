/** Stores one file chunk by chunk, with a few chunks under way at once. */
import { createHash } from 'node:crypto';
import type { ContentPort } from '../../../domain/ports/boardsPort.js';
import type { Uuid } from '../../../domain/ids.js';

/**
 * One chunk at a time costs a round trip and a commit each. Chunks that are under way together share a commit; more than
 * this gains little, and each upload holds as many in memory.
 */
export const MAX_UNDER_WAY = 4;

const newHash = () => createHash('sha256');

/** Of a file, as base64url. */
export function digestOf(bytes: Uint8Array): string {
  return newHash().update(bytes).digest('base64url');
}

export class ChunkWriter {
  readonly #content: ContentPort;
  readonly #id: Uuid;
  readonly #underWay = new Set<Promise<void>>();
  readonly #hash = newHash();
  #chunks = 0;
  #failure: { readonly error: unknown } | null = null;

  /** The upload with this id has been started. */
  constructor(content: ContentPort, id: Uuid) {
    this.#content = content;
    this.#id = id;
  }

  /**
   * Sends the next chunk, and resolves when there is room for another. Rejects with the first failure of any chunk; from
   * then on it sends nothing. The bytes must not change afterwards.
   */
  async append(bytes: Uint8Array): Promise<void> {
    this.#refuseAfterFailure();
    this.#hash.update(bytes);
    const sent = this.#send(bytes);
    this.#underWay.add(sent);
    void sent.then(() => this.#underWay.delete(sent));
    while (this.#underWay.size >= MAX_UNDER_WAY && this.#failure === null) await Promise.race(this.#underWay);
    this.#refuseAfterFailure();
  }

  /** Resolves when every chunk is stored. */
  async finish(): Promise<void> {
    while (this.#underWay.size > 0 && this.#failure === null) await Promise.race(this.#underWay);
    this.#refuseAfterFailure();
  }

  /** Of all bytes, as base64url. Once, at the end. */
  digest(): string {
    return this.#hash.digest('base64url');
  }

  /** Never rejects: several chunks may fail, and the first failure speaks for all. */
  async #send(bytes: Uint8Array): Promise<void> {
    const n = this.#chunks;
    this.#chunks += 1;
    try {
      await this.#content.append(this.#id, n, bytes);
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
