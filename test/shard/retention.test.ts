import t from 'tap';
import { bodyOf, command, ids, TestPartition } from '../support/store/faultyStorePartition.js';
import { takeOverIntervals } from '../support/manualIntervals.js';
import type { Uuid } from '../../src/domain/ids.js';

interface Page {
  readonly events: readonly { readonly seq: number; readonly type: string }[];
  readonly seq: number;
  readonly resync: boolean;
}

const DAY_MS = 86_400_000;

async function pageSince(partition: TestPartition, board: Uuid, since: number): Promise<Page> {
  return JSON.parse(bodyOf(await partition.ask('board.events', board, { since: { epoch: '0', seq: since } }))) as Page;
}

async function rename(partition: TestPartition, board: Uuid, times: number): Promise<void> {
  const titles = Array.from({ length: times }, (_, n) => ({ title: `title ${n}` }));
  await partition.askAll(titles.map((title) => command('board.update', board, title)));
}

t.test('CATCH6 missed events come from the log, a page at a time, without a gap', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  await rename(partition, board, 1_200);
  const seqs: number[] = [];
  let pages = 0;
  for (let page = await pageSince(partition, board, 0); page.events.length > 0; pages += 1) {
    t.match(page, { seq: 1_200, resync: false });
    seqs.push(...page.events.map(({ seq }) => seq));
    page = await pageSince(partition, board, seqs.at(-1) ?? 0);
  }
  t.strictSame(
    seqs,
    Array.from({ length: 1_200 }, (_, n) => n + 1),
  );
  t.ok(pages > 1, 'there was more than one page');
  t.strictSame(await pageSince(partition, board, 1_200), { events: [], seq: 1_200, resync: false });
  t.strictSame(await pageSince(partition, board, 1_201), { events: [], seq: 1_200, resync: true }, 'from the future');
  t.match(await partition.ask('board.events', ids.fresh(), { since: { epoch: '0', seq: 0 } }), { error: { code: 'not_found' } });
});

t.test('CATCH6 each board keeps its latest events, and a client that is further behind gets resync', async (t) => {
  const partition = new TestPartition(t, { retention: { events: 100, days: 7 } });
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  await rename(partition, other, 1);
  await rename(partition, board, 640);
  t.strictSame(await pageSince(partition, board, 0), { events: [], seq: 640, resync: true });
  t.strictSame(await pageSince(partition, board, 539), { events: [], seq: 640, resync: true });
  t.strictSame(
    (await pageSince(partition, board, 540)).events.map(({ seq }) => seq),
    Array.from({ length: 100 }, (_, n) => 541 + n),
  );
  t.match(await pageSince(partition, other, 0), { events: [{ seq: 1 }], resync: false }, 'other boards keep theirs');
});

t.test('CATCH6 old events are deleted in the background, and a client that lacks them gets resync', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const partition = new TestPartition(t, { retention: { events: 10_000, days: 7 } });
  const board = await partition.newBoard();
  await rename(partition, board, 3);
  partition.passTime(6 * DAY_MS);
  await rename(partition, board, 2);
  keepHouse();
  t.match(await pageSince(partition, board, 0), { resync: false }, 'younger than a week');
  partition.passTime(2 * DAY_MS);
  keepHouse();
  t.strictSame(await pageSince(partition, board, 0), { events: [], seq: 5, resync: true });
  t.match(await pageSince(partition, board, 3), { events: [{ seq: 4 }, { seq: 5 }], resync: false });
  t.strictSame(partition.errors, []);

  partition.passTime(8 * DAY_MS);
  keepHouse();
  t.match(await pageSince(partition, board, 4), { events: [], seq: 5, resync: true }, 'none is left');
  t.match(await pageSince(partition, board, 5), { events: [], seq: 5, resync: false }, 'and none is missed');
  await rename(partition, board, 1);
  t.match(await pageSince(partition, board, 5), { events: [{ seq: 6 }], resync: false }, 'the count goes on');
});

t.test('housekeeping that fails is logged and retried and affects no command', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  await rename(partition, board, 3);
  partition.passTime(8 * DAY_MS);
  const fault = new Error('disk full');
  partition.store.plant({ at: 'commit', error: fault, times: 1 });
  keepHouse();
  t.strictSame(partition.errors, [fault]);
  t.match(await pageSince(partition, board, 0), { resync: false }, 'nothing was deleted');
  await rename(partition, board, 1);
  keepHouse();
  t.match(await pageSince(partition, board, 2), { events: [], seq: 4, resync: true });
});
