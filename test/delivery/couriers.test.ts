import t, { type Test } from 'tap';
import { pino } from 'pino';
import { withDeadline } from '../../src/partitions/deadline.js';
import type { ShardCommand, ShardName } from '../../src/partitions/messages.js';
import { OutboxCourier } from '../../src/delivery/outboxCourier.js';
import { ProfileCourier } from '../../src/delivery/profileCourier.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import type { BoardOutcome } from '../../src/domain/commands/decide.js';
import type { DirectoryPort, MembershipChanges, PendingProfile } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import type { PublicUser } from '../../src/domain/user.js';
import { ann, ben } from '../support/store/faultyStorePartition.js';

const AWAY = new AppError('unavailable', 'The directory is away');

/** A directory that answers only the couriers' commands, and can refuse them. */
class FakeDirectory implements DirectoryPort {
  readonly heard: MembershipChanges[] = [];
  pending: PendingProfile[] = [];
  /** Current users, where they differ from the pending profile. */
  readonly users = new Map<string, PublicUser>();
  /** Called before each answer: may throw to refuse it, or wait. */
  before: (op: string, input: object) => void | Promise<void> = () => undefined;
  /** Called between the answer and its arrival. */
  after: (op: string) => void = () => undefined;

  async ask(op: string, input: object): Promise<never> {
    await this.before(op, input);
    const answer = this.#answer(op, input);
    this.after(op);
    return answer as never;
  }

  #answer(op: string, input: object): unknown {
    if (op === 'membership.apply') this.heard.push(input as MembershipChanges);
    if (op === 'profile.pending') {
      const { after, limit } = input as { after: number; limit: number };
      return this.pending.filter(({ id }) => id > after).slice(0, limit);
    }
    if (op === 'profile.isPending') {
      return this.pending.some(({ user }) => user.id === (input as { user_id: string }).user_id);
    }
    if (op === 'user.get') {
      const { id } = input as { id: string };
      return this.users.get(id) ?? this.pending.find(({ user }) => user.id === id)?.user ?? null;
    }
    if (op === 'profile.delivered') this.pending = this.pending.filter(({ id }) => id !== (input as { id: number }).id);
    return true;
  }
}

function startOutboxCourier(t: Test, directory: FakeDirectory) {
  const [confirmed, log]: [string[], string[]] = [[], []];
  const courier = new OutboxCourier({
    directory,
    confirm: async (shard: ShardName, command: ShardCommand) => {
      confirmed.push(`${shard} ${'id' in command ? command.id : ''}`);
    },
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
  });
  t.teardown(() => courier.stop());
  const take = (shard: ShardName, id: number): void =>
    courier.take({ kind: 'outbox', shard, id, changes: { board_id: `${shard}`, version: id, members: 'none left' } });
  return { courier, take, confirmed, log };
}

t.test('ACTOR29 membership changes of a shard reach the directory in order and are confirmed on arrival', async (t) => {
  const directory = new FakeDirectory();
  const { courier, take, confirmed } = startOutboxCourier(t, directory);
  let arrive = (): void => undefined;
  const held = new Promise<void>((resolve) => (arrive = resolve));
  directory.before = () => (directory.heard.length === 0 ? held : undefined);
  [1, 2, 3].forEach((id) => take('shard 0', id));
  t.strictSame(confirmed, []);
  const third = courier.delivered('shard 0', 3).then(() => directory.heard.map(({ version }) => version));
  arrive();
  t.strictSame(await third, [1, 2, 3]);
  t.strictSame(confirmed, ['shard 0 1', 'shard 0 2', 'shard 0 3']);
  await courier.delivered('shard 0', 1);
  t.pass('waiting for an earlier delivery resolves at once');
});

