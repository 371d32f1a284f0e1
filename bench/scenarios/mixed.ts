/** A board in use: nine reads of a card for one change. */
import type { ScriptedRequest } from '../load/jobs.js';
import type { Contestant } from '../processes/contestant.js';
import { Account } from './account.js';
import { httpLane, JSON_BODY } from './httpLane.js';
import type { Group, Lane } from './scenario.js';
import { copyAnswer, teach } from './teach.js';

const BOARDS = 16;
const CARDS = 10;
const CONNECTIONS = 64;
const READS_PER_CHANGE = 9;

export const mixed: Group = {
  name: 'mixed',
  summary: 'nine reads of a card for one change, over 16 boards',
  async prepare(stage) {
    const [limit, service, fastify] = await Promise.all([stage.start('limit'), stage.start('switchboard'), stage.start('fastify')]);
    const load = stage.load('http');

    const laneOf = async (contestant: Contestant): Promise<{ lane: Lane; account: Account; card: string }> => {
      const account = await Account.open(contestant.url);
      const cards = (await account.createBoards(BOARDS, { cards: CARDS })).flatMap((board) => board.cards);
      const scripts = mixedScripts(cards, CONNECTIONS);
      return { lane: httpLane({ contestant, load, token: account.token, scripts }), account, card: cards[0] ?? '' };
    };
    const ours = await laneOf(service);
    const theirs = await laneOf(fastify);
    const answer = await copyAnswer(ours.account, `/cards/${ours.card}`);
    const path = '/cards/any';
    await teach(limit, { method: 'GET', path, ...answer, work: { kind: 'none' } });
    await teach(limit, { method: 'PATCH', path, ...answer, work: { kind: 'insert' } });
    const scripts = [scriptOver(() => path, 0)];
    const limitLane = httpLane({ contestant: limit, load, token: ours.account.token, scripts });
    return [
      {
        name: 'ninety-ten',
        title: '90 % GET card, 10 % change of a title, 16 boards',
        operation: 'request',
        speedBy: 'rate',
        lanes: [limitLane, ours.lane, theirs.lane],
      },
    ];
  },
};

/** One for each connection; each begins at another card. */
export function mixedScripts(cards: readonly string[], connections: number): ScriptedRequest[][] {
  return Array.from({ length: connections }, (_, n) => scriptFrom(cards, n * READS_PER_CHANGE));
}

function scriptFrom(cards: readonly string[], offset: number): ScriptedRequest[] {
  return scriptOver((n) => `/cards/${cards[(offset + n) % cards.length]}`, offset);
}

/** Connections sometimes change the same cards, so each has its own titles: otherwise some changes would do nothing. */
function scriptOver(path: (n: number) => string, offset: number): ScriptedRequest[] {
  const reads = Array.from({ length: READS_PER_CHANGE }, (_, n): ScriptedRequest => ({ method: 'GET', path: path(n) }));
  const change = (words: string): ScriptedRequest => ({
    method: 'PATCH',
    path: path(0),
    headers: JSON_BODY,
    body: JSON.stringify({ title: `${words} ${offset}` }),
  });
  return [...reads, change('One way'), ...reads, change('Another way')];
}
