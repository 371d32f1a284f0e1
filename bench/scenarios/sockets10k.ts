/** Ten thousand sockets held for minutes, with heartbeats, while boards change. */
import { openAudiences } from './audience.js';
import { SocketMemory } from './connections.js';
import { watch } from './metered.js';
import type { Group } from './scenario.js';
import { affordableSockets } from './socketLimit.js';

const SOCKETS = 10_000;
const BOARDS = 100;
const CHANGES_PER_SECOND = 50;
/** Four heartbeats of every socket. */
const SECONDS = 120;

export const sockets10k: Group = {
  name: 'sockets10k',
  summary: '10,000 sockets on 100 boards held for two minutes (or --seconds) while 50 changes a second are made',
  onlyInFull: true,
  async prepare(stage) {
    const { sockets, warning } = affordableSockets(SOCKETS, BOARDS);
    if (warning !== null) stage.note(warning);
    const audiences = await openAudiences(stage, ['limit', 'switchboard'], BOARDS);
    const meters = await Promise.all(audiences.map((audience) => SocketMemory.open(audience)));
    return [
      {
        name: 'held',
        title: `${sockets.toLocaleString('en')} sockets, ${CHANGES_PER_SECOND} changes a second`,
        operation: 'change',
        speedBy: 'none',
        note: `Each change goes to ${sockets / BOARDS} sockets.${warning === null ? '' : ` ${warning}`}`,
        rounds: 1,
        warmUp: false,
        seconds: stage.seconds ?? SECONDS,
        async begin() {
          for (const audience of audiences) await audience.fillTo(sockets);
        },
        lanes: meters.map((meter) => ({
          contestant: meter.audience.contestant.name,
          async measure(seconds) {
            const { audience } = meter;
            const pace = { kind: 'rate', perSecond: CHANGES_PER_SECOND } as const;
            const { value: round, cpu, seconds: elapsed } = await watch(audience.contestant, () => audience.change(pace, sockets, seconds));
            const share = cpu === null ? {} : { idleShare: cpu.totalMicros / (elapsed * 1e6) };
            const figures = { ...round.figures, ...share, ...(await meter.figures()) };
            const lost = figures.lost ?? 0;
            const losses = lost > 0 ? [`${lost} sockets were lost`] : [];
            return { ...round, figures, problems: [...round.problems, ...losses] };
          },
        })),
      },
    ];
  },
};
