/** The browser application in a real Chromium: what a change by somebody else, a drag and an open board at rest cost, and what a visit loads. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { BROWSER_FLAGS, findChromium } from '../../test/support/service/chromium.js';
import { BrowserPage, measureVisit } from '../processes/browserPage.js';
import type { Figures } from '../results.js';
import { Account } from './account.js';
import { requestJson } from './jsonRequest.js';
import type { Group, Lane, Round } from './scenario.js';

const SIZES = [50, 5_000];
/** So that both sizes fill the screen: what differs is only what nobody sees. */
const COLUMNS = 3;
/** Each change gets frames of its own, also for the way that its cards glide. */
const PACE_MS = 40;
const LEAST_SECONDS = 2;
const DRAG_STEPS = 20;
const SETTLING_MS = 1_000;

interface OpenBoard {
  readonly id: string;
  readonly size: number;
  readonly account: Account;
  readonly browserPage: BrowserPage;
  readonly columns: readonly string[];
  /** On the screen. */
  readonly card: string;
}

export const web: Group = {
  name: 'web',
  summary: 'the browser application: script time of a change and at rest, frames missed while dragging, size and requests of a first visit',
  async prepare(stage) {
    const found = await findChromium();
    if ('missing' in found) {
      stage.note(`no scenarios in a browser: ${found.missing}`);
      return [];
    }
    const contestant = await stage.start('switchboard');
    const browser = await chromium.launch({ executablePath: found.path, args: [...BROWSER_FLAGS] });
    stage.onClear(() => browser.close());
    const boards: OpenBoard[] = [];
    for (const size of SIZES) {
      const account = await Account.open(contestant.url);
      const { id } = await importBoard(account, size);
      const { columns } = await account.get<{ columns: ReadonlyArray<{ id: string; cards: ReadonlyArray<{ id: string }> }> }>(`/boards/${id}`);
      const browserPage = await BrowserPage.open(browser, account, id);
      boards.push({ id, size, account, browserPage, columns: columns.map((column) => column.id), card: columns[0]?.cards[1]?.id ?? '' });
    }
    const lanes = (measure: (board: OpenBoard, seconds: number) => Promise<Figures>): Lane[] =>
      boards.map((board) => ({
        contestant: contestant.name,
        process: board,
        variant: `${board.size.toLocaleString('en')} cards`,
        x: board.size,
        measure: async (seconds): Promise<Round> => ({ figures: await measure(board, seconds), latency: [], problems: [] }),
      }));
    const visit = async ({ account, id }: OpenBoard): Promise<Figures> => ({ rate: 1, ...(await measureVisit(browser, account, id)) });
    const common = { speedBy: 'none', leastSeconds: LEAST_SECONDS } as const;
    return [
      {
        name: 'rename',
        title: 'somebody else renames a card on the screen',
        operation: 'change',
        ...common,
        lanes: lanes((board, seconds) => changes(board, seconds, rename)),
      },
      {
        name: 'move',
        title: 'somebody else moves a card on the screen',
        operation: 'change',
        ...common,
        lanes: lanes((board, seconds) => changes(board, seconds, move)),
      },
      { name: 'drag', title: 'dragging a card over all columns', operation: 'step', ...common, lanes: lanes(drag) },
      { name: 'rest', title: 'an open board on which nothing happens', operation: 'second', ...common, lanes: lanes(rest) },
      { name: 'visit', title: 'a first visit to a board', operation: 'visit', ...common, rounds: 1, warmUp: false, lanes: lanes(visit) },
    ];
  },
};

function importBoard(account: Account, size: number): Promise<{ id: string }> {
  const columns = Array.from({ length: COLUMNS }, (_, column) => ({
    id: `${column}`,
    title: `Column ${column}`,
    cards: Array.from({ length: Math.ceil(size / COLUMNS) }, (_, n) => ({
      title: `Card ${column}.${n}`,
      description: 'Of the usual length. '.repeat(5),
    })),
  }));
  return account
    .post<{ board: { id: string } }>('/boards/import', { format: 'switchboard-board', version: 1, title: 'A board', columns })
    .then(({ board }) => board);
}

async function changes(board: OpenBoard, seconds: number, change: (board: OpenBoard, n: number) => Promise<void>): Promise<Figures> {
  const before = await board.browserPage.scriptMicros();
  const started = performance.now();
  let count = 0;
  while (performance.now() - started < seconds * 1000) {
    await change(board, count);
    count += 1;
    await sleep(PACE_MS);
  }
  const took = (performance.now() - started) / 1000;
  return { rate: count / took, scriptMicros: ((await board.browserPage.scriptMicros()) - before) / count };
}

async function rename({ account, card }: OpenBoard, n: number): Promise<void> {
  const { status, text } = await requestJson('PATCH', `${account.url}/cards/${card}`, account.headers, { title: `Renamed ${n}` });
  if (status !== 200) throw new Error(`renaming got ${status}: ${text}`);
}

async function move({ account, card, columns }: OpenBoard, n: number): Promise<void> {
  await account.post(`/cards/${card}/move`, { column_id: columns[(n + 1) % 2], position: 1 });
}

/** Over the columns and back, then to the edge where the list scrolls. The card is put back. */
async function drag({ browserPage }: OpenBoard, seconds: number): Promise<Figures> {
  const { page } = browserPage;
  const box = await page.locator('[data-card-id]').first().boundingBox();
  if (box === null) throw new Error('no card is on the screen');
  await page.mouse.move(box.x + 40, box.y + 10);
  await page.mouse.down();
  let steps = 0;
  const started = performance.now();
  const missedFrames = await browserPage.missedFrames(async () => {
    while (performance.now() - started < seconds * 1000) {
      for (const [x, y] of [
        [1_000, 400],
        [150, 600],
        [150, 770],
      ] as const) {
        await page.mouse.move(x, y, { steps: DRAG_STEPS });
        steps += DRAG_STEPS;
      }
    }
  });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page
    .locator('.cards')
    .first()
    .evaluate((list) => (list.scrollTop = 0));
  return { rate: steps / ((performance.now() - started) / 1000), missedFrames };
}

/** After what the lane before it has left to do. */
async function rest({ browserPage }: OpenBoard, seconds: number): Promise<Figures> {
  await sleep(SETTLING_MS);
  const before = await browserPage.scriptMicros();
  await sleep(seconds * 1000);
  return { rate: 1, scriptMicros: ((await browserPage.scriptMicros()) - before) / seconds };
}
