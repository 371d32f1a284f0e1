import t from 'tap';
import { AskQueue } from '../../src/partitions/runtime/askQueue.js';
import type { Ask } from '../../src/partitions/messages.js';
import { Turns } from '../../src/flow/turns.js';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { boardKeyOf } from '../../src/domain/ids.js';
import { planned } from '../support/board/plannedBoard.js';
import { ann, bodyOf, command, TestPartition } from '../support/store/faultyStorePartition.js';
import { until } from '../support/until.js';

function ask(id: number): Ask {
  return { id, partition: 'shard 0', command: { kind: 'presence.list', board_id: '' } };
}

function takeAll(queue: AskQueue): number[] {
  const taken: number[] = [];
  for (let next = queue.next(); next !== null; next = queue.next()) taken.push(next.ask.id);
  return taken;
}

t.test('COMMIT54 the asks of a board keep their order, and the boards take turns', async (t) => {
  const queue = new AskQueue();
  for (const id of [1, 2, 3]) queue.push('a', ask(id));
  for (const id of [4, 5]) queue.push('b', ask(id));
  queue.push('c', ask(6));
  t.strictSame(takeAll(queue), [1, 4, 6, 2, 5, 3]);
});

t.test('COMMIT54 what comes while a long command of a board runs goes before the next of that board', async (t) => {
  const queue = new AskQueue();
  for (const id of [1, 2]) queue.push('a', ask(id));
  t.equal(queue.next()?.ask.id, 1);
  queue.push('b', ask(3));
  queue.push('a', ask(4));
  t.strictSame(takeAll(queue), [3, 2, 4]);
});

t.test('COMMIT54 an ask that is put back is the next one', async (t) => {
  const queue = new AskQueue();
  queue.push('a', ask(1));
  queue.push('b', ask(2));
  const first = queue.next();
  if (first === null) throw new Error('the queue gave out nothing');
  queue.putBack(first.key, first.ask);
  queue.push('c', ask(3));
  t.strictSame(takeAll(queue), [1, 2, 3]);
});

t.test('COMMIT54 a board on hold keeps its asks, and other boards continue', async (t) => {
  const queue = new AskQueue();
  for (const id of [1, 2]) queue.push('a', ask(id));
  queue.push('b', ask(3));
  const first = queue.next();
  if (first === null) throw new Error('the queue gave out nothing');
  queue.hold(first.key, first.ask);
  t.strictSame(takeAll(queue), [3]);
  t.ok(queue.has('a'));
  t.notOk(queue.isWaiting);
  queue.release('a');
  t.strictSame(takeAll(queue), [1, 2]);
});

t.test('COMMIT54 between long commands of one board, commands of other boards run', async (t) => {
  let time = 0;
  // Each look at the clock is three milliseconds after the last: a turn is over after a few commands.
  const partition = new TestPartition(t, { monotonic: () => (time += 3) });
  const [busy, quiet] = [await partition.newBoard(), await partition.newBoard()];
  const answered = (): number => partition.replied.length;
  const before = answered();
  const rename = (n: number) => command('board.update', busy, { title: `Title ${n}` });
  const many = partition.askAll(Array.from({ length: 30 }, (_, n) => rename(n)));
  t.ok(answered() - before < 30, 'not all of them ran in one turn');
  const one = partition.ask('board.get', quiet, {});
  t.ok(answered() - before < 30, 'nor when another board was asked');
  await one;
  t.ok(answered() - before < 30, 'whose answer came before the last of them');
  t.ok((await many).every(({ ok }) => ok));
  t.match(bodyOf(await partition.ask('board.get', busy, {})), /"title":"Title 29"/, 'in their order');
});

t.test('COMMIT54 nobody waits for two long commands of one board', async (t) => {
  let time = 0;
  let isLong = false;
  const partition = new TestPartition(t, { monotonic: () => (time += isLong ? 100 : 1) });
  const [busy, quiet] = [await partition.newBoard(), await partition.newBoard()];
  const before = partition.replied.length;
  isLong = true;
  const many = partition.askAll(Array.from({ length: 4 }, (_, n) => command('board.update', busy, { title: `Title ${n}` })));
  t.equal(partition.replied.length - before, 1, 'a batch ends after a long command');
  isLong = false;
  const one = partition.ask('board.get', quiet, {});
  while (partition.replied.length - before < 2) await new Promise(setImmediate);
  t.equal(partition.replied.length - before, 2, 'the next one joins no batch in which others wait');
  await Promise.all([one, many]);
});

