/** How long a change takes to reach the clients of a board that is busy but not overloaded. */
import { openAudiences } from './audience.js';
import type { Group } from './scenario.js';

const CHANGES_PER_SECOND = 200;
const SOCKETS = 100;
const RIVALS = ['fastify', 'socketio'] as const;
/** In shorter rounds a single change would decide the 99th percentile. */
const LEAST_SECONDS = 0.8;
const WARM_UP_SECONDS = 0.7;

export const delivery: Group = {
  name: 'delivery',
  summary: 'the time from a request to each of 100 sockets, at 200 changes a second',
  async prepare(stage) {
    const rivals = stage.depth === 'quick' ? [] : RIVALS;
    const audiences = await openAudiences(stage, ['limit', 'switchboard', ...rivals], 1);
    return [
      {
        name: 'busy-board',
        title: `${CHANGES_PER_SECOND} changes a second to ${SOCKETS} sockets`,
        operation: 'change',
        speedBy: 'none',
        note: 'Latency is from the request to each socket. The limit publishes and does not store.',
        leastSeconds: LEAST_SECONDS,
        async begin() {
          for (const audience of audiences) await audience.warmUp(WARM_UP_SECONDS);
          for (const audience of audiences) await audience.fillTo(SOCKETS);
        },
        lanes: audiences.map((audience) => ({
          contestant: audience.contestant.name,
          measure: (seconds) => audience.change({ kind: 'rate', perSecond: CHANGES_PER_SECOND }, SOCKETS, seconds),
        })),
      },
    ];
  },
};
