/** The store thread's end: takes every waiting ask, lets each partition settle its batch, and replies. */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { AppError, INTERNAL_ERROR, InUse, NotStored } from '../../domain/errors.js';
import type { Claim } from '../../domain/ports/partitionLog.js';
import { memoryOf } from '../../domain/content/sharedBytes.js';
import { watchLoopDelay } from '../../metrics/loopDelay.js';
import {
  DONE,
  type Ask,
  type CopyState,
  type FromThread,
  type Notice,
  type Outcome,
  type PartitionName,
  type Reply,
  type ToThread,
} from '../messages.js';
import { encodeNotices, encodeReplies, decodeAsks } from './codec.js';
import { CallerQueue } from './callerQueue.js';
import { ContentQueue } from './contentQueue.js';
import { notOpen, refuseAll, TURN_MS, type Partition, type PartitionHost, type Settlement } from '../runtime/partition.js';
import { LateSettlements } from './lateSettlements.js';
import { Turns } from '../../flow/turns.js';
import { addStats, type ReplicationStats, type ThreadStats } from '../health/partitionStats.js';
import { WriteHealth } from '../health/writeHealth.js';

/**
 * How long replies wait for others to share a message. A message for every file cost the I/O thread a fifth more; one
 * message for all files made every client wait for the last flush and return at the same time.
 */
const GATHER_MS = 1;
export type OpenPartition = (name: PartitionName, host: PartitionHost) => Partition;

/** Opens the partitions of one thread, and knows what they share. */
export interface PartitionSource {
  readonly open: OpenPartition;
  /** Takes a replicated partition. Rejects with `InUse` if another process owns it. */
  claim?(name: PartitionName, host: PartitionHost, claim: Claim): Promise<Partition>;
  /** Opens a copy of a replicated partition. Resolves when it has caught up with its log. */
  follow?(name: PartitionName, report: (copy: CopyState) => void, onError: (error: unknown) => void): Promise<void>;
  /** Another instance has this many records of the partition. */
  noteRecords?(name: PartitionName, applied: number): void;
  /** Puts on disk what the partitions have committed together since the last call, in part perhaps in `later` turns. */
  endTurn?(later: (step: () => void) => void): void;
  /** Bytes of commits that are in the log of the thread only. */
  logBytes?(): number;
  /** Of the replicated logs. */
  replicationStats?(): ReplicationStats;
  /** The chains over the latest records of a copy, by the number of the record. */
  chains?(name: PartitionName): ReadonlyMap<number, string>;
  /** Stores in the file of a copy how far it has followed its log, for a snapshot of the file. */
  storePosition?(name: PartitionName): Promise<void>;
  /** All partitions are closed. */
  close?(): void | Promise<void>;
}

