/** Large answers and events, encoded a slice at a time into memory that threads share. */
import { isLarge, LARGE_EVENT_CHARACTERS, type PublishedEvent } from '../domain/events.js';
import { toSharedBytesInSlices } from '../domain/sharedBytes.js';
import type { BoardReply, Notice, Reply } from './messages.js';
import type { Settlement } from './stations.js';

/** From here on a copy for the other thread, and encoding it there, cost more than a piece of shared memory. */
export const LARGE_ANSWER_CHARACTERS = 256 * 1024;

/** The same settlement with bytes in the place of large texts. It pauses often. */
export function* encodeLargeTexts({ replies, notices }: Settlement): Generator<undefined, Settlement> {
  const encoded: { replies: Reply[]; notices: Notice[] } = { replies: [], notices: [] };
  for (const notice of notices) {
    if (notice.kind !== 'board.events') {
      encoded.notices.push(notice);
      continue;
    }
    const events: PublishedEvent[] = [];
    for (const event of notice.events) events.push(yield* encodeEvent(event));
    encoded.notices.push({ ...notice, events });
  }
  for (const reply of replies) encoded.replies.push(yield* encodeReply(reply));
  return encoded;
}

function* encodeEvent(event: PublishedEvent): Generator<undefined, PublishedEvent> {
  if (isLarge(event) || event.json.length < LARGE_EVENT_CHARACTERS) return event;
  const { seq, type, json } = event;
  return { seq, type, bytes: yield* toSharedBytesInSlices(json) };
}

function* encodeReply(reply: Reply): Generator<undefined, Reply> {
  const value = reply.outcome.ok ? (reply.outcome.value as BoardReply) : null;
  if (!value?.outcome.ok || value.outcome.json === null) return reply;
  if (value.outcome.json.length < LARGE_ANSWER_CHARACTERS) return reply;
  const bytes = yield* toSharedBytesInSlices(value.outcome.json);
  const outcome: BoardReply = { ...value, outcome: { ...value.outcome, json: null, bytes } };
  return { id: reply.id, outcome: { ok: true, value: outcome } };
}