t.test('of work in steps, one step runs in a turn of the event loop', async (t) => {
  const turns = new Turns();
  const steps: string[] = [];
  const work = (name: string, left: number): void => {
    steps.push(name);
    if (left > 1) turns.add(() => work(name, left - 1));
  };
  turns.add(() => work('a', 3));
  turns.add(() => work('b', 2));
  turns.add(() => {
    throw new Error('a step that fails');
  });
  const failed = new Promise((resolve) => process.once('uncaughtException', resolve));
  const seen: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    await new Promise(setImmediate);
    seen.push(steps.length);
  }
  t.match(await failed, { message: 'a step that fails' });
  t.strictSame(steps, ['a', 'b', 'a', 'b', 'a'], 'in turn');
  t.ok(
    seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 1),
    'never two at once',
  );
});

t.test('COMMIT7 an import is written in slices, and the board does not exist before the last slice', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(1_000);
  const plan = cutIntoSlices(board, changes);
  t.ok(plan.slices.length >= 4);
  const importing = partition.send([{ kind: 'import', plan }]);
  t.match(await partition.ask('board.get', board, {}), { ok: false, error: { code: 'not_found' } });
  const again = await partition.send([{ kind: 'import', plan }]);
  t.match(again, [{ ok: true, value: { outcome: { ok: false, error: { code: 'conflict' } } } }]);
  t.match(await importing, [{ ok: true, value: { outcome: { ok: true }, outboxId: 1 } }]);
  t.match(partition.notices, [
    { kind: 'outbox.page' },
    { kind: 'board.changed' },
    { kind: 'outbox', entry: { id: 1, payload: { board_id: board, members: [{ user_id: ann.id }] } } },
  ]);
  const full = JSON.parse(bodyOf(await partition.ask('board.get', board, {}))) as { columns: { cards: unknown[] }[] };
  t.equal(full.columns[0]?.cards.length, 1_000);
});

t.test('COMMIT7 an import that fails leaves no board, and its rows are swept', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(1_000);
  const plan = cutIntoSlices(board, changes);
  let commits = 0;
  partition.store.plant({ at: 'commit', error: new Error('the disk is broken'), when: () => (commits += 1) > 2 });
  t.match(await partition.send([{ kind: 'import', plan }]), [{ ok: false }]);
  partition.store.repair();
  t.match(await partition.ask('board.get', board, {}), { ok: false, error: { code: 'not_found' } });
  const key = boardKeyOf(board);
  t.ok(partition.store.orphans.has(key), 'the written rows are marked as belonging to no board');
  const notInUse = (): boolean => false;
  while (!partition.store.orphans.isSwept(notInUse)) {
    partition.store.begin();
    partition.store.orphans.sweep(notInUse, '2030-01-01T00:00:00.000Z');
    partition.store.commit();
  }
  t.match(await partition.send([{ kind: 'import', plan }]), [{ ok: true, value: { outcome: { ok: true } } }], 'a new try');
});

t.test('the answer and the events of a large board keep their order', async (t) => {
  let time = 0;
  const partition = new TestPartition(t, { monotonic: () => (time += 3) });
  const { board, changes } = planned(3_000);
  await partition.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]);
  const column = changes.find(({ kind }) => kind === 'column');
  if (column?.kind !== 'column' || !('put' in column)) throw new Error('the plan has no column');
  const rename = (title: string) => command('column.update', column.put.id, { title });
  const before = partition.replied.length;
  const renamed = partition.askAll([rename('first'), rename('second'), command('board.update', board, { title: 'last' })]);
  t.equal(partition.replied.length, before, 'nothing has left yet');
  const outcomes = await renamed;
  t.match(
    outcomes.map(bodyOf).map((text) => text.slice(0, 300)),
    [/"first"/, /"second"/, /"last"/],
  );
  t.match(outcomes, [{ bytes: Uint8Array }, { bytes: Uint8Array }, {}], 'large ones as bytes');
  const events = partition.notices.flatMap((notice) => (notice.kind === 'board.events' ? notice.events : []));
  t.strictSame(
    events.map(({ seq, type }) => [seq, type]),
    [
      [1, 'column.updated'],
      [2, 'column.updated'],
      [3, 'board.updated'],
    ],
  );
  t.match(
    await partition.send([{ kind: 'events.read', board_id: board, since: { epoch: '0', seq: 0 } }]),
    [{ ok: true, value: { resync: true, seq: 3, events: [] } }],
    'the log has no more than a stub of them',
  );

  partition.store.countOf('commit');
  const last = partition.askAll([rename('third')]);
  await until(() => partition.store.countOf('commit') > 0);
  partition.restart();
  t.match(
    (await last).map((outcome) => outcome.ok),
    [true],
    'what is on disk is answered before the partition closes',
  );
});
