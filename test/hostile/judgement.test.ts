/** What counts as an effect of an attack: a stall that the service causes itself, and no wait for other processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { packagePath } from '../../src/paths.js';
import { AttackedService, extraWait, MAX_EXTRA_WAIT_MS } from '../support/hostile/attackedService.js';
import { BUSY_MS, BUSY_SIGNAL } from '../support/hostile/busyTurn.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { ownWait, type ProcessorTimes } from '../support/hostile/processorDelay.js';

const options = { skip: WITHOUT_PEAK };
const BUSY_TURN = packagePath('dist', 'test', 'support', 'hostile', 'busyTurn.js');
const LOOPS = 4;
const WATCHED_MS = 1_200;

/** Processes that compute without end, until the returned function is called. */
async function startLoops(t: Test, count: number): Promise<() => Promise<unknown>> {
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'console.log(); for (;;);'], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const stop = (): Promise<unknown> =>
    Promise.all(loops.map(async (loop) => loop.exitCode === null && loop.signalCode === null && loop.kill('SIGKILL') && once(loop, 'exit')));
  t.teardown(stop);
  await Promise.all(loops.map(({ stdout }) => once(stdout, 'data')));
  return stop;
}

const watched = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, WATCHED_MS));

t.test('a service that stalls by its own work is found, also beside busy processes', options, async (t) => {
  const attacked = await AttackedService.start(t, { NODE_OPTIONS: `--import ${pathToFileURL(BUSY_TURN).href}`, BUSY_TURNS: '1' });
  for (const loops of [0, LOOPS]) {
    const { ownWaitMs, figures } = await attacked.suffer(t, async () => {
      const stop = await startLoops(t, loops);
      process.kill(attacked.service.pid, BUSY_SIGNAL);
      await watched();
      // It has ended by then: a request waits for it.
      await attacked.send('GET', '/health');
      await stop();
    });
    t.ok(ownWaitMs > MAX_EXTRA_WAIT_MS, `beside ${loops}: ${figures}`);
  }
});

t.test('a quiet service beside busy processes is not blamed', options, async (t) => {
  const attacked = await AttackedService.start(t);
  const { ownWaitMs, figures } = await attacked.suffer(t, async () => {
    const stop = await startLoops(t, LOOPS);
    await watched();
    await stop();
  });
  t.ok(ownWaitMs <= MAX_EXTRA_WAIT_MS, figures);
});

/** The thread of the service, and that of the bystander. */
function times(at: number, [ran, delayed]: readonly [number, number], service = ran, stolen = 0): ProcessorTimes {
  return { at, threads: [{ ran, delayed, slices: 0 }, NEVER_DELAYED], service, stolen: [stolen, 0] };
}
const NEVER_DELAYED = { ran: 0, delayed: 0, slices: 0 };
const START = times(0, [0, 0]);

t.test('of a wait counts what is not a wait for processors that others have', async (t) => {
  const own = (after: ProcessorTimes): number => Math.round(ownWait(START, after, 2));
  t.equal(own(times(200, [10, 0])), 200, 'it slept: for a disk, or a timer');
  t.equal(own(times(200, [0, 180])), 20, 'it waited for a processor');
  t.equal(own(times(200, [0, 180], 200)), 110, 'half of which the service itself had');
  t.equal(own(times(200, [0, 180], 400)), 200, 'all of which the service itself had');
  t.equal(own(times(1_000, [BUSY_MS, 600])), 520, 'it computed, beside others');
  t.equal(own(times(200, [10, 0], 10, 150)), 50, 'the machine stood still');
  const twice = {
    ...times(1_000, [BUSY_MS, 600]),
    threads: [
      { ran: BUSY_MS, delayed: 600, slices: 0 },
      { ran: 0, delayed: 900, slices: 0 },
    ],
  };
  t.equal(own(twice), BUSY_MS, 'others that are delayed meanwhile do not excuse it');
});

t.test('a bystander is delayed if neither other processes nor the noise of the machine explain its wait', async (t) => {
  t.ok(extraWait({ longest: 430, longestOwn: 400 }, 20) > MAX_EXTRA_WAIT_MS);
  t.ok(extraWait({ longest: 4_000, longestOwn: 340 }, 140) > MAX_EXTRA_WAIT_MS);
  t.ok(extraWait({ longest: 4_000, longestOwn: 10 }, 140) <= MAX_EXTRA_WAIT_MS, 'other processes had the processors');
  t.ok(extraWait({ longest: 400, longestOwn: 400 }, 200) <= MAX_EXTRA_WAIT_MS, 'a slow disk delays the other service too');
});
