/** Several instances on one data folder and one NATS: their total rate, and the cost of asking an instance that does not own the board. */
import type { Contestant } from '../processes/contestant.js';
import { startNats, type NatsServer } from '../processes/natsServer.js';
import { Account, type FilledBoard } from './account.js';
import { httpJob } from './httpLane.js';
import { combined, metered } from './metered.js';
import { mixedScripts } from './mixed.js';
import type { Lane, Scenario, Stage } from './scenario.js';

const COUNTS = [1, 2, 3];
const BOARDS = 16;
const CARDS = 10;
const CONNECTIONS = 48;
/** Far below the capacity of an instance: this measures the path, not the work. */
const GETS_PER_SECOND = 200;
/** A few requests would decide the median of fewer. */
const LEAST_SECONDS = 0.5;
/** Requests to each instance to find the owner of a board: the owner answers faster. */
const PROBES = 15;
const MAX_ATTEMPTS = 20;

/** No scenarios without NATS, and a note with the reason. */
export async function instanceScenarios(stage: Stage): Promise<Scenario[]> {
  const nats = await startNats();
  if ('missing' in nats) {
    stage.note(`no scenarios with several instances: ${nats.missing}`);
    return [];
  }
  stage.onClear(() => nats.stop());
  const foreign = await foreignBoard(stage, nats);
  return stage.depth === 'quick' ? [foreign] : [foreign, await instanceCounts(stage, nats)];
}

async function foreignBoard(stage: Stage, nats: NatsServer): Promise<Scenario> {
  const instances = await startInstances(stage, nats, 'two', 2);
  const [asked] = instances;
  if (asked === undefined) throw new Error('there is no instance');
  const account = await Account.open(asked.url);
  const boards = await account.createBoards(BOARDS, { cards: 1 });
  const { own, foreign } = await tellApart(account, instances, boards);
  const load = stage.load('socket');
  const laneOf = (variant: string, card: string): Lane => ({
    contestant: 'switchboard',
    variant,
    measure: (seconds) => {
      const { url, token } = account;
      const path = `/cards/${card}`;
      return metered(combined(instances), () => load.run({ kind: 'steady', url, token, path, perSecond: GETS_PER_SECOND, seconds }));
    },
  });
  return {
    name: 'foreign-board',
    title: 'GET card from two instances: of a board that the asked instance owns, and of a board that the other owns',
    operation: 'request',
    note: 'CPU and memory are those of both instances together.',
    speedBy: 'none',
    leastSeconds: LEAST_SECONDS,
    lanes: [laneOf('own board', own), laneOf('foreign board', foreign)],
  };
}

async function instanceCounts(stage: Stage, nats: NatsServer): Promise<Scenario> {
  const load = stage.load('http');
  const lanes: Lane[] = [];
  for (const count of COUNTS) {
    const instances = await startInstances(stage, nats, `of-${count}`, count);
    const [first] = instances;
    if (first === undefined) throw new Error('there is no instance');
    const account = await Account.open(first.url);
    const cards = (await account.createBoards(BOARDS, { cards: CARDS })).flatMap((board) => board.cards);
    const scripts = mixedScripts(cards, CONNECTIONS);
    const options = { contestant: first, load, token: account.token, connections: CONNECTIONS, scripts };
    const urls = instances.map(({ url }) => url);
    lanes.push({
      contestant: 'switchboard',
      variant: count === 1 ? '1 instance' : `${count} instances`,
      x: count,
      measure: (seconds) => metered(combined(instances), () => load.run({ ...httpJob(options, seconds), url: urls })),
    });
  }
  return {
    name: 'instances',
    title: '90 % GET card, 10 % change of a title, over 16 boards, by number of instances',
    operation: 'request',
    note:
      'Instances, NATS and the load share the cores of this machine, so more instances only add cost here: the ' +
      'difference is the price of the path between them.',
    speedBy: 'rate',
    lanes,
  };
}

/** All on the folder of the first. `name` separates clusters that share the NATS. */
async function startInstances(stage: Stage, nats: NatsServer, name: string, count: number): Promise<Contestant[]> {
  const settings = { SWITCHBOARD_SETTINGS: JSON.stringify({ NATS_URL: nats.url, NATS_PREFIX: name }) };
  const first = await stage.start('switchboard', settings);
  const others = Array.from({ length: count - 1 }, () => stage.start('switchboard', { ...settings, DATA_DIR: first.folder }));
  return [first, ...(await Promise.all(others))];
}

/** A card of a board that the account's instance owns, and one of a board that it does not. */
async function tellApart(
  account: Account,
  instances: readonly Contestant[],
  boards: readonly FilledBoard[],
): Promise<{ own: string; foreign: string }> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const advantages: { card: string; advantage: number }[] = [];
    for (const {
      cards: [card = ''],
    } of boards) {
      const [here = 0, ...elsewhere] = await medianTimes(account, instances, `/cards/${card}`);
      advantages.push({ card, advantage: Math.min(...elsewhere) / here });
    }
    const sorted = advantages.sort((a, b) => b.advantage - a.advantage);
    const [own, foreign] = [sorted.at(0), sorted.at(-1)];
    // Shards move shortly after the second instance started: until then the first owns all boards.
    if (own && foreign && own.advantage > 1 && foreign.advantage < 1) return { own: own.card, foreign: foreign.card };
  }
  throw new Error('the instances did not share the boards');
}

/** Of the same request to each instance in turn, in milliseconds. */
async function medianTimes(account: Account, instances: readonly Contestant[], path: string): Promise<number[]> {
  const times = instances.map((): number[] => []);
  for (let probe = 0; probe < PROBES; probe += 1) {
    for (const [n, { url }] of instances.entries()) {
      const started = performance.now();
      const response = await fetch(url + path, { headers: account.headers });
      await response.arrayBuffer();
      times[n]?.push(performance.now() - started);
    }
  }
  return times.map((own) => own.sort((a, b) => a - b)[Math.floor(PROBES / 2)] ?? Number.NaN);
}
