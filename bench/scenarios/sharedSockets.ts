/** Idle sockets for one board and for several: what a socket and what a followed board cost in memory. */
import { FOLLOWING_RATE } from '../../src/api/socketLimits.js';
import type { Dialect, SocketAddress } from '../load/jobs.js';
import { Account, inParallel } from './account.js';
import { Audience, type Followed } from './audience.js';
import { SocketMemory } from './connections.js';
import type { Group, Lane, Stage } from './scenario.js';
import { affordableSockets } from './socketLimit.js';

const SUBSCRIPTIONS = 10_000;
/** Teams of users with their own boards. */
const TEAMS = 5;
const BOARDS_OF_TEAM = 20;
/** Enough that none subscribes more often than is allowed at once. */
const USERS_OF_TEAM = SUBSCRIPTIONS / FOLLOWING_RATE.burst / TEAMS;
const REST_SECONDS = 1;

interface Variant {
  readonly name: string;
  readonly dialect: Dialect;
  /** Boards that each socket follows. */
  readonly boards: number;
}

const VARIANTS: readonly Variant[] = [
  { name: '/ws/boards', dialect: 'switchboard', boards: 1 },
  { name: '/ws, 1 board', dialect: 'shared', boards: 1 },
  { name: `/ws, ${BOARDS_OF_TEAM} boards`, dialect: 'shared', boards: BOARDS_OF_TEAM },
];

export const sharedSockets: Group = {
  name: 'shared',
  summary: '10,000 sockets for one board each, of either kind, and 500 sockets for 20 boards each, at rest',
  onlyInFull: true,
  async prepare(stage) {
    const { sockets, warning } = affordableSockets(SUBSCRIPTIONS, TEAMS * BOARDS_OF_TEAM);
    if (warning !== null) stage.note(warning);
    const lanes: Lane[] = [];
    for (const variant of VARIANTS) lanes.push(await restOf(stage, variant, sockets / variant.boards));
    return [
      {
        name: 'rest',
        title: 'sockets at rest',
        operation: 'second',
        speedBy: 'none',
        note:
          `${sockets.toLocaleString('en')} followed boards in each lane, ${USERS_OF_TEAM * TEAMS} users. Memory is the growth of the ` +
          'process, measured after a garbage collection in all its threads; memory of the kernel is not included.' +
          (warning === null ? '' : ` ${warning}`),
        warmUp: false,
        leastSeconds: REST_SECONDS,
        lanes,
      },
    ];
  },
};

async function restOf(stage: Stage, { name, dialect, boards }: Variant, sockets: number): Promise<Lane> {
  const contestant = await stage.start('switchboard');
  const addresses = await openTeams(contestant.url, dialect, boards);
  const audience = new Audience(contestant, stage.load('socket'), { token: '', dialect, boards: addresses.map(unchanged) });
  const meter = await SocketMemory.open(audience);
  return {
    contestant: contestant.name,
    variant: name,
    prepareRound: () => audience.fillTo(sockets),
    measure: (seconds) => meter.rest(seconds),
  };
}

/** No change is made. */
function unchanged(address: SocketAddress): Followed {
  return { address, path: '' };
}

/** The addresses to connect to, one after another, so that all users and boards have equally many. */
async function openTeams(url: string, dialect: Dialect, boards: number): Promise<SocketAddress[]> {
  const teams = await inParallel(TEAMS, () => openTeam(url));
  const rounds = boards === 1 ? BOARDS_OF_TEAM : 1;
  return Array.from({ length: rounds }, (_, round) =>
    teams.flatMap(({ users, boardIds }) =>
      users.map(({ token }): SocketAddress => {
        const followed = boards === 1 ? boardIds.slice(round, round + 1) : boardIds;
        const path = dialect === 'shared' ? `/ws?token=${token}` : `/ws/boards/${followed[0]}?token=${token}`;
        return { path, auth: {}, follows: followed };
      }),
    ),
  ).flat();
}

async function openTeam(url: string): Promise<{ readonly users: readonly Account[]; readonly boardIds: readonly string[] }> {
  const users = await inParallel(USERS_OF_TEAM, () => Account.open(url));
  const [owner, ...others] = users;
  if (owner === undefined) throw new Error('a team has users');
  const boards = await owner.createBoards(BOARDS_OF_TEAM);
  for (const { id } of boards) for (const user of others) await owner.post(`/boards/${id}/invite`, { user_id: user.id });
  return { users, boardIds: boards.map(({ id }) => id) };
}
