import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { watchLoopDelay } from '../../src/metrics/loopDelay.js';

const SAMPLES_MS = 250;
const BLOCKED_MS = 600;
/** A sample can be due that long after the thread was blocked. */
const LEAST_SECONDS = 0.4;

t.test('a thread that was blocked shows about how long, once', async (t) => {
  const delay = watchLoopDelay();
  t.teardown(() => delay.stop());
  await pause(SAMPLES_MS);
  for (const end = performance.now() + BLOCKED_MS; performance.now() < end;);
  await pause(SAMPLES_MS);
  const blocked = delay.read();
  t.ok(blocked.p99 >= LEAST_SECONDS, `${blocked.p99} s`);
  t.ok(delay.read().p99 < blocked.p99, 'a reading is of what happened since the one before');
});
