/** Lanes that create cards, all on one board or spread over many. */
import type { ScriptedRequest } from '../load/jobs.js';
import type { Contestant } from '../processes/contestant.js';
import type { Account } from './account.js';
import { httpLane, JSON_BODY, type HttpLaneOptions } from './httpLane.js';
import type { Lane } from './scenario.js';
import { copyAnswer, teach } from './teach.js';

export interface Writer {
  readonly contestant: Contestant;
  readonly account: Account;
  /** Distinguishes two of the same contestant. */
  readonly form?: string;
}

const NEW_CARD = JSON.stringify({ title: 'A new card', description: 'Written down before it is forgotten.' });

/** The same bytes in and out, one prepared insert in group commit, and nothing else. */
export async function insertLane(limit: Contestant, ours: Writer, load: HttpLaneOptions['load']): Promise<Lane> {
  const path = '/cards';
  const board = await ours.account.createBoard({ cards: 1 });
  const answer = await copyAnswer(ours.account, `/cards/${board.cards[0]}`);
  await teach(limit, { method: 'POST', path, ...answer, status: '201 Created', work: { kind: 'insert' } });
  const create: ScriptedRequest = { method: 'POST', path, headers: JSON_BODY, body: NEW_CARD };
  const { token } = ours.account;
  return httpLane({ contestant: limit, load, token, expectedStatus: 201, scripts: [[create]] });
}

/** Every round begins with empty boards. */
export function createLane({ contestant, account, form }: Writer, load: HttpLaneOptions['load'], boards: number): Lane {
  let scripts: HttpLaneOptions['scripts'] = [];
  const options = { contestant, load, token: account.token, expectedStatus: 201, ...spread(boards, form) };
  return {
    ...httpLane({ ...options, scripts }),
    async prepareRound() {
      const fresh = await account.createBoards(boards);
      scripts = fresh.map(({ id, columns }) => [
        { method: 'POST', path: `/boards/${id}/columns/${columns[0]}/cards`, headers: JSON_BODY, body: NEW_CARD },
      ]);
    },
    measure: (seconds) => httpLane({ ...options, scripts }).measure(seconds),
  };
}

/** The same new cards, as many in each request as a batch of this size holds. */
export function batchLane({ contestant, account }: Writer, load: HttpLaneOptions['load'], boards: number, size: number): Lane {
  let scripts: HttpLaneOptions['scripts'] = [];
  const options = { contestant, load, token: account.token, operationsPerRequest: size, variant: `batches of ${size}`, x: size };
  return {
    ...httpLane({ ...options, scripts }),
    async prepareRound() {
      const fresh = await account.createBoards(boards);
      scripts = fresh.map(({ id, columns }) => {
        const create = `{"method":"POST","path":"/boards/${id}/columns/${columns[0]}/cards","body":${NEW_CARD}}`;
        const body = `{"operations":[${Array.from({ length: size }, () => create).join(',')}]}`;
        return [{ method: 'POST', path: `/boards/${id}/batch`, headers: JSON_BODY, body }];
      });
    },
    measure: (seconds) => httpLane({ ...options, scripts }).measure(seconds),
  };
}

export function spread(boards: number, form?: string): { variant: string; x: number } {
  const variant = boards === 1 ? '1 board' : `${boards} boards`;
  return { variant: form === undefined ? variant : `${form}, ${variant}`, x: boards };
}
