/** A partition for tests of the ask mechanism: the id of an ask selects its behaviour. Also a thread that serves it. */
import { isMainThread, parentPort } from 'node:worker_threads';
import type { Ask, Outcome, PartitionCommand } from '../../src/partitions/messages.js';
import { addStats } from '../../src/partitions/health/partitionStats.js';
import type { Settlement } from '../../src/partitions/runtime/partition.js';
import { servePartitions, type OpenPartition } from '../../src/partitions/thread/threadServer.js';
import { AppError } from '../../src/domain/errors.js';

/** The behaviours. Anything else is answered with itself and the asks of the same batch. */
export type Request = 'throw' | 'refuse' | 'later' | 'never' | 'notify' | 'trouble' | 'die' | WrongOutcome | (string & {});

/** Outcomes that no partition should give. */
export const WRONG_OUTCOMES = {
  'no outcome': undefined,
  'an empty outcome': {},
  'a refusal without an error': { ok: false },
  'an outcome that cannot be copied': { ok: true, value: () => undefined },
} as const;

type WrongOutcome = keyof typeof WRONG_OUTCOMES;

export interface Answer {
  readonly request: Request;
  readonly batch: readonly Request[];
}

export function asking(request: Request): PartitionCommand {
  return { op: 'user.get', input: { id: request } };
}

export const openAnsweringPartition: OpenPartition = (name, { onError, publish }) => {
  if (name === 'shard 13') throw new AppError('unavailable', 'in use by another process');
  return {
    take(asks, done) {
      const batch = asks.map(requestOf);
      if (batch.includes('throw')) throw new Error('a fault of ours');
      if (batch.includes('die')) process.exit(3);
      if (batch.includes('notify')) publish([{ kind: 'board.gone', board_id: 'notified' }]);
      if (batch.includes('trouble')) onError(new AppError('unavailable', 'not stored', { cause: strangeError() }));
      done(
        settle(
          asks.filter((ask) => !['later', 'never'].includes(requestOf(ask))),
          batch,
        ),
      );
      const later = asks.filter((ask) => requestOf(ask) === 'later');
      if (later.length > 0) setImmediate(() => done(settle(later, batch)));
    },
    stats: () => addStats([]),
    probe: () => 'works',
    close: (closed) => {
      publish([{ kind: 'board.gone', board_id: 'closed' }]);
      closed();
    },
  };
};

function settle(asks: readonly Ask[], batch: readonly Request[]): Settlement {
  const replies = asks.map((ask) => {
    const request = requestOf(ask);
    const value: Answer = { request, batch };
    if (request in WRONG_OUTCOMES) return { id: ask.id, outcome: WRONG_OUTCOMES[request as WrongOutcome] as Outcome };
    if (request === 'refuse') return { id: ask.id, outcome: { ok: false, error: REFUSAL } as const };
    return { id: ask.id, outcome: { ok: true, value } as const };
  });
  return { replies, notices: asks.length > 0 ? [{ kind: 'board.gone', board_id: asks.map(requestOf).join() }] : [] };
}

const REFUSAL = { code: 'conflict', detail: 'taken', retryAfter: 2 } as const;

/** Made like SQLite's errors: an error to `instanceof`, but not to a message between threads. */
function strangeError(): Error {
  return Object.assign(Object.create(Error.prototype) as Error, { message: 'database or disk is full' });
}

function requestOf({ command }: Ask): Request {
  return 'op' in command && command.op === 'user.get' ? command.input.id : '';
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, { open: openAnsweringPartition });
