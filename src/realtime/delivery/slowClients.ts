/**
 * Which client reads too slowly, and what happens to it: every limit and every decision, as pure functions. The other
 * files of this folder measure and carry out; `end` means close code 1013.
 *
 * Messages that a client has not read take memory of the process. So an event too large to be copied for each socket is
 * sent in slices or replaced by `resync`, a client that is not live gets the next message when it has read the last
 * ones, and a client that still has too much unread is ended.
 */
import { LARGE_EVENT_CHARACTERS, MAX_FAN_OUT_CHARACTERS } from '../../domain/events.js';
import type { MessageForm } from './messageForm.js';

/** The system's buffer of a socket that reads has room for an event below this, however many sockets there are. */
const MIN_FAN_OUT_EVENT_CHARACTERS = 32 * 1024;

/** Unread bytes of all clients together. */
const MAX_TOTAL_BACKLOG_BYTES = 64 * 1024 * 1024;
/** A client that has had this much unread for a second or longer reads too slowly. */
const MAX_STEADY_BACKLOG_BYTES = 1024 * 1024;
/**
 * Above this uWebSockets cuts a socket itself. Only a single huge event, or a burst between two inspections of the
 * backlog, comes near this.
 */
export const HARD_BACKLOG_BYTES = 32 * 1024 * 1024;
/**
 * The unsent bytes up to which a socket is closed with a code. uWebSockets keeps unsent bytes of a closed socket until
 * the client takes them or a time-out of minutes, and does not count them. With more, the connection is cut, which
 * frees them at once; a client that far behind would see the code late or never.
 */
const MAX_BACKLOG_OF_ENDED_BYTES = 16 * 1024;

/** A client that catches up gets the next event when less than this is unsent. */
const DRAINED_BYTES = 64 * 1024;
/** Characters of events that wait for slow clients. Beyond this, pages are dropped and read from the log again. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;
/** Messages held for a client. Beyond this, events are dropped and read from the log later. */
const MAX_HELD_MESSAGES = 1_000;
/** Bytes held for clients that are not live, in the whole process. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** Bytes that one board may always hold, so that clients of other boards cannot use up its share. */
const MIN_HELD_BYTES = 256 * 1024;

/** About the size of the system's buffer for a new connection; sending it takes about ten microseconds. */
export const SLICE_BYTES = 64 * 1024;
/** Slices not yet taken by their sockets, in the whole process: 32 MiB. Beyond this, other deliveries wait. */
const MAX_UNTAKEN_SLICES = 512;
/** The minimum speed of a client in bytes a millisecond, and its maximum pause. */
const MIN_BYTES_PER_MS = 16;
const PATIENCE_MS = 5_000;
/** The maximum pause while other deliveries wait. */
const SHORT_PATIENCE_MS = 1_000;
/**
 * Buffers kept for clients, in the whole process. Beyond this, clients that still need the oldest buffer are
 * disconnected: they had the most time.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Whether a live event is published as one message, of which each socket with unread data keeps a copy. */
export function isPublishedWhole(characters: number, sockets: number): boolean {
  if (characters >= LARGE_EVENT_CHARACTERS) return false;
  return characters < MIN_FAN_OUT_EVENT_CHARACTERS || characters * sockets <= MAX_FAN_OUT_CHARACTERS;
}

/** A client with numbers can read the board instead. The others get the event, each as fast as it reads. */
export function deliveryOfLarge(numbered: boolean): 'slices' | 'resync' {
  return numbered ? 'resync' : 'slices';
}

/**
 * How a client that catches up gets an event of the log. A socket for several boards must not be blocked by one of
 * them, so it gets no slices; nor does a stream, which has no fragments.
 */
export function deliveryOfMissed(characters: number, form: MessageForm): 'whole' | 'slices' | 'resync' {
  if (characters <= SLICE_BYTES) return 'whole';
  if (characters >= LARGE_EVENT_CHARACTERS) return deliveryOfLarge(form !== 'plain');
  return form === 'shared' || form === 'stream' ? 'whole' : 'slices';
}

