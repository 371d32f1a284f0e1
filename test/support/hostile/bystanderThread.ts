/**
 * The thread of a bystander: reads and changes its own card, one request after the other, and keeps the longest wait.
 * It is a separate thread, so that the attack's work in the test's thread does not count as a wait.
 */
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { Deferred } from '../../../src/flow/deferred.js';
import { IS_LONG_FORM } from '../runner/testProcess.js';

export interface BystanderTask {
  readonly url: string;
  readonly token: string;
  readonly cardId: string;
}

/** In milliseconds. */
export interface Waits {
  readonly requests: number;
  readonly longest: number;
  /** Which request it was. */
  readonly slowest: string;
  /** Anything but success. */
  readonly failures: readonly string[];
}

/** `measure` returns the waits since the last one. */
export type BystanderOrder = 'measure' | 'pause' | 'resume' | 'stop';

/**
 * A stall that begins in it seems shorter by as much. In the ordinary form the limit is so far above it that no stall is
 * missed, and the requests of two bystanders took more of the processor than the attacks.
 */
const PAUSE_MS = IS_LONG_FORM ? 2 : 8;

const { url, token, cardId } = workerData as BystanderTask;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const port = parentPort;
if (port === null) throw new Error('bystanderThread is started as a worker thread');

let waits = { requests: 0, longest: 0, slowest: '', failures: [] as string[] };
/** A request that is still waiting counts with the time that it has waited so far. */
let underway: { readonly name: string; readonly startedAt: number } | null = null;
let changes = 0;
let stopped = false;
/** Resolved at the end of the pause; null without one. */
let pause: Deferred<void> | null = null;

port.on('message', (order: BystanderOrder) => {
  if (order === 'stop') {
    stopped = true;
    agent.destroy();
    port.close();
    return;
  }
  if (order === 'pause') {
    pause ??= new Deferred();
    return;
  }
  if (order === 'resume') {
    pause?.resolve();
    pause = null;
    return;
  }
  if (underway !== null) note(underway.name, performance.now() - underway.startedAt);
  port.postMessage(waits satisfies Waits);
  waits = { requests: 0, longest: 0, slowest: '', failures: [] };
});

async function pauseToEnd(): Promise<void> {
  if (pause === null) return;
  // The service may close the idle connection meanwhile.
  agent.destroy();
  await pause.promise;
}

function note(name: string, milliseconds: number): void {
  if (milliseconds <= waits.longest) return;
  waits.longest = milliseconds;
  waits.slowest = name;
}

async function ask(name: string, method: string, path: string, json?: object): Promise<void> {
  const startedAt = performance.now();
  underway = { name, startedAt };
  try {
    const status = await send(method, path, json);
    if (status >= 300) waits.failures.push(`${name}: ${status}`);
  } catch (error) {
    if (!stopped) waits.failures.push(`${name}: ${String(error)}`);
  }
  underway = null;
  waits.requests += 1;
  note(name, performance.now() - startedAt);
}

function send(method: string, path: string, json?: object): Promise<number> {
  const body = json === undefined ? '' : JSON.stringify(json);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

while (!stopped) {
  await pauseToEnd();
  changes += 1;
  await ask('read', 'GET', `/cards/${cardId}`);
  await ask('change', 'PATCH', `/cards/${cardId}`, { title: `change ${changes}` });
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
