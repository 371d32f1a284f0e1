/** Ten thousand idle sockets: the time to connect, the cost at rest, the time to reconnect. */
import type { ContestantName } from '../processes/contestant.js';
import type { Figures } from '../results.js';
import { HANDSHAKES_AT_ONCE, openAudiences, type Audience } from './audience.js';
import { metered, watch } from './metered.js';
import type { Group, Lane, Round } from './scenario.js';
import { affordableSockets } from './socketLimit.js';

const RIVALS = ['fastify', 'socketio'] as const;
const SOCKETS = 10_000;
const BOARDS = 1_000;
/** Clients that lost their server reconnect all at once. */
const STORM_AT_ONCE = 1_000;
/** Long enough to see heartbeats, which come every 30 seconds but are spread over them. */
const REST_SECONDS = 1;

export const connections: Group = {
  name: 'connections',
  summary: '10,000 sockets on 1,000 boards: connecting, at rest, and reconnecting after a cut',
  async prepare(stage) {
    const { sockets, warning } = affordableSockets(SOCKETS, BOARDS);
    if (warning !== null) stage.note(warning);
    const names: ContestantName[] = ['limit', 'switchboard', ...(stage.depth === 'full' ? RIVALS : [])];
    const audiences = await openAudiences(stage, names, BOARDS);
    const meters = await Promise.all(audiences.map((audience) => SocketMemory.open(audience)));
    const share = Math.floor(sockets / stage.rounds);
    const cut = stage.depth === 'quick' ? share : share * stage.rounds;
    const note = [
      `${sockets.toLocaleString('en')} sockets, ${sockets / BOARDS} on each of ${BOARDS.toLocaleString('en')} boards.`,
      'Memory is the growth of the process, measured after a garbage collection in all its threads;',
      'memory of the kernel is not included. All sockets belong to one user, so the caches of users and tokens are not',
      'included either.',
      ...(warning === null ? [] : [warning]),
    ].join(' ');
    return [
      {
        name: 'connect',
        title: 'connecting',
        operation: 'socket',
        note,
        warmUp: false,
        lanes: meters.map((meter) => meter.lane(() => meter.audience.connect(share, HANDSHAKES_AT_ONCE))),
      },
      {
        name: 'rest',
        title: `${sockets.toLocaleString('en')} sockets at rest`,
        operation: 'second',
        note,
        warmUp: false,
        leastSeconds: REST_SECONDS,
        lanes: meters.map((meter) => ({
          contestant: meter.audience.contestant.name,
          measure: (seconds) => meter.rest(seconds),
        })),
      },
      {
        name: 'storm',
        title: `${cut.toLocaleString('en')} of them cut off and reconnecting`,
        operation: 'socket',
        note,
        warmUp: false,
        lanes: meters.map((meter) => ({
          ...meter.lane(() => meter.audience.connect(cut, STORM_AT_ONCE)),
          prepareRound: async () => {
            await meter.audience.load.run({ kind: 'drop', count: cut });
          },
        })),
      },
    ];
  },
};

/** The cost of all sockets of a contestant. */
export class SocketMemory {
  readonly audience: Audience;
  readonly #residentBefore: number | null;

  private constructor(audience: Audience, residentBefore: number | null) {
    this.audience = audience;
    this.#residentBefore = residentBefore;
  }

  static async open(audience: Audience): Promise<SocketMemory> {
    await audience.contestant.collectGarbage();
    return new SocketMemory(audience, audience.contestant.usage()?.residentBytes ?? null);
  }

  lane(connect: () => ReturnType<Audience['connect']>): Lane {
    const { contestant } = this.audience;
    return {
      contestant: contestant.name,
      measure: async () => {
        const round = await metered(contestant, connect);
        return { ...round, figures: { ...round.figures, ...(await this.figures()) } };
      },
    };
  }

  async rest(seconds: number): Promise<Round> {
    const { contestant } = this.audience;
    const sleep = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const { cpu, peakBytes, seconds: elapsed } = await watch(contestant, sleep);
    const idle: Figures = cpu === null || peakBytes === null ? {} : { idleShare: cpu.totalMicros / (elapsed * 1e6), peakBytes };
    const figures = { ...idle, ...(await this.figures()) };
    const problems = (figures.lost ?? 0) > 0 ? [`${figures.lost} sockets were lost`] : [];
    return { figures, latency: [], problems };
  }

  async figures(): Promise<Figures> {
    const { open, lost } = await this.audience.load.run({ kind: 'state' });
    await this.audience.contestant.collectGarbage();
    const resident = this.audience.contestant.usage()?.residentBytes;
    if (resident === undefined || this.#residentBefore === null || open === 0) return { sockets: open, lost };
    return { sockets: open, lost, bytesPerSocket: (resident - this.#residentBefore) / open };
  }
}
