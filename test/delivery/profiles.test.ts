import { pino } from 'pino';
import t, { type Test } from 'tap';
import { OutboxRelay } from '../../src/delivery/outboxRelay.js';
import { membershipDelivery } from '../../src/delivery/membershipDelivery.js';
import { notificationDelivery } from '../../src/delivery/notificationDelivery.js';
import { profileDelivery } from '../../src/delivery/profileDelivery.js';
import { WINDOW } from '../../src/delivery/sourceQueue.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import type { BoardOutcome } from '../../src/domain/commands/decide.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';
import { deletedUser, type PublicUser } from '../../src/domain/account/user.js';
import { door } from '../support/delivery/fakeOutbox.js';
import { ann, ben } from '../support/store/faultyStorePartition.js';

/** A directory and boards that answer only what the relay asks. */
class FakeService {
  /** `board: first name`, in order. */
  readonly refreshed: string[] = [];
  readonly confirmed: number[] = [];
  readonly log: string[] = [];
  readonly users = new Map<Uuid, PublicUser>();
  readonly boards = new Map<Uuid, readonly Uuid[]>();
  reminder: number | null = null;
  readonly relay: OutboxRelay;
  /** Called when a board has the profile. A refusal is the board's answer. */
  atBoard: (board: Uuid, user: PublicUser) => unknown = () => undefined;
  /** Called before the directory answers; may throw. */
  atDirectory: (op: string) => void = () => undefined;
  readonly #onConfirm: Array<() => void> = [];
  #latest = 0;

