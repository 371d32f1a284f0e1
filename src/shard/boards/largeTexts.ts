/**
 * Encodes large answers and events in slices, in memory that can be transferred. The content of an answer is mostly
 * part of its event: then both are views of the same memory.
 */
import { isLarge, LARGE_EVENT_CHARACTERS, type PublishedEvent } from '../../domain/events.js';
import { holdsMark, splitAtMarks, type MarkedBytes } from '../../domain/board/marks.js';
import { joinSharedInSlices, LARGE_ANSWER_CHARACTERS } from '../../domain/content/sharedBytes.js';
import type { BoardReply, Notice, Reply } from '../../partitions/messages.js';
import type { Settlement } from '../../partitions/runtime/partition.js';

/** A text and its bytes, for other texts that are part of it. */
interface Encoded {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** The same settlement with bytes in the place of large texts and of texts with marks. Pauses often. */
export function* encodeLargeTexts({ replies, notices }: Settlement, marked: MarkedBytes): Generator<undefined, Settlement> {
  const texts = new LargeTexts(marked);
  const encoded: { replies: Reply[]; notices: Notice[] } = { replies: [], notices: [] };
  for (const notice of notices) {
    if (notice.kind !== 'board.events') {
      encoded.notices.push(notice);
      continue;
    }
    const events: PublishedEvent[] = [];
    for (const event of notice.events) events.push(yield* texts.encodeEvent(event));
    encoded.notices.push({ ...notice, events });
  }
  for (const reply of replies) encoded.replies.push(yield* texts.encodeReply(reply));
  return encoded;
}

class LargeTexts {
  readonly #marked: MarkedBytes;
  readonly #encoded: Encoded[] = [];

  constructor(marked: MarkedBytes) {
    this.#marked = marked;
  }

  *encodeEvent(event: PublishedEvent): Generator<undefined, PublishedEvent> {
    if (isLarge(event) || !this.#isLarge(event.json, LARGE_EVENT_CHARACTERS)) return event;
    const { seq, type, json } = event;
    return { seq, type, bytes: yield* this.#encode(json) };
  }

  *encodeReply(reply: Reply): Generator<undefined, Reply> {
    const value = reply.outcome.ok ? (reply.outcome.value as BoardReply) : null;
    if (!value?.outcome.ok || value.outcome.json === null) return reply;
    if (!this.#isLarge(value.outcome.json, LARGE_ANSWER_CHARACTERS)) return reply;
    const bytes = this.#partOfAnother(value.outcome.json) ?? (yield* this.#encode(value.outcome.json));
    const outcome: BoardReply = { ...value, outcome: { ...value.outcome, json: null, bytes } };
    return { id: reply.id, outcome: { ok: true, value: outcome } };
  }

  #isLarge(text: string, characters: number): boolean {
    return text.length >= characters || (this.#marked.size > 0 && holdsMark(text));
  }

  *#encode(text: string): Generator<undefined, Uint8Array> {
    const bytes = yield* joinSharedInSlices(splitAtMarks(text, this.#marked));
    if (holdsMark(text)) this.#encoded.push({ text, bytes });
    return bytes;
  }

  /** Only texts with marks are compared: they are short. */
  #partOfAnother(text: string): Uint8Array | null {
    for (const { text: whole, bytes } of holdsMark(text) ? this.#encoded : []) {
      const start = whole.indexOf(text);
      if (start < 0) continue;
      const from = this.#sizeOf(whole.slice(0, start));
      return bytes.subarray(from, from + this.#sizeOf(text));
    }
    return null;
  }

  #sizeOf(text: string): number {
    const parts = splitAtMarks(text, this.#marked);
    return parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0);
  }
}
