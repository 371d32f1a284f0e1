/**
 * The content of uploads waits here for its turn in a store thread: what is under way is written and flushed within a few
 * milliseconds, so that asks about boards never wait for more than that.
 */
import type { Ask, PartitionName, Reply } from '../messages.js';

/** The chunks that one instance sends of two boards. */
export const MAX_CONTENT_UNDER_WAY = 512 * 1024;

export class ContentQueue {
  /** The partition whose turn it is comes first. */
  readonly #waiting = new Map<PartitionName, Ask[]>();
  readonly #underWay = new Set<number>();

  /** Whether content waits that may go now. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0 && this.#underWay.size === 0;
  }

  /** Takes content. Returns the other asks. */
  add(asks: readonly Ask[]): readonly Ask[] {
    const others = asks.filter((ask) => contentOf(ask) === 0);
    if (others.length === asks.length) return asks;
    for (const ask of asks) {
      if (contentOf(ask) === 0) continue;
      const waiting = this.#waiting.get(ask.partition);
      if (waiting === undefined) this.#waiting.set(ask.partition, [ask]);
      else waiting.push(ask);
    }
    return others;
  }

  /** What may go now: of one partition, so that it is one commit. The partitions take turns. */
  next(): readonly Ask[] {
    const [first] = this.#waiting;
    if (first === undefined || this.#underWay.size > 0) return [];
    const [partition, waiting] = first;
    let count = 0;
    for (let bytes = 0; count < waiting.length && bytes < MAX_CONTENT_UNDER_WAY; count += 1) {
      const ask = waiting[count];
      if (ask === undefined) break;
      bytes += contentOf(ask);
      this.#underWay.add(ask.id);
    }
    this.#waiting.delete(partition);
    const next = waiting.splice(0, count);
    if (waiting.length > 0) this.#waiting.set(partition, waiting);
    return next;
  }

  /** All that waits, also beyond the limit. */
  takeAll(): Ask[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { id } of all) this.#underWay.add(id);
    return all;
  }

  noteReplies(replies: readonly Reply[]): void {
    if (this.#underWay.size === 0) return;
    for (const { id } of replies) this.#underWay.delete(id);
  }
}

/** In bytes; 0 if the ask is about something else. */
function contentOf({ command }: Ask): number {
  return 'kind' in command && command.kind === 'upload.append' ? Math.max(command.bytes.length, 1) : 0;
}
