/** Reading: one card, boards of three sizes, and a board that has not changed. */
import type { LoadProcess } from '../processes/loadProcess.js';
import type { Contestant } from '../processes/contestant.js';
import type { FilledBoard } from './account.js';
import { Account } from './account.js';
import { httpLane } from './httpLane.js';
import type { Group, Lane, Scenario } from './scenario.js';
import { copyAnswer, requireSameShape, teach } from './teach.js';

const SIZES = [20, 500, 5_000] as const;
const SIZES_IN_QUICK = [500];
/** Large answers need few connections to fill the machine, and would only queue behind one another. */
const CONNECTIONS: Readonly<Record<number, number>> = { 20: 64, 500: 16, 5_000: 2 };
const COLUMNS = 4;
/** For readers of the report, who might assume that every read asks the board. */
const AT_REST = 'Nothing changes meanwhile: from the second request on ours answers from the read cache. For reads beside changes see mixed.';
/** A rival may need a tenth of a second for one of these. */
const LARGE_BOARD_SECONDS = 0.6;

interface Reader {
  readonly account: Account;
  readonly boards: ReadonlyMap<number, FilledBoard>;
}

interface Read {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly path: (reader: Reader) => string;
  readonly conditional?: boolean;
  readonly leastSeconds?: number;
}

export const reads: Group = {
  name: 'reads',
  summary: 'GET card, GET board with 20, 500 and 5,000 cards, 304, and a compressed board',
  async prepare(stage) {
    const [limit, service, fastify] = await Promise.all([stage.start('limit'), stage.start('switchboard'), stage.start('fastify')]);
    stage.note('filling boards');
    const sizes = stage.depth === 'quick' ? SIZES_IN_QUICK : SIZES;
    const [ours, theirs] = await Promise.all([fill(service.url, sizes), fill(fastify.url, sizes)]);
    const load = stage.load('http');

    const toScenario = async (read: Read): Promise<Scenario> => {
      const { name, title, connections, path, conditional, leastSeconds = 0 } = read;
      const headers = async (reader: Reader): Promise<Record<string, string>> =>
        conditional ? { 'if-none-match': await etagOf(reader, path(reader)) } : {};
      const answer = await copyAnswer(ours.account, path(ours), await headers(ours));
      if (!conditional) {
        requireSameShape('fastify', JSON.parse(answer.body), await theirs.account.get(path(theirs)));
      }
      const limitPath = `/${name}`;
      await teach(limit, { method: 'GET', path: limitPath, ...answer, work: { kind: 'none' } });
      const common = { load, connections, expectedStatus: conditional ? 304 : 200 };
      const laneOf = async (contestant: typeof service, reader: Reader): Promise<Lane> =>
        httpLane({
          ...common,
          contestant,
          token: reader.account.token,
          scripts: [[{ method: 'GET', path: path(reader), headers: await headers(reader) }]],
        });
      const limitLane = httpLane({
        ...common,
        contestant: limit,
        token: ours.account.token,
        scripts: [[{ method: 'GET', path: limitPath }]],
      });
      const note = conditional ? AT_REST : `${answer.body.length.toLocaleString('en')} bytes. ${AT_REST}`;
      return {
        name,
        title,
        operation: 'request',
        note,
        leastSeconds,
        lanes: [limitLane, await laneOf(service, ours), await laneOf(fastify, theirs)],
      };
    };

    const boardReads = sizes.map((size): Read => ({
      name: `board-${size}`,
      title: `GET board, ${size.toLocaleString('en')} cards`,
      connections: CONNECTIONS[size] ?? 64,
      path: (reader) => `/boards/${boardOf(reader, size).id}`,
      ...(size === 5_000 ? { leastSeconds: LARGE_BOARD_SECONDS } : {}),
    }));
    const all: Read[] = [
      {
        name: 'card',
        title: 'GET card',
        connections: 64,
        path: (reader) => `/cards/${boardOf(reader, 500).cards[0]}`,
      },
      ...boardReads,
      {
        name: 'not-modified',
        title: 'GET board, 500 cards, not modified (304)',
        connections: 64,
        path: (reader) => `/boards/${boardOf(reader, 500).id}`,
        conditional: true,
      },
    ];
    return [...(await Promise.all(all.map(toScenario))), compressedReads(service, load, ours)];
  },
};

/** One board for readers who ask for gzip and for those who do not: the work of compressing it is shared. */
function compressedReads(contestant: Contestant, load: LoadProcess, reader: Reader): Scenario {
  const path = `/boards/${boardOf(reader, 500).id}`;
  const laneOf = (variant: string, headers: Record<string, string>): Lane =>
    httpLane({
      contestant,
      load,
      connections: CONNECTIONS[500] ?? 64,
      token: reader.account.token,
      scripts: [[{ method: 'GET', path, headers }]],
      variant,
    });
  return {
    name: 'board-500-gzip',
    title: 'GET board, 500 cards, plain and compressed',
    operation: 'request',
    note: AT_REST,
    lanes: [laneOf('plain', {}), laneOf('gzip', { 'accept-encoding': 'gzip' })],
  };
}

async function fill(url: string, sizes: readonly number[]): Promise<Reader> {
  const account = await Account.open(url);
  const boards = new Map<number, FilledBoard>();
  for (const cards of sizes) boards.set(cards, await account.createBoard({ columns: COLUMNS, cards }));
  return { account, boards };
}

function boardOf({ boards }: Reader, size: number): FilledBoard {
  const board = boards.get(size);
  if (board === undefined) throw new Error(`there is no board of ${size} cards`);
  return board;
}

async function etagOf({ account }: Reader, path: string): Promise<string> {
  const response = await fetch(account.url + path, { headers: account.headers });
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}
