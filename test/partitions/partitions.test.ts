import t from 'tap';
import { NotServedHere, notServed, OutcomeUnknown, unanswered, type AskPort } from '../../src/partitions/askPort.js';
import { Partitions } from '../../src/partitions/partitions.js';
import type { Whereabouts } from '../../src/partitions/ownership.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import { DIRECTORY_EFFECTS } from '../../src/domain/directory/decide.js';
import type { Effect } from '../../src/domain/commands/steps/effect.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import type { DirectoryOperation } from '../../src/domain/commands/directoryCommands.js';
import { cutIntoSlices, memoryOfSlices } from '../../src/domain/document/boardPlan.js';
import { AppError } from '../../src/domain/errors.js';
import type { Change } from '../../src/domain/model.js';
import { rejectionOf } from '../support/rejection.js';

const SHARD = 'shard 3';
const READ: PartitionCommand = { kind: 'presence.list', board_id: 'b' };
const WRITE: PartitionCommand = { kind: 'board', command: { op: 'board.update', caller: 'system', target: 'b', input: { title: 'New' } } };

/** Returns its next outcome at each ask, and repeats the last. */
class ScriptedPartitions implements AskPort {
  asked = 0;
  readonly #outcomes: Array<string | Error>;

  constructor(...outcomes: Array<string | Error>) {
    this.#outcomes = outcomes;
  }

  async ask(): Promise<unknown> {
    const outcome = this.#outcomes[Math.min(this.asked, this.#outcomes.length - 1)];
    this.asked += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }
}

function route(
  places: readonly Whereabouts[],
  remote = new ScriptedPartitions('remote'),
  local = new ScriptedPartitions('local'),
): { router: Partitions; local: ScriptedPartitions; remote: ScriptedPartitions } {
  let looks = 0;
  const locate = (): Whereabouts => {
    looks += 1;
    return places[Math.min(looks, places.length) - 1] ?? 'moving';
  };
  return { router: routerOf(local, remote, locate), local, remote };
}

function routerOf(local: AskPort, remote: AskPort, locate: () => Whereabouts): Partitions {
  return new Partitions({
    local: { threadOf: () => local },
    deliveries: { delivered: async () => undefined },
    isReplicated: false,
    peers: { ask: (partition, command) => remote.ask(partition, command), locate },
    gate: null,
  });
}

t.test('CLUSTER6 an ask goes to the owner of the partition', async (t) => {
  t.equal(await route(['here']).router.ask(SHARD, WRITE), 'local');
  t.equal(await route(['elsewhere']).router.ask(SHARD, WRITE), 'remote');
});

t.test('CLUSTER6 an ask waits out a move and sends nothing meanwhile', async (t) => {
  const { router, remote, local } = route(['moving', 'moving', 'moving', 'moving', 'elsewhere']);
  t.equal(await router.ask(SHARD, WRITE), 'remote');
  t.strictSame([remote.asked, local.asked], [1, 0]);
});

async function asked(router: AskPort, partition: PartitionName, command: PartitionCommand): Promise<unknown> {
  return router.ask(partition, command);
}

t.test('CLUSTER6 an ask follows a partition that left during the ask', async (t) => {
  const local = new ScriptedPartitions(notServed(SHARD));
  const { router } = route(['here', 'elsewhere'], new ScriptedPartitions(notServed(SHARD), 'remote'), local);
  t.equal(await router.ask(SHARD, WRITE), 'remote');
  t.equal(local.asked, 1);
});

t.test('CLUSTER6 an ask to a partition out of reach is answered at once', async (t) => {
  const { router, remote } = route(['out of reach']);
  await t.rejects(asked(router, SHARD, WRITE), { code: 'unavailable', retryAfter: 1 });
  t.equal(remote.asked, 0);
  const going = route(['elsewhere', 'out of reach'], new ScriptedPartitions(notServed(SHARD)));
  t.ok((await rejectionOf(asked(going.router, SHARD, WRITE))) instanceof NotServedHere);
  t.equal(going.remote.asked, 1);
});

t.test('CLUSTER8 a change with an unknown outcome is not sent again; a read is', async (t) => {
  const writing = route(['elsewhere'], new ScriptedPartitions(unanswered(SHARD), 'twice'));
  t.ok((await rejectionOf(asked(writing.router, SHARD, WRITE))) instanceof OutcomeUnknown);
  t.equal(writing.remote.asked, 1);
  const reading = route(['elsewhere'], new ScriptedPartitions(unanswered(SHARD), 'read'));
  t.equal(await reading.router.ask(SHARD, READ), 'read');
});

t.test('CLUSTER62 a chunk of an upload whose outcome is unknown is sent again', async (t) => {
  const { router, remote } = route(['elsewhere'], new ScriptedPartitions(unanswered(SHARD), 'stored'));
  t.equal(await router.ask(SHARD, { kind: 'upload.append', id: 'a', n: 1, bytes: new Uint8Array(1) }), 'stored');
  t.equal(remote.asked, 2);
});