/** Whether a client that is not live gets the next message now; otherwise the message is held. */
export function isDrained(backlogBytes: number): boolean {
  return backlogBytes <= DRAINED_BYTES;
}

/** Whether a page of events stays in memory for a client that is not drained; otherwise it is read again. */
export function isPageKept(characters: number, ofOtherPages: number): boolean {
  return ofOtherPages + characters <= MAX_WAITING_CHARACTERS;
}

/** `drop events`: the client reads them from the log later. */
export type Relief = 'drop events' | 'end';

/** A settled client no longer reads the log, so it would miss the dropped events. */
export function reliefOf(isSettled: boolean): Relief {
  return isSettled ? 'end' : 'drop events';
}

/** What happens before one more message is held for a client. */
export function decideHold(held: ReadonlyArray<{ readonly kind: string }>, isSettled: boolean): 'hold' | Relief {
  if (held.length < MAX_HELD_MESSAGES) return 'hold';
  // Presence is in no log, so it cannot be dropped.
  return held.every(({ kind }) => kind === 'presence') ? 'end' : reliefOf(isSettled);
}

/** Whether each client of a board needs relief from the bytes held for them. */
export function isTooMuchHeld(bytesOfBoard: number, bytesOfProcess: number): boolean {
  return bytesOfBoard > MIN_HELD_BYTES && bytesOfProcess > MAX_HELD_BYTES;
}

/** Whether all sockets of the process together may have this much unread. */
export function isBacklogWithinBudget(bytes: number): boolean {
  return bytes <= MAX_TOTAL_BACKLOG_BYTES;
}

/** Whether a client must end because it reads no faster than messages come. Inspected once a second. */
export function isFallingBehind(backlogBytes: number, aSecondAgo: number): boolean {
  return backlogBytes > MAX_STEADY_BACKLOG_BYTES && aSecondAgo > 0 && backlogBytes >= aSecondAgo;
}

/** A client, and the memory of its unread messages. */
export interface Cost<Client> {
  readonly client: Client;
  readonly bytes: number;
}

/** The clients that must end, those with the most first, until the rest fits the budget. */
export function slowestBeyondBudget<Client>(costs: ReadonlyArray<Cost<Client>>): Client[] {
  const slowest: Client[] = [];
  let total = costs.reduce((sum, { bytes }) => sum + bytes, 0);
  if (isBacklogWithinBudget(total)) return slowest;
  for (const { client, bytes } of costs.toSorted((a, b) => b.bytes - a.bytes)) {
    if (isBacklogWithinBudget(total)) break;
    total -= bytes;
    slowest.push(client);
  }
  return slowest;
}

/** Whether another slice may be sent; otherwise its client waits until others have read theirs. */
export function isSliceAllowed(untakenSlices: number): boolean {
  return untakenSlices < MAX_UNTAKEN_SLICES;
}

/** A slice that its client has not read to the end. */
export interface UntakenSlice {
  readonly waitedMs: number;
  /** Unread when the slice had been sent. */
  readonly backlogBytes: number;
}

/** Whether the client of a slice must end. */
export function isSliceOverdue({ waitedMs, backlogBytes }: UntakenSlice, untakenSlices: number): boolean {
  const isPressed = !isSliceAllowed(untakenSlices);
  return waitedMs >= (isPressed ? SHORT_PATIENCE_MS : PATIENCE_MS + backlogBytes / MIN_BYTES_PER_MS);
}

/** Whether the clients that still need the oldest buffer of a large event must end. */
export function areTooManyBuffersKept(bytes: number): boolean {
  return bytes > MAX_KEPT_BYTES;
}

/** How a socket is ended, for every reason. */
export function endingOf(backlogBytes: number): 'close code' | 'cut' {
  return backlogBytes > MAX_BACKLOG_OF_ENDED_BYTES ? 'cut' : 'close code';
}