t.test('ACTOR30 a change that the directory refuses is retried until it arrives, and only its shard waits', async (t) => {
  const directory = new FakeDirectory();
  const { courier, take, confirmed, log } = startOutboxCourier(t, directory);
  const attempts: number[] = [];
  directory.before = () => {
    attempts.push(attempts.length);
    if (attempts.length <= 2) throw AWAY;
  };
  take('shard 0', 1);
  take('shard 0', 2);
  await courier.delivered('shard 0', 2);
  t.strictSame(directory.heard.map(({ version }) => version), [1, 2]);
  t.strictSame(confirmed, ['shard 0 1', 'shard 0 2']);
  t.equal(attempts.length, 4);
  t.equal(log.length, 1, 'the trouble is logged once');

  directory.before = (_op, changes) => {
    if ('board_id' in changes && changes.board_id === 'shard 0') throw AWAY;
  };
  take('shard 0', 3);
  take('shard 1', 1);
  await courier.delivered('shard 1', 1);
  t.strictSame(confirmed.slice(2), ['shard 1 1']);
});

t.test('ACTOR31 after a stop nothing is delivered or confirmed, and no caller is kept waiting', async (t) => {
  const directory = new FakeDirectory();
  const { courier, take, confirmed } = startOutboxCourier(t, directory);
  directory.before = () => {
    courier.stop();
    throw AWAY;
  };
  take('shard 0', 1);
  take('shard 0', 2);
  await courier.delivered('shard 0', 2);
  t.strictSame(directory.heard, []);
  t.strictSame(confirmed, []);
});

t.test('ACTOR32 a caller that waits beyond the deadline gets an error while the work goes on', async (t) => {
  let finish = (_value: string): void => undefined;
  const work = new Promise<string>((resolve) => (finish = resolve));
  await t.rejects(withDeadline(work, 1), { code: 'unavailable', retryAfter: 1 });
  finish('done');
  t.equal(await withDeadline(work, 1_000), 'done');
  await t.rejects(withDeadline(Promise.reject(AWAY), 1_000), AWAY);
});

interface Carried {
  readonly courier: ProfileCourier;
  readonly told: string[];
  readonly log: string[];
  /** Resolves when the directory has nothing pending. */
  emptied(): Promise<void>;
}

function startProfileCourier(
  t: Test,
  directory: FakeDirectory,
  answer: (board: string) => BoardOutcome = () => ({ ok: true, json: null }),
  before: (board: string) => Promise<void> | undefined = () => undefined,
): Carried {
  const [told, log]: [string[], string[]] = [[], []];
  let onEmpty = (): void => undefined;
  const courier = new ProfileCourier({
    directory,
    boards: {
      async ask({ op, caller, target, input }: BoardCommand): Promise<BoardOutcome> {
        t.match({ op, caller }, { op: 'member.refresh', caller: 'system' });
        told.push(`${target}: ${'user' in input ? input.user?.firstname : ''}`);
        await before(target);
        return answer(target);
      },
    },
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
  });
  t.teardown(() => courier.stop());
  directory.before = (op) => {
    if (op === 'profile.pending' && directory.pending.length === 0) onEmpty();
  };
  return { courier, told, log, emptied: () => new Promise((resolve) => (onEmpty = resolve)) };
}

function profile(id: number, firstname: string, ...board_ids: string[]): PendingProfile {
  return { id, user: { ...(id % 2 === 0 ? ann : ben), firstname }, board_ids };
}

t.test('ACTOR33 a changed profile is delivered to every board of its user and is then no longer pending', async (t) => {
  const directory = new FakeDirectory();
  const { courier, told, emptied } = startProfileCourier(t, directory);
  directory.pending = [profile(1, 'Ben', 'b1', 'b2'), profile(2, 'Ann', 'b2')];
  courier.wake();
  await emptied();
  t.strictSame(told, ['b1: Ben', 'b2: Ben', 'b2: Ann']);

  directory.pending = [profile(3, 'Benno', 'b1')];
  courier.wake();
  courier.wake();
  await emptied();
  t.strictSame(told.slice(3), ['b1: Benno'], 'also what changes later');
});

