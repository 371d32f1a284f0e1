/** Logins, and their effect on other requests. */
import type { Contestant } from '../processes/contestant.js';
import type { LoadProcess } from '../processes/loadProcess.js';
import { Account } from './account.js';
import { httpJob, httpLane, type HttpLaneOptions } from './httpLane.js';
import { metered } from './metered.js';
import type { Group, Lane, Round } from './scenario.js';

/** Enough to keep every core busy. */
const LOGINS_AT_ONCE = 4;
/** Within the queue of the service, so that no login is refused. */
const FLOOD_AT_ONCE = 16;
/** Far below the capacity of any contestant: this measures waiting, not work. */
const GETS_PER_SECOND = 500;
/** A login takes a tenth of a second, and a 99th percentile needs hundreds of requests. */
const LEAST_SECONDS = 0.6;

interface Patron {
  readonly contestant: Contestant;
  readonly account: Account;
  readonly card: string;
}

export const login: Group = {
  name: 'login',
  summary: 'logins a second, and the time of a GET while many log in',
  async prepare(stage) {
    const contestants = await Promise.all([stage.start('switchboard'), stage.start('fastify')]);
    const patrons = await Promise.all(contestants.map(openPatron));
    const [flood, gets] = [stage.load('http'), stage.load('socket')];
    return [
      {
        name: 'rate',
        title: 'login',
        operation: 'login',
        note: 'Nearly all of it is Argon2 with the same parameters, so there is no limit to compare with.',
        leastSeconds: LEAST_SECONDS,
        warmUp: false,
        lanes: patrons.map((patron) => httpLane(loginOptions(patron, flood, LOGINS_AT_ONCE))),
      },
      {
        name: 'get-beside',
        title: `GET card ${GETS_PER_SECOND} times a second, without and with a flood of logins`,
        operation: 'request',
        speedBy: 'none',
        leastSeconds: LEAST_SECONDS,
        lanes: patrons.flatMap((patron) => [quietLane(patron, gets), floodLane(patron, gets, flood)]),
      },
    ];
  },
};

async function openPatron(contestant: Contestant): Promise<Patron> {
  const account = await Account.open(contestant.url);
  const board = await account.createBoard({ cards: 1 });
  return { contestant, account, card: board.cards[0] ?? '' };
}

function loginOptions({ contestant, account }: Patron, load: LoadProcess, connections: number): HttpLaneOptions {
  const body = new URLSearchParams({ username: account.email, password: account.password }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const scripts = [[{ method: 'POST', path: '/auth/login', headers, body }]] as const;
  return { contestant, load, token: '', connections, scripts };
}

function quietLane(patron: Patron, gets: LoadProcess): Lane {
  const measure = (seconds: number): Promise<Round> => getRound(patron, gets, seconds);
  return { contestant: patron.contestant.name, process: patron.contestant, variant: 'quiet', measure };
}

function floodLane(patron: Patron, gets: LoadProcess, flood: LoadProcess): Lane {
  return {
    contestant: patron.contestant.name,
    process: patron.contestant,
    variant: 'flood',
    async measure(seconds) {
      const flooding = flood.run(httpJob(loginOptions(patron, flood, FLOOD_AT_ONCE), seconds));
      const [round, logins] = await Promise.all([getRound(patron, gets, seconds), flooding]);
      // Here the server's CPU time is mostly that of the logins.
      const { cpuMicros: _shared, ...figures } = round.figures;
      return { ...round, figures, problems: [...round.problems, ...logins.problems] };
    },
  };
}

function getRound({ contestant, account, card }: Patron, gets: LoadProcess, seconds: number): Promise<Round> {
  const { url, token } = account;
  const job = { kind: 'steady', url, token, path: `/cards/${card}`, perSecond: GETS_PER_SECOND, seconds } as const;
  return metered(contestant, () => gets.run(job));
}
