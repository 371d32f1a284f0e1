/**
 * How long changes wait when something of three machines fails. Each machine is an instance and a nats-server; clients use
 * the machines that still run, and try again whatever is not answered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Machines } from '../../test/support/cluster/machines.js';
import { findClusterNats } from '../../test/support/cluster/natsServer.js';
import { newUser } from '../../test/support/http/users.js';
import { Histogram } from '../histogram.js';
import type { Group, Lane, Round } from './scenario.js';

/** Enough that each shard has one. */
const BOARDS = 16;
const PACE_MS = 50;
const RETRY_MS = 25;
/** Before the fault, and after the last board was changed again. */
const CALM_MS = 1_000;
/** It fails; the clients use the others. */
const FAILING = 0;
const OTHERS = [1, 2];

interface Outage {
  readonly variant: string;
  fail(machines: Machines): Promise<void>;
  mend(machines: Machines): Promise<void>;
}

const OUTAGES: readonly Outage[] = [
  {
    variant: 'an instance is killed',
    fail: (machines) => machines.service(FAILING).kill(),
    mend: async (machines) => void (await machines.startInstance(FAILING)),
  },
  {
    variant: 'a machine is lost',
    fail: async (machines) => void (await Promise.all([machines.service(FAILING).kill(), machines.nats.kill(FAILING)])),
    mend: async (machines) => {
      await machines.nats.start(FAILING);
      await machines.startInstance(FAILING);
    },
  },
  {
    variant: 'a nats-server is restarted',
    fail: async ({ nats }) => {
      await nats.stop(FAILING);
      await nats.start(FAILING);
    },
    mend: () => Promise.resolve(),
  },
  { variant: 'a machine is cut off', fail: async ({ nats }) => nats.links.isolate(FAILING), mend: async ({ nats }) => nats.links.heal() },
  {
    variant: 'a machine returns that was cut off',
    fail: async ({ nats }) => {
      nats.links.isolate(FAILING);
      // Long enough for another owner and another leader.
      await sleep(15_000);
      nats.links.heal();
    },
    mend: () => Promise.resolve(),
  },
];

export const outages: Group = {
  name: 'outages',
  summary: 'how long changes wait when an instance, a machine, a nats-server or a link fails',
  onlyInFull: true,
  async prepare(stage) {
    const nats = await findClusterNats();
    if ('missing' in nats) {
      stage.note(`no scenarios with several machines: ${nats.missing}`);
      return [];
    }
    const machines = await Machines.start({ teardown: (stop: () => unknown) => stage.onClear(stop) }, nats.path);
    const { token } = await newUser(machines.api(OTHERS[0] ?? 0));
    const boards = await Promise.all(
      Array.from({ length: BOARDS }, async (_, n) => {
        const { body } = await machines.api(n % 3).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Board' } });
        return body.id;
      }),
    );
    const change = async (board: string, n: number): Promise<boolean> => {
      const api = machines.api(OTHERS[n % OTHERS.length] ?? 0);
      const { status } = await api.request('PATCH', `/boards/${board}`, { token, json: { title: `Title ${n}` } });
      return status === 200;
    };
    return [
      {
        name: 'changes',
        title: 'changes while something fails, one in 50 ms on each of 16 boards',
        operation: 'change',
        note: 'All machines share the cores and the disk. A change counts from its first attempt until it is answered.',
        speedBy: 'none',
        warmUp: false,
        lanes: OUTAGES.map((outage): Lane => ({
          contestant: 'switchboard',
          variant: outage.variant,
          prepareRound: async () => void (await machines.settled()),
          measure: () => suffer(machines, outage, boards, change),
        })),
      },
    ];
  },
};

/** Changes every board at its pace, through the fault and until each board was changed again. */
async function suffer(
  machines: Machines,
  outage: Outage,
  boards: readonly string[],
  change: (board: string, n: number) => Promise<boolean>,
): Promise<Round> {
  const waits = new Histogram();
  let [longestWait, count, isOver] = [0, 0, false];
  const changeAll = async (board: string, first: number): Promise<void> => {
    for (let n = first; !isOver; n += 1) {
      const startedAt = performance.now();
      // Another machine for each attempt, as a load balancer would choose.
      for (let attempt = n; !(await change(board, attempt).catch(() => false)); attempt += 1) await sleep(RETRY_MS);
      const waited = performance.now() - startedAt;
      waits.record(waited);
      longestWait = Math.max(longestWait, waited);
      count += 1;
      await sleep(PACE_MS);
    }
  };
  const startedAt = performance.now();
  const changing = Promise.all(boards.map(changeAll));
  await sleep(CALM_MS);
  await outage.fail(machines);
  await Promise.all(
    boards.map(async (board, n) => {
      for (let attempt = n; !(await change(board, attempt).catch(() => false)); attempt += 1) await sleep(RETRY_MS);
    }),
  );
  await sleep(CALM_MS);
  isOver = true;
  await changing;
  const seconds = (performance.now() - startedAt) / 1000;
  await outage.mend(machines);
  return { figures: { rate: count / seconds, longestWait }, latency: waits.pack(), problems: [] };
}