export function servePartitions(port: MessagePort, source: PartitionSource, now: () => number = () => performance.now()): void {
  const partitions = new Map<PartitionName, Partition>();
  /** Partitions that wait for their last commit, and who waits for them. They take no asks, and cannot be opened yet. */
  const closing = new Map<PartitionName, Array<() => void>>();
  let isStopping = false;
  const turns = new Turns();
  const delay = watchLoopDelay();
  const send = (message: FromThread, memory: readonly ArrayBuffer[] = []): void => port.postMessage(message, memory);
  const onError = (error: unknown): void => send({ kind: 'trouble', error: toNativeError(error) });
  const late = new LateSettlements((settlement) => sendNow(settlement));
  const sendSoon = (settlement: Settlement): void => late.add(settlement);
  /** In the order of the calls, and after what waits to be sent. */
  const sendSettled = (settlement: Settlement): void => {
    late.send();
    sendNow(settlement);
  };
  const queue = new CallerQueue();
  const content = new ContentQueue();
  let isTurnDue = false;
  const sendNow = (settlement: Settlement): void => {
    const { notices, replies } = withSoundReplies(settlement, onError);
    queue.noteReplies(replies);
    content.noteReplies(replies);
    if (queue.isWaiting || content.isWaiting) takeTurnLater();
    try {
      const [encodedNotices, encodedReplies] = [encodeNotices(notices), encodeReplies(replies)];
      send({ kind: 'settled', notices: encodedNotices, replies: encodedReplies }, memoryOf(encodedNotices, encodedReplies));
    } catch (error) {
      // A value in it cannot be cloned.
      onError(error);
      sendOneByOne({ notices, replies });
    }
  };
  const health = new WriteHealth({ send, probe: (name) => partitions.get(name)?.probe() ?? 'busy', now });
  const later = (step: () => void): void =>
    turns.add(() => {
      step();
      endTurn();
    });
  const endTurn = (): void => source.endTurn?.(later);
  const hostOf = (name: PartitionName): PartitionHost => ({
    onError: (error) => (error instanceof NotStored ? health.failed(name, toNativeError(error)) : onError(error)),
    publish: (notices) => sendSettled({ notices, replies: [] }),
    later,
    endTurn,
    deposed: () => {
      // One that is being closed is reported as closed.
      if (!partitions.delete(name)) return;
      health.release(name);
      // After the replies of this turn, which leave together.
      queueMicrotask(() => {
        late.send();
        send({ kind: 'deposed', partition: name });
      });
    },
    isTurnOver: () => now() >= turnEndsAt,
  });

  let turnEndsAt = 0;
  port.on('message', (first: ToThread) => {
    const asks: Ask[] = [];
    // Asks that arrived during the last flush share the next commit.
    for (let message: ToThread | undefined = first; message !== undefined; message = nextMessage(port)) {
      if (message.kind === 'asks') {
        asks.push(...decodeAsks(message.asks));
        continue;
      }
      takeTurn(asks.splice(0));
      if (message.kind === 'open') {
        open(message.id, message.partition, message.claim);
      } else if (message.kind === 'follow') {
        follow(message.id, message.partition);
      } else if (message.kind === 'records') {
        source.noteRecords?.(message.partition, message.applied);
      } else if (message.kind === 'stats') {
        reply(message.id, { ok: true, value: stats() });
      } else if (message.kind === 'chains') {
        reply(message.id, { ok: true, value: source.chains?.(message.partition) ?? new Map() });
      } else if (message.kind === 'position') {
        storePosition(message.id, message.partition);
      } else if (message.kind === 'release') {
        const { id, partition } = message;
        settle(takeAll(), true);
        close(partition, () => reply(id, DONE));
      } else {
        settle(takeAll(), true);
        isStopping = true;
        for (const name of [...partitions.keys()]) close(name);
        stopIfClosed();
      }
    }
    takeTurn(asks);
  });

  function takeTurn(asks: readonly Ask[]): void {
    turnEndsAt = now() + TURN_MS;
    const admitted = queue.admit(content.add(asks));
    settle([...admitted, ...content.next()]);
  }

  function takeAll(): readonly Ask[] {
    return [...queue.takeAll(), ...content.takeAll()];
  }

  /** Asks wait for earlier ones of their callers, or for time. New messages are taken before. */
  function takeTurnLater(): void {
    if (isTurnDue) return;
    isTurnDue = true;
    turns.add(() => {
      isTurnDue = false;
      takeTurn([]);
    });
  }

  /** A fault in one reply or notice affects no other and does not end the thread. */
  function sendOneByOne({ notices, replies }: Settlement): void {
    for (const notice of notices) {
      try {
        send({ kind: 'settled', notices: encodeNotices([notice]), replies: [] });
      } catch (error) {
        onError(error);
      }
    }
    for (const reply of replies) {
      try {
        send({ kind: 'settled', notices: [], replies: encodeReplies([reply]) });
      } catch {
        const failed: Reply = { id: reply.id, outcome: { ok: false, error: INTERNAL_ERROR } };
        send({ kind: 'settled', notices: [], replies: encodeReplies([failed]) });
      }
    }
  }

  function open(id: number, name: PartitionName, claim: Claim | undefined): void {
    if (closing.has(name)) return reply(id, notOpen(name));
    const opened = (partition: Partition): void => {
      partitions.set(name, partition);
      reply(id, DONE);
    };
    const failed = (error: unknown): void => reply(id, openingFailed(name, error));
    try {
      if (claim === undefined || source.claim === undefined) opened(source.open(name, hostOf(name)));
      else source.claim(name, hostOf(name), claim).then(opened, failed);
    } catch (error) {
      failed(error);
    }
  }

  function follow(id: number, name: PartitionName): void {
    const report = (copy: CopyState): void => send({ kind: 'copy', copy });
    const following = source.follow?.(name, report, hostOf(name).onError) ?? Promise.reject(new Error(`the ${name} is not replicated`));
    following.then(
      () => reply(id, DONE),
      (error: unknown) => reply(id, openingFailed(name, error)),
    );
  }

  function storePosition(id: number, name: PartitionName): void {
    const stored = source.storePosition?.(name) ?? Promise.resolve();
    stored.then(
      () => reply(id, DONE),
      (error: unknown) =>
        reply(id, { ok: false, error: { code: 'unavailable', detail: `the copy of the ${name} cannot be written: ${String(error)}` } }),
    );
  }

  function reply(id: number, outcome: Outcome): void {
    sendSettled({ notices: [], replies: [{ id, outcome }] });
  }

  function openingFailed(name: PartitionName, error: unknown): Outcome {
    if (error instanceof InUse) return { ok: false, error: error.toData(), notHere: true };
    if (error instanceof AppError) return { ok: false, error: error.toData() };
    onError(error);
    return { ok: false, error: { code: 'unavailable', detail: `the ${name} cannot be opened: ${String(error)}` } };
  }

  function stats(): ThreadStats {
    const sum = addStats([...partitions.values()].map((partition) => partition.stats()));
    return { ...sum, logBytes: source.logBytes?.() ?? 0, delay: delay.read(), replication: source.replicationStats?.() ?? null };
  }

  /** Calls `closed` when the partition is closed, also if it already was. */
  function close(name: PartitionName, closed: () => void = () => undefined): void {
    const [partition, waiting] = [partitions.get(name), closing.get(name)];
    if (waiting !== undefined) return void waiting.push(closed);
    if (partition === undefined) return closed();
    health.release(name);
    partitions.delete(name);
    const awaiting = [closed];
    closing.set(name, awaiting);
    partition.close(() => {
      closing.delete(name);
      for (const each of awaiting) each();
      stopIfClosed();
    });
  }

  /** When the last partition of a stopping thread is closed. */
  function stopIfClosed(): void {
    if (!isStopping || partitions.size + closing.size > 0) return;
    isStopping = false;
    late.send();
    const ended = source.close?.();
    if (ended === undefined) return send({ kind: 'closed' });
    ended.catch(onError).finally(() => send({ kind: 'closed' }));
  }

  /**
   * Replies that are settled within `GATHER_MS` leave as one message, before the next partition is asked; later ones
   * leave on their own. So callers of the first file are served while the next is flushed. Replies that wait for the
   * flush at the end of the turn leave as one message.
   *
   * Partitions for which there is no time get their asks in the next turn, where callers with less under way come first;
   * in `last` all get them now.
   */
  function settle(asks: readonly Ask[], last = false): void {
    if (asks.length === 0) return;
    let replies: Reply[] = [];
    let notices: Notice[] = [];
    let leavesAt = now() + GATHER_MS;
    const flush = (): void => {
      if (replies.length + notices.length > 0) sendSettled({ notices, replies });
      replies = [];
      notices = [];
      leavesAt = now() + GATHER_MS;
    };
    let together = true;
    const done = (settlement: Settlement): void => {
      if (!together) return sendSoon(settlement);
      notices.push(...settlement.notices);
      replies.push(...settlement.replies);
      if (now() >= leavesAt) flush();
    };
    const left: Ask[] = [];
    for (const [index, [name, own]] of [...groupByPartition(asks)].entries()) {
      if (index === 0 || last || now() < turnEndsAt) settleAt(name, own, done);
      else left.push(...own);
    }
    const kept = queue.putBack(left);
    for (const [name, own] of groupByPartition(kept)) settleAt(name, own, done);
    if (queue.isWaiting) takeTurnLater();
    flush();
    leavesAt = Infinity;
    endTurn();
    together = false;
    flush();
  }

  function settleAt(name: PartitionName, asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    const partition = partitions.get(name);
    if (partition === undefined) {
      done(refuseAll(asks, notOpen(name)));
      return;
    }
    try {
      partition.take(asks, done);
    } catch (error) {
      // A partition handles its own failures. One that throws is a fault of ours, and other partitions must not suffer
      // from it.
      onError(error);
      done(refuseAll(asks, { ok: false, error: INTERNAL_ERROR }));
    }
  }
}