t.test('CLUSTER8 a board or directory command whose outcome is unknown is sent again unless it is a write', async (t) => {
  const boardCommand = (op: string): PartitionCommand =>
    ({ kind: 'board', command: { op, caller: 'system', target: 'b', input: {} } }) as PartitionCommand;
  const asks: Array<[op: string, effect: Effect, command: PartitionCommand]> = [
    ...Object.entries(HANDLERS).map(([op, { effect }]) => [op, effect, boardCommand(op)] as [string, Effect, PartitionCommand]),
    ...Object.entries(DIRECTORY_EFFECTS).map(
      ([op, effect]) => [op, effect, { op, input: {} } as PartitionCommand] as [string, Effect, PartitionCommand],
    ),
  ];
  await Promise.all(
    asks.map(async ([op, effect, command]) => {
      const { router, remote } = route(['elsewhere'], new ScriptedPartitions(unanswered(SHARD), 'answer'));
      const answer = await asked(router, SHARD, command).catch(String);
      t.equal(remote.asked, effect === 'write' ? 1 : 2, op);
      t.equal(answer === 'answer', effect !== 'write', op);
    }),
  );
});

/** `again`: nothing, or nothing more, changes the second time. The type demands an entry for every operation. */
const DIRECTORY_OPERATIONS: Readonly<Record<DirectoryOperation, 'again' | 'once'>> = {
  'user.create': 'once',
  'setup.offer': 'again',
  'setup.read': 'again',
  'setup.check': 'again',
  'setup.create': 'once',
  'user.rename': 'once',
  'user.mayRename': 'again',
  'user.get': 'again',
  'user.findForLogin': 'again',
  'user.findByEmail': 'again',
  'user.getWithHash': 'again',
  'user.search': 'again',
  'user.sharesBoard': 'again',
  'user.delete': 'again',
  'user.deletion': 'again',
  'notification.add': 'again',
  'notification.list': 'again',
  'notification.read': 'again',
  'noticeMail.take': 'once',
  'noticeMail.postpone': 'again',
  'noticeMail.read': 'again',
  'noticeSettings.get': 'again',
  'noticeSettings.put': 'again',
  'noticeSettings.reminder': 'again',
  'noticeSettings.unsubscribe': 'again',
  'invitation.create': 'again',
  'invitation.list': 'again',
  'invitation.find': 'again',
  'invitation.use': 'once',
  'invitation.remove': 'once',
  'user.update': 'once',
  'user.configure': 'once',
  'user.redeem': 'once',
  once: 'again',
  'once.find': 'again',
  'user.inactive': 'again',
  'user.missing': 'again',
  'session.create': 'again',
  'session.refresh': 'again',
  'session.endReason': 'again',
  'session.list': 'again',
  'session.end': 'again',
  'session.endOthers': 'again',
  'session.seen': 'again',
  'session.live': 'again',
  'key.create': 'again',
  'key.find': 'again',
  'key.list': 'again',
  'key.remove': 'once',
  'token.spend': 'once',
  'factor.get': 'again',
  'factor.begin': 'again',
  'factor.confirm': 'once',
  'factor.prove': 'once',
  'factor.renewCodes': 'once',
  'factor.remove': 'once',
  'audit.add': 'again',
  'audit.list': 'again',
  'identity.enter': 'once',
  'membership.apply': 'again',
  'membership.list': 'again',
  'board.reserve': 'again',
  'trash.list': 'again',
  'trash.find': 'again',
  'board.wasDeleted': 'again',
  'board.release': 'again',
  'grant.reserve': 'once',
  'grant.release': 'once',
  'outbox.push': 'again',
  'outbox.delivered': 'again',
  stats: 'again',
  'health.check': 'again',
  'users.lease': 'again',
};

t.test('CLUSTER8 every read of the directory is sent again, and a command that would count twice is not', async (t) => {
  for (const [op, expected] of Object.entries(DIRECTORY_OPERATIONS)) {
    const { router, remote } = route(['elsewhere'], new ScriptedPartitions(unanswered('directory'), 'second answer'));
    const command = { op, input: {} } as unknown as PartitionCommand;
    await asked(router, 'directory', command).catch((error: unknown) => t.ok(error instanceof OutcomeUnknown, op));
    t.equal(remote.asked === 2 ? 'again' : 'once', expected, op);
  }
});

t.test('CLUSTER8 every answer of the partition is final', async (t) => {
  for (const code of ['conflict', 'unavailable', 'internal'] as const) {
    const { router, remote } = route(['elsewhere'], new ScriptedPartitions(new AppError(code, 'no'), 'twice'));
    await t.rejects(asked(router, SHARD, READ), { code });
    t.equal(remote.asked, 1, code);
  }
});

t.test('CLUSTER6 the router stops retrying after its deadline', async (t) => {
  const { router, remote } = route(['elsewhere'], new ScriptedPartitions(notServed(SHARD)));
  t.ok((await rejectionOf(asked(router, SHARD, WRITE))) instanceof NotServedHere);
  t.ok(remote.asked > 10, 'after many attempts');
});

t.test('COMMIT27 an import that a thread took and did not carry out is not asked again, because its memory went with it', async (t) => {
  const plan = cutIntoSlices('b', [{ kind: 'label', put: { id: 'l', name: 'Label', color: null } } as unknown as Change]);
  const command: PartitionCommand = { kind: 'import', plan };
  let asked = 0;
  const local: AskPort = {
    ask: async () => {
      asked += 1;
      // The first attempt comes while the partition moves: nothing was sent.
      if (asked === 2) structuredClone(plan, { transfer: memoryOfSlices(plan) });
      throw notServed(SHARD);
    },
  };
  const router = routerOf(local, local, () => 'here');
  t.ok((await rejectionOf(router.ask(SHARD, command))) instanceof NotServedHere, 'the client is told to try again');
  t.equal(asked, 2);
});
