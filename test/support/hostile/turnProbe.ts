/**
 * Runs inside a service under attack (`--import`) and writes down the turns of its I/O thread that took long, in CPU time.
 * Another process on the machine makes a bystander wait as well, but no turn longer.
 */
import { appendFileSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { LEAST_TURN_MS, TURNS_FILE } from './turns.js';

const file = process.env[TURNS_FILE];
if (isMainThread && file !== undefined) watchTurns(file);

function watchTurns(file: string): void {
  const clock = openSync('/proc/thread-self/schedstat', 'r');
  const text = Buffer.alloc(128);
  /** The scheduler counts in nanoseconds. */
  const cpuMs = (): number => Number(text.toString('latin1', 0, readSync(clock, text, 0, text.length, 0)).split(' ', 1)[0]) / 1e6;
  let before = cpuMs();
  // Once in each turn, after what the sockets brought. It does not keep the loop awake.
  const endTurn = (): void => {
    const now = cpuMs();
    if (now - before >= LEAST_TURN_MS) appendFileSync(file, `${Date.now()} ${(now - before).toFixed(1)}\n`);
    before = now;
    setImmediate(endTurn).unref();
  };
  endTurn();
}