/** An invalid outcome would crash the thread or its reader, so it becomes an internal error. */
function withSoundReplies(settlement: Settlement, onError: (error: unknown) => void): Settlement {
  if (settlement.replies.every(({ outcome }) => isOutcome(outcome))) return settlement;
  const replies = settlement.replies.map((reply): Reply => {
    if (isOutcome(reply.outcome)) return reply;
    onError(new Error('a partition sent a reply without an outcome'));
    return { id: reply.id, outcome: { ok: false, error: INTERNAL_ERROR } };
  });
  return { notices: settlement.notices, replies };
}

/** Checked at run time: a type does not prove what a partition returned. */
function isOutcome(outcome: Partial<Outcome> | null | undefined): boolean {
  if (outcome?.ok === true) return true;
  return outcome?.ok === false && typeof outcome.error?.code === 'string' && typeof outcome.error.detail === 'string';
}

/**
 * A message preserves the text of native errors only. Errors of SQLite are not native, and the log needs their text.
 */
function toNativeError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { name, message, stack, cause } = error;
  const native = new Error(message, cause === undefined ? {} : { cause: toNativeError(cause) });
  return Object.assign(native, { name, stack });
}

function nextMessage(port: MessagePort): ToThread | undefined {
  return (receiveMessageOnPort(port) as { message: ToThread } | undefined)?.message;
}

function groupByPartition(asks: readonly Ask[]): Map<PartitionName, Ask[]> {
  const groups = new Map<PartitionName, Ask[]>();
  for (const ask of asks) {
    const group = groups.get(ask.partition);
    if (group === undefined) groups.set(ask.partition, [ask]);
    else group.push(ask);
  }
  return groups;
}
