/** Durable changes: cards created, one by one and in batches, moved and renamed, all on one board or spread over many. */
import type { ScriptedRequest } from '../load/jobs.js';
import { Account, type FilledBoard } from './account.js';
import { batchLane, createLane, insertLane, spread, type Writer } from './creates.js';
import { httpLane, JSON_BODY, type HttpLaneOptions } from './httpLane.js';
import type { Group, Lane, Scenario } from './scenario.js';

/** Each connection works on its own card. */
const CONNECTIONS = 64;
const CARDS_PER_BOARD = 20;
/** Of cards. An importer sends as many in a request. */
const BATCH_SIZE = 50;
/** In shorter rounds a single checkpoint would decide the result. */
const LEAST_CREATE_SECONDS = 0.5;
/** All connections together send 3,200 cards at a time, which must fit into a round often. */
const LEAST_BATCH_SECONDS = 2;

export const writes: Group = {
  name: 'writes',
  summary: 'create, move and patch cards on 1, 16 and 64 boards, and create them in batches, each change on disk before its answer',
  async prepare(stage) {
    const [limit, service, fastify] = await Promise.all([stage.start('limit'), stage.start('switchboard'), stage.start('fastify')]);
    stage.note('filling boards');
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

    const batched: Scenario = {
      name: 'batch',
      title: 'create card, one by one and in batches',
      operation: 'card',
      note: `On ${CONNECTIONS} boards. Every round begins with empty boards.`,
      speedBy: 'rate',
      leastSeconds: LEAST_BATCH_SECONDS,
      lanes: [{ ...createLane(ours, load, CONNECTIONS), variant: 'one by one', x: 1 }, batchLane(ours, load, CONNECTIONS, BATCH_SIZE)],
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
    if (stage.depth === 'quick') return [created, batched, moved];
    return [created, batched, moved, await change('patch', 'change a card’s title', patchScript)];
  },
};

type CardScript = (board: FilledBoard, card: string) => readonly ScriptedRequest[];

async function changeLane({ contestant, account }: Writer, load: HttpLaneOptions['load'], boards: number, script: CardScript): Promise<Lane> {
  const cards = Math.max(CARDS_PER_BOARD, CONNECTIONS / boards);
  const filled = await account.createBoards(boards, { columns: 2, cards });
  const scripts = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const board = filled[connection % boards];
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
