/** Cost by size: of the changed board, of the number of idle boards, of the cluster. */
import type { ScriptedRequest } from '../load/jobs.js';
import type { Contestant } from '../processes/contestant.js';
import type { LoadProcess } from '../processes/loadProcess.js';
import { Account } from './account.js';
import { httpLane, JSON_BODY } from './httpLane.js';
import { instanceScenarios } from './instances.js';
import type { Group, Lane, Scenario, Stage } from './scenario.js';

const BOARD_SIZES = [10, 100, 1_000, 10_000];
const BOARD_SIZES_IN_QUICK = [100, 1_000, 10_000];
const ASLEEP = [10, 1_000];
const ASLEEP_IN_FULL = [10, 1_000, 10_000, 100_000];
const CONNECTIONS = 16;
/** So that boards are asleep when the clock starts, and asleep again soon after they were woken. */
const QUICK_SLEEP = JSON.stringify({ BOARD_IDLE_SECONDS: '1' });
/** Requests of one connection before it comes back to the first board. */
const BOARDS_PER_SCRIPT = 200;

export const scaling: Group = {
  name: 'scaling',
  summary: 'cost by size of a board, by number of boards, and by number of instances',
  async prepare(stage) {
    const scenarios = [...(await boardSizes(stage)), ...(await instanceScenarios(stage))];
    return stage.depth === 'quick' ? scenarios : [...scenarios, await boardsAsleep(stage)];
  },
};

interface Kind {
  readonly name: string;
  readonly title: string;
  readonly script: (card: string, n: number) => readonly ScriptedRequest[];
}

const KINDS: readonly Kind[] = [
  {
    name: 'move-by-size',
    title: 'move card, by cards on the board',
    // Between the middle and the top of the column, because ranks make moves to the ends cheap.
    script: (card) => [1, 5].map((position) => jsonRequest('POST', `/cards/${card}/move`, { position })),
  },
  {
    name: 'patch-by-size',
    title: 'change a card’s title, by cards on the board',
    script: (card, n) => ['One', 'Another'].map((word) => jsonRequest('PATCH', `/cards/${card}`, { title: `${word} ${n}` })),
  },
];

async function boardSizes(stage: Stage): Promise<Scenario[]> {
  const contestants = [await stage.start('switchboard')];
  if (stage.depth === 'full') contestants.push(await stage.start('fastify'));
  stage.note('creating boards of up to 10,000 cards');
  const load = stage.load('http');
  const lanes: Lane[][] = KINDS.map(() => []);
  for (const contestant of contestants) {
    const account = await Account.open(contestant.url);
    for (const size of stage.depth === 'quick' ? BOARD_SIZES_IN_QUICK : BOARD_SIZES) {
      const { cards } = await account.createBoard({ cards: size });
      KINDS.forEach(({ script }, kind) => {
        const scripts = cards.slice(0, CONNECTIONS).map(script);
        const variant = `${size.toLocaleString('en')} cards`;
        const { token } = account;
        lanes[kind]?.push(httpLane({ contestant, load, token, connections: CONNECTIONS, scripts, variant, x: size }));
      });
    }
  }
  return KINDS.map(({ name, title }, kind) => ({ name, title, operation: 'change', lanes: lanes[kind] ?? [] }));
}

async function boardsAsleep(stage: Stage): Promise<Scenario> {
  const load = stage.load('http');
  const lanes: Lane[] = [];
  for (const boards of stage.depth === 'full' ? ASLEEP_IN_FULL : ASLEEP) {
    stage.note(`creating ${boards.toLocaleString('en')} boards`);
    const contestant = await stage.start('switchboard', { SWITCHBOARD_SETTINGS: QUICK_SLEEP });
    lanes.push(await sleepersLane(contestant, load, boards));
  }
  return {
    name: 'boards-asleep',
    title: 'GET board, a different one each time, by number of boards',
    operation: 'request',
    note: 'Boards go to sleep after a second without a request here: with many of them, most are read from disk.',
    lanes,
  };
}

async function sleepersLane(contestant: Contestant, load: LoadProcess, boards: number): Promise<Lane> {
  const account = await Account.open(contestant.url);
  const created = await account.createBoards(boards);
  const scripts = Array.from({ length: CONNECTIONS }, (_, connection) =>
    Array.from({ length: BOARDS_PER_SCRIPT }, (__, n): ScriptedRequest => {
      // A prime step visits all boards before it comes back to one.
      const board = created[((connection * BOARDS_PER_SCRIPT + n) * 7919) % boards];
      return { method: 'GET', path: `/boards/${board?.id}` };
    }),
  );
  const variant = `${boards.toLocaleString('en')} boards`;
  return httpLane({ contestant, load, token: account.token, connections: CONNECTIONS, scripts, variant, x: boards });
}

function jsonRequest(method: 'POST' | 'PATCH', path: string, body: unknown): ScriptedRequest {
  return { method, path, headers: JSON_BODY, body: JSON.stringify(body) };
}
