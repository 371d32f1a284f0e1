/** One change, sent to every client of the board. */
import { openAudiences, type Audience } from './audience.js';
import { socketsPossible } from './socketLimit.js';
import type { Depth, Group, Scenario } from './scenario.js';

/** Enough that the next change waits when one is done; with more, servers would join changes into one write. */
const CHANGES_IN_FLIGHT = 4;
/** Before the sockets connect: with them too few changes would run to compile the code. */
const WARM_UP_SECONDS = 0.7;
const AUDIENCES: Readonly<Record<Depth, readonly number[]>> = {
  quick: [1_000],
  normal: [100, 1_000],
  full: [100, 1_000, 5_000],
};
const MANY_BOARDS = 1_000;
const SOCKETS_PER_BOARD = 10;

const EVERYONE = ['limit', 'switchboard', 'fastify', 'socketio'] as const;

export const fanout: Group = {
  name: 'fanout',
  summary: 'one change to 100, 1,000 and (with --full) 5,000 sockets of a board, and to 1,000 boards of 10 sockets',
  async prepare(stage) {
    const audiences = await openAudiences(stage, EVERYONE, 1);
    const scenarios = AUDIENCES[stage.depth]
      .filter((sockets) => sockets <= socketsPossible())
      .map((sockets) => {
        const title = `one change to ${sockets.toLocaleString('en')} sockets of a board`;
        return fanoutScenario(String(sockets), title, sockets, audiences);
      });
    if (stage.depth !== 'full') return scenarios;
    const spread = await openAudiences(stage, EVERYONE, MANY_BOARDS);
    const title = `one change to ${SOCKETS_PER_BOARD} sockets, on ${MANY_BOARDS.toLocaleString('en')} boards in turn`;
    return [...scenarios, fanoutScenario('boards', title, MANY_BOARDS * SOCKETS_PER_BOARD, spread)];
  },
};

function fanoutScenario(name: string, title: string, sockets: number, audiences: readonly Audience[]): Scenario {
  return {
    name,
    title,
    operation: 'change',
    note: 'Latency is from the request to each socket. The limit publishes and does not store.',
    async begin() {
      for (const audience of audiences) await audience.warmUp(WARM_UP_SECONDS);
      for (const audience of audiences) await audience.fillTo(sockets);
    },
    lanes: audiences.map((audience) => ({
      contestant: audience.contestant.name,
      measure: (seconds) => audience.change({ kind: 'window', inFlight: CHANGES_IN_FLIGHT }, sockets, seconds),
    })),
  };
}