  constructor(t: Test) {
    const directory = { ask: async (op: string, input: object) => this.#answer(op, input) } as DirectoryPort;
    const boards = { ask: (command: BoardCommand) => this.#refresh(command) };
    const eventLog = { forgetEvents: async (board: Uuid, upTo: number) => void this.refreshed.push(`${board}: forgot ${upTo}`) };
    this.relay = new OutboxRelay({
      kinds: {
        membership: membershipDelivery(directory, {}),
        profile: profileDelivery({ directory, boards, eventLog }),
        notification: notificationDelivery(directory, {}),
        cardMove: notificationDelivery(directory, {}) as never,
      },
      confirm: async (_source, id) => {
        this.confirmed.push(id);
        for (const resolve of this.#onConfirm.splice(0)) resolve();
      },
      push: () => Promise.reject(new Error('the outbox is short')),
      log: pino({ level: 'warn' }, { write: (line: string) => void this.log.push(line) }),
    });
    t.teardown(() => this.relay.stop());
  }

  /** A committed change of a user who is on these boards. */
  change(user: PublicUser, ...boards: Uuid[]): void {
    this.users.set(user.id, user);
    this.boards.set(user.id, boards);
    this.push(user);
  }

  push(user: PublicUser): void {
    this.#latest += 1;
    this.relay.take({ source: 'directory', id: this.#latest, kind: 'profile', target: user.id, payload: { user } });
  }

  /** As an answer waits. */
  waitFor({ id }: PublicUser): Promise<void> {
    return this.relay.delivered({ kind: 'profile', source: 'directory', target: id });
  }

  async untilConfirmed(...ids: number[]): Promise<void> {
    while (!ids.every((id) => this.confirmed.includes(id))) await new Promise<void>((resolve) => this.#onConfirm.push(resolve));
  }

  #answer(op: string, input: object): unknown {
    this.atDirectory(op);
    if (op === 'user.get') return this.users.get((input as { id: Uuid }).id) ?? null;
    if (op === 'membership.list') return this.boards.get((input as { user_id: Uuid }).user_id) ?? [];
    if (op === 'noticeSettings.reminder') return this.reminder;
    if (op === 'user.deletion') {
      const id = (input as { user: Uuid }).user;
      return { id, heir: null, isPending: true, board_ids: this.boards.get(id) ?? [] };
    }
    throw new Error(`${op} is not asked for a profile`);
  }

  /** A board needs two steps. */
  async #erase(target: Uuid, { user_id }: { readonly user_id: Uuid }): Promise<BoardOutcome> {
    const steps = this.refreshed.filter((text) => text.startsWith(`${target}: erased`)).length;
    this.refreshed.push(`${target}: erased ${steps + 1}`);
    try {
      await this.atBoard(target, deletedUser(user_id));
      return { ok: true, json: JSON.stringify({ state: steps === 0 ? 'more' : 'gone', seq: 7 + steps }) };
    } catch (error) {
      return { ok: false, error: (error as AppError).toData() };
    }
  }

  async #refresh({ op, caller, target, input }: BoardCommand): Promise<BoardOutcome> {
    if (op === 'member.erase' && caller === 'system') return this.#erase(target, input as { user_id: Uuid });
    if (op !== 'member.refresh' || caller !== 'system') throw new Error(`${op} is not asked for a profile`);
    const { user, reminder_minutes } = input as { user: PublicUser; reminder_minutes: number | null };
    this.refreshed.push(`${target}: ${user.firstname}${reminder_minutes === null ? '' : ` ${reminder_minutes}`}`);
    try {
      await this.atBoard(target, user);
      return { ok: true, json: null };
    } catch (error) {
      return { ok: false, error: (error as AppError).toData() };
    }
  }
}

const named = (user: PublicUser, firstname: string): PublicUser => ({ ...user, firstname });
const away = (board: string): AppError => new AppError('unavailable', `${board} is away`);

t.test('REMIND1 when a user wants to be reminded comes with the profile, and a change meanwhile with another pass', async (t) => {
  const service = new FakeService(t);
  service.reminder = 60;
  service.atBoard = () => (service.reminder = 30);
  service.change(named(ben, 'Ben'), 'b1', 'b2');
  await service.waitFor(ben);
  t.strictSame(service.refreshed, ['b1: Ben 60', 'b2: Ben 60', 'b1: Ben 30', 'b2: Ben 30']);
});

t.test('MEMBER9 a changed profile reaches every board of its user, one after another, and is then confirmed', async (t) => {
  const service = new FakeService(t);
  let open = 0;
  service.atBoard = async () => {
    open += 1;
    t.equal(open, 1, 'one board at a time');
    await new Promise(setImmediate);
    open -= 1;
    t.strictSame(service.confirmed, []);
  };
  service.change(named(ben, 'Ben'), 'b1', 'b2', 'b3');
  await service.waitFor(ben);
  t.strictSame(service.refreshed, ['b1: Ben', 'b2: Ben', 'b3: Ben']);
  t.strictSame(service.confirmed, [1]);
  service.atBoard = () => undefined;
  service.change(named(ben, 'Benno'));
  await service.waitFor(ben);
  t.strictSame([service.refreshed.length, service.confirmed], [3, [1, 2]], 'a user without boards has no copies');
});

t.test('MEMBER9 an answer waits for its user alone, and after a while no longer', async (t) => {
  const service = new FakeService(t);
  const { passed, open } = door();
  service.atBoard = (board) => (board === 'shut' ? passed : undefined);
  await service.waitFor(ben);
  service.change(named(ann, 'Ann'), 'shut');
  service.change(named(ben, 'Ben'), 'b1');
  await service.waitFor(ben);
  t.strictSame(service.confirmed, [2], 'others are not waited for');
  await service.waitFor(ann);
  t.strictSame(service.confirmed, [2], 'after the deadline the caller is answered and the delivery goes on');
  open();
  await service.waitFor(ann);
  t.strictSame(service.confirmed, [2, 1]);
});

t.test('MEMBER9 a profile that changes during its delivery is delivered', async (t) => {
  const service = new FakeService(t);
  let isFirst = true;
  service.atBoard = () => {
    if (isFirst) service.change(named(ben, 'Benno'), 'b1', 'b2');
    isFirst = false;
  };
  service.change(named(ben, 'Ben'), 'b1', 'b2');
  await service.waitFor(ben);
  t.strictSame(service.refreshed.slice(-2), ['b1: Benno', 'b2: Benno']);
  t.strictSame(service.confirmed, [1, 2]);
});

t.test('MEMBER9 a board that fails is tried again, a missing one is not, and neither delays the others', async (t) => {
  const service = new FakeService(t);
  let failures = 2;
  service.atBoard = (board) => {
    if (board === 'gone') throw new AppError('not_found', 'gone');
    if (board === 'broken' && (failures -= 1) >= 0) throw away(board);
  };
  service.change(named(ben, 'Ben'), 'broken', 'gone', 'b1');
  service.change(named(ann, 'Ann'), 'b2');
  await service.untilConfirmed(1, 2);
  t.strictSame(service.refreshed.slice(0, 4).sort(), ['b1: Ben', 'b2: Ann', 'broken: Ben', 'gone: Ben'], 'all in the first attempt');
  t.equal(service.refreshed.filter((line) => line === 'broken: Ben').length, 3);
  t.equal(service.refreshed.filter((line) => line === 'b2: Ann').length, 1, 'what arrived is not delivered again');
  t.equal(service.log.length, 1, 'the trouble is logged once');
});

t.test('MEMBER9 however many users have a board that fails, the users behind them are served', async (t) => {
  const service = new FakeService(t);
  service.atBoard = (board) => {
    if (board === 'frozen') throw away(board);
  };
  for (let n = 0; n < 50; n += 1) service.change({ ...ann, id: `user ${n}`, firstname: 'Stuck' }, 'frozen');
  service.change(named(ben, 'Ben'), 'b1');
  await service.untilConfirmed(51);
  t.equal(service.refreshed.length, 51, 'in the first round');
});

t.test('MEMBER9 after an outdated profile the relay delivers the current one', async (t) => {
  const service = new FakeService(t);
  // The directory has moved, and another relay has delivered this one.
  service.users.set(ben.id, named(ben, 'Benno'));
  service.boards.set(ben.id, ['b1', 'b2']);
  service.push(named(ben, 'Ben'));
  await service.untilConfirmed(1);
  t.strictSame(service.refreshed, ['b1: Ben', 'b2: Ben', 'b1: Benno', 'b2: Benno']);
});

t.test('MEMBER9 an attempt that is repeated carries the current profile', async (t) => {
  const service = new FakeService(t);
  service.users.set(ben.id, named(ben, 'Benno'));
  service.boards.set(ben.id, ['b1', 'b2']);
  let isAway = true;
  service.atBoard = (board) => {
    if (board === 'b2' && isAway) throw away(board);
  };
  service.atDirectory = (op) => {
    if (op === 'user.get') isAway = false;
  };
  service.push(named(ben, 'Ben'));
  await service.untilConfirmed(1);
  t.strictSame(service.refreshed, ['b1: Ben', 'b2: Ben', 'b1: Benno', 'b2: Benno'], 'the outdated one is not delivered again');
});

t.test('DEL1 a deleted user is taken off every board; a board that fails delays no other and is visited again', async (t) => {
  const service = new FakeService(t);
  const failures = ['b2'];
  service.atBoard = (board) => {
    if (board === 'gone') throw new AppError('not_found', 'Board not found');
    if (failures.includes(board)) throw away(failures.pop() ?? '');
  };
  service.boards.set(ben.id, ['b1', 'b2', 'gone', 'b3']);
  service.push(deletedUser(ben.id));
  await service.untilConfirmed(1);
  t.strictSame(service.refreshed.slice(0, 8), [
    'b1: erased 1',
    'b1: erased 2',
    'b1: forgot 8',
    'b2: erased 1',
    'gone: erased 1',
    'b3: erased 1',
    'b3: erased 2',
    'b3: forgot 8',
  ]);
  t.ok(service.refreshed.includes('b2: forgot 8'), 'and the one that failed, in the second attempt');
});

t.test('DEL3 a profile that is delivered while its user is deleted does not stay on the boards', async (t) => {
  const service = new FakeService(t);
  service.atBoard = () => void service.users.delete(ben.id);
  service.change(named(ben, 'Ben'), 'b1');
  await service.untilConfirmed(1);
  t.strictSame(service.refreshed, ['b1: Ben', 'b1: erased 1', 'b1: erased 2', 'b1: forgot 8']);
});

/** Users who change their names again whenever one of their boards has shown them, up to a number of visits. */
function startRenaming(service: FakeService, users: number, boardsOfEach: number, maxVisits: number): { visits(): number; stop(): void } {
  const attackers = Array.from({ length: users }, (_, n): PublicUser => ({ ...ann, id: `attacker ${n}` }));
  const boardsOf = ({ id }: PublicUser): Uuid[] => Array.from({ length: boardsOfEach }, (_, n) => `board ${n} of ${id}`);
  let visits = 0;
  let isOver = false;
  service.atBoard = async (board) => {
    await new Promise(setImmediate);
    const attacker = attackers.find(({ id }) => board.endsWith(` of ${id}`));
    if (attacker === undefined) return;
    visits += 1;
    if (!isOver && visits < maxVisits) service.change(named(attacker, `Name ${visits}`), ...boardsOf(attacker));
  };
  for (const attacker of attackers) service.change(named(attacker, 'First'), ...boardsOf(attacker));
  return { visits: () => visits, stop: () => (isOver = true) };
}

t.test('HOSTILE46 between two boards of a user, every other user who changes names gets one board', async (t) => {
  const service = new FakeService(t);
  const [users, boards] = [20, 30];
  // Without an end the old loop would never let go of its place.
  const attack = startRenaming(service, users, boards, 4_000);
  await new Promise(setImmediate);
  const before = attack.visits();
  service.change(named(ben, 'Ben'), 'b1', 'b2', 'b3');
  await service.untilConfirmed(users + 1);
  const between = attack.visits() - before;
  t.strictSame(
    service.refreshed.filter((text) => text.endsWith(': Ben')),
    ['b1: Ben', 'b2: Ben', 'b3: Ben'],
  );
  // Three boards and the look at the directory, and those that were under way.
  t.ok(between <= 4 * users + 8, `${between} boards of others were visited meanwhile`);
  attack.stop();
});

t.test('HOSTILE46 a user who changes names all the time reaches every board, pass by pass', async (t) => {
  const service = new FakeService(t);
  const attack = startRenaming(service, 1, 50, 400);
  const latest = (): string => service.users.get('attacker 0')?.firstname ?? '';
  await service.waitFor({ ...ann, id: 'attacker 0' });
  const shown = service.refreshed.slice(-50);
  t.strictSame(
    shown.map((text) => text.split(': ')[1]),
    shown.map(latest),
    'at last all show the latest name',
  );
  t.ok(
    service.refreshed.slice(0, 50).every((text) => text.endsWith(': First')),
    'a pass is not cut short by a newer name',
  );
  attack.stop();
});

t.test('DEL1 a deletion does not wait for changed names, even if they hold all their places', async (t) => {
  const service = new FakeService(t);
  const { passed, open } = door();
  service.atBoard = (board) => (board === 'shut' ? passed : undefined);
  for (let n = 0; n < 50; n += 1) service.change({ ...ann, id: `attacker ${n}` }, 'shut');
  service.boards.set(ben.id, ['b1', 'b2']);
  service.push(deletedUser(ben.id));
  await service.waitFor(ben);
  t.strictSame(service.confirmed, [51]);
  t.ok(service.refreshed.includes('b2: forgot 8'));
  open();
});

t.test('DEL1 a deletion is taken although more entries wait than memory holds', async (t) => {
  const service = new FakeService(t);
  const { passed, open } = door();
  service.atBoard = (board) => (board === 'shut' ? passed : undefined);
  for (let n = 0; n < WINDOW + 10; n += 1) service.change({ ...ann, id: `attacker ${n}` }, 'shut');
  service.boards.set(ben.id, ['b1']);
  service.push(deletedUser(ben.id));
  await service.waitFor(ben);
  t.strictSame(service.confirmed, [WINDOW + 11]);
  open();
});

t.test('DEL1 a user whose changed name is under way, or waits for its turn, is erased at once', async (t) => {
  const service = new FakeService(t);
  const { passed, open } = door();
  const boards = Array.from({ length: 100 }, (_, n) => `b${n}`);
  const erase = (): void => {
    service.users.delete(ben.id);
    service.push(deletedUser(ben.id));
  };
  service.atBoard = (board) => {
    if (board === 'shut') return passed;
    if (board === 'b1' && service.users.has(ben.id)) erase();
  };
  service.change(named(ben, 'Ben'), ...boards);
  await service.untilConfirmed(1, 2);
  t.strictSame(service.refreshed.slice(0, 4), ['b0: Ben', 'b1: Ben', 'b0: erased 1', 'b0: erased 2']);

  service.refreshed.length = 0;
  for (let n = 0; n < 4; n += 1) service.change({ ...ann, id: `attacker ${n}` }, 'shut');
  service.change(named(ben, 'Benno'), 'b0');
  await new Promise(setImmediate);
  erase();
  await service.waitFor(ben);
  t.strictSame(service.confirmed.slice(2).sort(), [7, 8], 'the name has not waited for a place');
  t.notMatch(service.refreshed, /Benno/);
  open();
});
