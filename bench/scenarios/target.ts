/** A running service as one of its users finds it: only calls that a user may make, on boards that are removed afterwards. */
import { Account } from './account.js';
import { httpLane, JSON_BODY, type MeasuredService } from './httpLane.js';
import { mixedScripts } from './mixed.js';
import type { ScriptedRequest } from '../load/jobs.js';
import type { Group, Scenario } from './scenario.js';

export interface Target {
  readonly url: string;
  readonly token: string;
  /** Requests at a time. */
  readonly connections: number;
}

const CARDS = 200;
const COLUMNS = 4;

/** The boards are the user's own, and are deleted when the group is done, whatever happens. */
export function targetGroup({ url, token, connections }: Target): Group {
  return {
    name: 'target',
    summary: `${url} as a user finds it, ${connections} requests at a time`,
    async prepare(stage) {
      const account = new Account(url, '', '', token);
      // Refused before anything is made if the token is not good.
      await account.get('/boards?limit=1');
      stage.note(`making two boards, one with ${CARDS} cards`);
      const title = `Benchmark ${new Date().toISOString()}`;
      const full = await account.createBoard({ title, columns: COLUMNS, cards: CARDS });
      stage.onClear(() => account.delete(`/boards/${full.id}`));
      const empty = await account.createBoard({ title: `${title}, new cards` });
      stage.onClear(() => account.delete(`/boards/${empty.id}`));
      const load = stage.load('http');
      const contestant: MeasuredService = { name: 'target', url, usage: () => null, resetPeak: () => undefined };
      const scenario = (name: string, title: string, scripts: readonly ScriptedRequest[][], expectedStatus = 200): Scenario => ({
        name,
        title,
        operation: 'request',
        speedBy: 'none',
        lanes: [httpLane({ contestant, load, token, connections, expectedStatus, scripts })],
      });
      const board = `/boards/${full.id}`;
      const newCard = { method: 'POST', path: `/boards/${empty.id}/columns/${empty.columns[0]}/cards`, headers: JSON_BODY } as const;
      return [
        scenario('card', 'GET card', [[{ method: 'GET', path: `/cards/${full.cards[0]}` }]]),
        scenario('board', `GET board, ${CARDS} cards`, [[{ method: 'GET', path: board }]]),
        scenario('board-gzip', `GET board, ${CARDS} cards, compressed`, [[{ method: 'GET', path: board, headers: { 'accept-encoding': 'gzip' } }]]),
        scenario('ninety-ten', '90 % GET card, 10 % change of a title', mixedScripts(full.cards, connections)),
        scenario('create', 'create card on one board', [[{ ...newCard, body: JSON.stringify({ title: 'A new card' }) }]], 201),
      ];
    },
  };
}