t.test('ACTOR33 a caller that waits for a profile is answered when the boards have it, or after a deadline', async (t) => {
  const directory = new FakeDirectory();
  let open = (): void => undefined;
  let isOpen = new Promise<void>((resolve) => (open = resolve));
  const { courier, told } = startProfileCourier(t, directory, undefined, (board) => (board === 'shut' ? isOpen : undefined));
  await courier.told(ben.id);
  directory.pending = [profile(1, 'Ben', 'b1', 'b2'), profile(2, 'Ann', 'shut')];
  courier.wake();
  await courier.told('a user without boards');
  await courier.told(ben.id);
  t.strictSame(told, ['b1: Ben', 'b2: Ben', 'shut: Ann'], 'callers do not wait for other users');
  await courier.told(ann.id);
  t.equal(directory.pending.length, 1, 'after the deadline the caller is answered and the delivery goes on');
  open();
  isOpen = Promise.resolve();
  await courier.told(ann.id);
  t.equal(directory.pending.length, 0);
});

t.test('ACTOR34 a profile that changes during the last look of the courier is delivered', async (t) => {
  const directory = new FakeDirectory();
  const { courier, told, emptied } = startProfileCourier(t, directory);
  directory.after = (op) => {
    if (op !== 'profile.pending') return;
    directory.after = () => undefined;
    directory.pending = [profile(1, 'Ben', 'b1')];
    courier.wake();
  };
  courier.wake();
  await emptied();
  t.strictSame(told, ['b1: Ben']);
});

t.test('ACTOR35 a board that fails is retried, a missing board is skipped, and neither delays other boards', async (t) => {
  const directory = new FakeDirectory();
  const failures = new Map([['broken', 2]]);
  const { courier, told, log, emptied } = startProfileCourier(t, directory, (board) => {
    const left = failures.get(board) ?? 0;
    failures.set(board, left - 1);
    if (left > 0) return { ok: false, error: { code: 'unavailable', detail: 'the board is broken' } };
    return board === 'gone' ? { ok: false, error: { code: 'not_found', detail: 'gone' } } : { ok: true, json: null };
  });
  directory.pending = [profile(1, 'Ben', 'broken', 'gone', 'b1'), profile(2, 'Ann', 'b2')];
  courier.wake();
  await emptied();
  t.strictSame(told.slice(0, 4), ['broken: Ben', 'gone: Ben', 'b1: Ben', 'b2: Ann'], 'all in the first attempt');
  t.equal(told.filter((line) => line === 'broken: Ben').length, 3);
  t.equal(told.filter((line) => line === 'b2: Ann').length, 1, 'a confirmed delivery is not repeated');
  t.equal(log.length, 1, 'the trouble is logged once');
});

t.test('ACTOR35 boards that fail do not delay the boards behind them', async (t) => {
  const directory = new FakeDirectory();
  const { courier, told } = startProfileCourier(t, directory, (board) =>
    board === 'frozen' ? { ok: false, error: { code: 'unavailable', detail: 'frozen' } } : { ok: true, json: null },
  );
  const stuck = Array.from({ length: 50 }, (_, n): PendingProfile => {
    return { id: n + 1, user: { ...ann, id: `user ${n}`, firstname: 'Stuck' }, board_ids: ['frozen'] };
  });
  directory.pending = [...stuck, profile(51, 'Ben', 'b1')];
  const delivered = new Promise<number>((resolve) => {
    directory.before = (op, input) => {
      if (op === 'profile.delivered') resolve((input as { id: number }).id);
    };
  });
  courier.wake();
  t.equal(await delivered, 51);
  t.strictSame([told.length, told.at(-1)], [51, 'b1: Ben'], 'in the first round');
});

t.test('ACTOR53 after a delivery of an older profile the newer one is delivered', async (t) => {
  const directory = new FakeDirectory();
  const { courier, told, emptied } = startProfileCourier(t, directory);
  const outdated = profile(1, 'Ben', 'b1', 'b2');
  directory.pending = [outdated];
  // Another courier has already delivered this one, and it is no longer pending.
  directory.users.set(ben.id, { ...outdated.user, firstname: 'Benno' });
  courier.wake();
  await emptied();
  t.strictSame(told, ['b1: Ben', 'b2: Ben', 'b1: Benno', 'b2: Benno']);
});
