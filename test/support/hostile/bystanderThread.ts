/**
 * The thread of a bystander: reads and changes its own card, one request after the other, and keeps the longest wait.
 * It is a separate thread, so that the attack's work in the test's thread does not count as a wait.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Deferred } from '../../../src/flow/deferred.js';
import { RawConnection } from '../http/rawHttp.js';
import { rawJsonRequest, rawRequest } from '../http/rawRequest.js';
import { IS_LONG_FORM } from '../runner/testProcess.js';
import { ownWait, ProcessorDelay, type ProcessorTimes } from './processorDelay.js';

export interface BystanderTask {
  readonly url: string;
  /** Of the service. */
  readonly pid: number;
  readonly token: string;
  readonly cardId: string;
}

/** In milliseconds. */
export interface Waits {
  readonly requests: number;
  readonly longest: number;
  /** The longest without the time in which other processes had the processors. `longest` where the kernel does not count it. */
  readonly longestOwn: number;
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
/** After the first ones the threads are known that serve such requests. */
const FIRST_CHANGES = 12;

const { url, pid, token, cardId } = workerData as BystanderTask;
const port = parentPort;
if (port === null) throw new Error('bystanderThread is started as a worker thread');

interface Underway {
  readonly name: string;
  readonly startedAt: number;
  readonly before: ProcessorTimes | undefined;
}

const noWaits = { requests: 0, longest: 0, longestOwn: 0, slowest: '' };
let waits = { ...noWaits, failures: [] as string[] };
/** A request that is still waiting counts with the time that it has waited so far. */
let underway: Underway | null = null;
const processorDelay = ProcessorDelay.of(pid);
let changes = 0;
let connection: RawConnection | null = null;
let stopped = false;
/** Resolved at the end of the pause; null without one. It begins with one: what prepares an attack is not measured. */
let pause: Deferred<void> | null = new Deferred();

port.on('message', (order: BystanderOrder) => {
  if (order === 'stop') {
    stopped = true;
    disconnect();
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
  if (underway !== null) note(underway);
  port.postMessage(waits satisfies Waits);
  waits = { ...noWaits, failures: [] };
});

function disconnect(): void {
  connection?.close();
  connection = null;
}

async function pauseToEnd(): Promise<void> {
  if (pause === null) return;
  // The service may close the idle connection meanwhile.
  disconnect();
  await pause.promise;
}

function note({ name, startedAt, before }: Underway): void {
  const milliseconds = performance.now() - startedAt;
  if (milliseconds > waits.longestOwn) {
    const own = before === undefined || processorDelay === null ? milliseconds : ownWait(before, processorDelay.now());
    waits.longestOwn = Math.max(waits.longestOwn, own);
  }
  if (milliseconds <= waits.longest) return;
  waits.longest = milliseconds;
  waits.slowest = name;
}

async function ask(name: string, method: string, path: string, json?: object): Promise<void> {
  const asked: Underway = { name, startedAt: performance.now(), before: processorDelay?.now() };
  underway = asked;
  try {
    const status = await send(method, path, json);
    if (status >= 300) waits.failures.push(`${name}: ${status}`);
  } catch (error) {
    if (!stopped) waits.failures.push(`${name}: ${String(error)}`);
    disconnect();
  }
  underway = null;
  waits.requests += 1;
  note(asked);
}

/** On one connection, and without the client of Node, which takes more of the processor than the service. */
async function send(method: string, path: string, json?: object): Promise<number> {
  connection ??= await RawConnection.open(url);
  const [line, headers] = [`${method} ${path}`, [`Authorization: Bearer ${token}`]];
  await connection.send(json === undefined ? rawRequest(line, headers) : rawJsonRequest(line, json, headers));
  return (await connection.response()).status;
}

for (; changes < FIRST_CHANGES; changes += 1) await ask('change', 'PATCH', `/cards/${cardId}`, { title: `first change ${changes}` });
processorDelay?.findThreads(FIRST_CHANGES);
port.postMessage('ready');
while (!stopped) {
  await pauseToEnd();
  changes += 1;
  await ask('read', 'GET', `/cards/${cardId}`);
  await ask('change', 'PATCH', `/cards/${cardId}`, { title: `change ${changes}` });
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
