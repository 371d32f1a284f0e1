/** Durable changes: cards created, moved and renamed, all on one board or spread over many. */
import type { ScriptedRequest } from '../load/jobs.js';
import { Account, type FurnishedBoard } from './account.js';
import { createLane, insertLane, spread, type Writer } from './creates.js';
import { httpLane, JSON_BODY, type HttpLaneOptions } from './httpLane.js';
import type { Group, Lane, Scenario } from './scenario.js';

/** Each connection works on its own card. */
const CONNECTIONS = 64;
const CARDS_PER_BOARD = 20;
/** In shorter rounds a single checkpoint would decide the result. */
const LEAST_CREATE_SECONDS = 0.5;

export const writes: Group = {
  name: 'writes',
  summary: 'create, move and patch cards on 1, 16 and 64 boards, each change on disk before its answer',
  async prepare(stage) {
    const [limit, service, fastify] = await Promise.all([stage.start('limit'), stage.start('switchboard'), stage.start('fastify')]);
    stage.note('furnishing boards');
    const ours = { contestant: service, account: await Account.open(service.url) };
    const theirs = { contestant: fastify, account: await Account.open(fastify.url) };
    const writers: readonly Writer[] = [ours, theirs];
    const load = stage.load('http');
    const limitLane = await insertLane(limit, ours, load);

    const boardCounts = stage.depth === 'quick' ? [1, 64] : [1, 16, 64];
    const creating = boardCounts.flatMap((boards) => writers.map((writer) => createLane(writer, load, boards)));
    const created: Scenario = {
      name: 'create',
      title: 'create card',
      operation: 'card',
      note: 'Every round begins with empty boards.',
      speedBy: 'rate',
      leastSeconds: LEAST_CREATE_SECONDS,
      lanes: [limitLane, ...creating],
    };

    const spreads = stage.depth === 'full' ? [1, 16, 64] : [16];
    const change = async (name: string, title: string, script: CardScript): Promise<Scenario> => {
      const lanes: Lane[] = [limitLane];
      for (const boards of spreads) {
        for (const writer of writers) lanes.push(await changeLane(writer, load, boards, script));
      }
      return { name, title, operation: 'change', speedBy: 'rate', lanes };
    };
    const moved = await change('move', 'move card to the top of another column', moveScript);
    if (stage.depth === 'quick') return [created, moved];
    return [created, moved, await change('patch', 'change a card’s title', patchScript)];
  },
};

type CardScript = (board: FurnishedBoard, card: string) => readonly ScriptedRequest[];

async function changeLane({ contestant, account }: Writer, load: HttpLaneOptions['load'], boards: number, script: CardScript): Promise<Lane> {
  const cards = Math.max(CARDS_PER_BOARD, CONNECTIONS / boards);
  const furnished = await account.createBoards(boards, { columns: 2, cards });
  const scripts = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const board = furnished[connection % boards];
    const card = board?.cards[Math.floor(connection / boards)];
    if (board === undefined || card === undefined) throw new Error('there are too few cards');
    return script(board, card);
  });
  return httpLane({ contestant, load, token: account.token, scripts, ...spread(boards) });
}

const moveScript: CardScript = ({ columns }, card) =>
  [...columns].reverse().map((column_id) => ({
    method: 'POST',
    path: `/cards/${card}/move`,
    headers: JSON_BODY,
    body: JSON.stringify({ column_id, position: 0 }),
  }));

/** Two titles in turn, because an equal title is not a change. */
const patchScript: CardScript = (_board, card) =>
  ['One way to say it', 'Another way to say it'].map((title) => ({
    method: 'PATCH',
    path: `/cards/${card}`,
    headers: JSON_BODY,
    body: JSON.stringify({ title }),
  }));
