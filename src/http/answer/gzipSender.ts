/** Sends a stream compressed, piece by piece: how long it becomes is known at its end. */
import type { FairLanes } from '../../flow/fairLanes.js';
import { EMPTY_BLOCK, GzipParts } from './gzipParts.js';
import type { SendingTarget, StreamSender } from './plainSender.js';

export class GzipSender implements StreamSender {
  readonly #target: SendingTarget;
  readonly #deflates: FairLanes;
  readonly #owner: string;
  readonly #parts = new GzipParts();
  #isBegun = false;
  #isStopped = false;
  /** Null unless the socket has a part to take. */
  #onTaken: (() => void) | null = null;

  constructor(target: SendingTarget, deflates: FairLanes, owner: string) {
    this.#target = target;
    this.#deflates = deflates;
    this.#owner = owner;
    // uWebSockets keeps what the socket did not take, and with this handler sends it only together with a new write, see
    // `LiveResponse`. The next part must not be that write: a client that reads little at a time would accumulate parts.
    target.res.onWritable(() => this.#onTaken === null || this.#write(EMPTY_BLOCK));
  }

  async send(bytes: Uint8Array): Promise<void> {
    // While it waits for its turn the client may go.
    const part = await this.#deflates.run(this.#owner, async () => (this.#isStopped ? null : this.#parts.add(bytes)));
    if (part === null || this.#isStopped) return;
    await new Promise<void>((resolve) => {
      this.#onTaken = resolve;
      this.#write(part);
    });
  }

  end(): void {
    const { res } = this.#target;
    res.cork(() => res.end(this.#parts.end()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#taken();
  }

  /** Whether the socket has taken everything. */
  #write(bytes: Uint8Array): boolean {
    const { res, writeHead, onRefused } = this.#target;
    let isTaken = false;
    res.cork(() => {
      if (!this.#isBegun) writeHead();
      this.#isBegun = true;
      isTaken = res.write(bytes);
    });
    if (isTaken) this.#taken();
    else onRefused();
    return isTaken;
  }

  #taken(): void {
    const onTaken = this.#onTaken;
    this.#onTaken = null;
    onTaken?.();
  }
}
