import t, { type Test } from 'tap';
import { bodyOf, command, ids, TestStation } from '../support/store/faultyStoreStation.js';
import type { Uuid } from '../../src/domain/ids.js';

interface Page {
  readonly events: readonly { readonly seq: number; readonly type: string }[];
  readonly seq: number;
  readonly resync: boolean;
}

const DAY_MS = 86_400_000;
const NEVER_MS = 2 ** 30;

async function pageSince(station: TestStation, board: Uuid, since: number): Promise<Page> {
  return JSON.parse(bodyOf(await station.ask('board.events', board, { since }))) as Page;
}

async function rename(station: TestStation, board: Uuid, times: number): Promise<void> {
  const titles = Array.from({ length: times }, (_, n) => ({ title: `title ${n}` }));
  await station.askAll(titles.map((title) => command('board.update', board, title)));
}

/** What would happen at intervals happens when the returned function is called, and only then. */
function takeOverIntervals(t: Test): () => void {
  const works: Array<() => void> = [];
  const realSetInterval = globalThis.setInterval;
  t.intercept(globalThis, 'setInterval', {
    value: (work: () => void) => {
      works.push(work);
      return realSetInterval(() => undefined, NEVER_MS);
    },
  });
  return () => works.forEach((work) => work());
}

t.test('ACTOR16 whoever missed events is given them from the log, a page at a time and without a gap', async (t) => {
  const station = new TestStation(t);
  const board = await station.newBoard();
  await rename(station, board, 1_200);
  const seqs: number[] = [];
  let pages = 0;
  for (let page = await pageSince(station, board, 0); page.events.length > 0; pages += 1) {
    t.match(page, { seq: 1_200, resync: false });
    seqs.push(...page.events.map(({ seq }) => seq));
    page = await pageSince(station, board, seqs.at(-1) ?? 0);
  }
  t.strictSame(seqs, Array.from({ length: 1_200 }, (_, n) => n + 1));
  t.ok(pages > 1, 'there was more than one page');
  t.strictSame(await pageSince(station, board, 1_200), { events: [], seq: 1_200, resync: false });
  t.strictSame(await pageSince(station, board, 1_201), { events: [], seq: 1_200, resync: true }, 'from the future');
  t.match(await station.ask('board.events', ids.fresh(), { since: 0 }), { error: { code: 'not_found' } });
});

t.test('ACTOR17 of each board the latest events are kept, and who is further behind must read it anew', async (t) => {
  const station = new TestStation(t, { retention: { events: 100, days: 7 } });
  const [board, other] = [await station.newBoard(), await station.newBoard()];
  await rename(station, other, 1);
  await rename(station, board, 640);
  t.strictSame(await pageSince(station, board, 0), { events: [], seq: 640, resync: true });
  t.strictSame(await pageSince(station, board, 539), { events: [], seq: 640, resync: true });
  t.strictSame(
    (await pageSince(station, board, 540)).events.map(({ seq }) => seq),
    Array.from({ length: 100 }, (_, n) => 541 + n),
  );
  t.match(await pageSince(station, other, 0), { events: [{ seq: 1 }], resync: false }, 'other boards keep theirs');
});

t.test('ACTOR18 old events are forgotten in the background, and who lacks them must read the board anew', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const station = new TestStation(t, { retention: { events: 10_000, days: 7 } });
  const board = await station.newBoard();
  await rename(station, board, 3);
  station.passTime(6 * DAY_MS);
  await rename(station, board, 2);
  keepHouse();
  t.match(await pageSince(station, board, 0), { resync: false }, 'younger than a week');
  station.passTime(2 * DAY_MS);
  keepHouse();
  t.strictSame(await pageSince(station, board, 0), { events: [], seq: 5, resync: true });
  t.match(await pageSince(station, board, 3), { events: [{ seq: 4 }, { seq: 5 }], resync: false });
  t.strictSame(station.errors, []);

  station.passTime(8 * DAY_MS);
  keepHouse();
  t.match(await pageSince(station, board, 4), { events: [], seq: 5, resync: true }, 'none is left');
  t.match(await pageSince(station, board, 5), { events: [], seq: 5, resync: false }, 'and none is missed');
  await rename(station, board, 1);
  t.match(await pageSince(station, board, 5), { events: [{ seq: 6 }], resync: false }, 'the count goes on');
});

t.test('ACTOR19 housekeeping that fails is logged, tried again and disturbs nobody', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const station = new TestStation(t);
  const board = await station.newBoard();
  await rename(station, board, 3);
  station.passTime(8 * DAY_MS);
  const fault = new Error('disk full');
  station.store.plant({ at: 'commit', error: fault, times: 1 });
  keepHouse();
  t.strictSame(station.errors, [fault]);
  t.match(await pageSince(station, board, 0), { resync: false }, 'nothing was forgotten');
  await rename(station, board, 1);
  keepHouse();
  t.match(await pageSince(station, board, 2), { events: [], seq: 4, resync: true });
});
