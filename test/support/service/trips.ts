/** Which modules of a running service a request passes through, in all its threads, by the coverage that V8 counts. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { until } from '../until.js';
import type { ServiceProcess, Settings } from './serviceProcess.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string;
    readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly count: number }> }>;
  }>;
}

/** For the environment of the service. */
export const INSPECTED: Settings = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const SOURCES = '/dist/src/';
/** What runs for another reason does not run each time. */
export const REPETITIONS = 3;
/** Longer than the intervals of timers that run all the time. */
const IDLE_MS = 5_500;

export class Trips {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (message: Message) => void>();
  /** The main thread, and the others by the name of their session. */
  readonly #threads = new Set<string>();
  /** Functions that timers run without a request. On a busy machine each request takes longer than their intervals. */
  #background: ReadonlySet<string> = new Set();
  /** Threads that begin to count. */
  #beginning: Promise<void> = Promise.resolve();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse(String(data)) as Message));
  }

  static async attach(service: ServiceProcess): Promise<Trips> {
    const address = await until(async () => /ws:\/\/\S+/.exec(service.errors)?.[0]);
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const trips = new Trips(socket);
    await trips.#ask('', 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    await trips.#count('');
    return trips;
  }

  /** Learns what runs without a request. */
  async idle(): Promise<void> {
    await this.#takeFunctions();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    this.#background = new Set([...(await this.#takeFunctions()).values()].flat());
  }

  close(): void {
    this.#socket.terminate();
  }

  /** Modules that `request` runs every time, by their path below the sources. */
  async modulesOf(request: () => Promise<unknown>): Promise<string[]> {
    const trips: Array<Set<string>> = [];
    while (trips.length < REPETITIONS) {
      await this.#takeModules();
      await request();
      trips.push(await this.#takeModules());
    }
    const [first = new Set<string>(), ...others] = trips;
    return [...first].filter((module) => others.every((trip) => trip.has(module))).sort();
  }

  async #count(thread: string): Promise<void> {
    await this.#ask(thread, 'Profiler.enable', {});
    await this.#ask(thread, 'Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    this.#threads.add(thread);
  }

  async #takeModules(): Promise<Set<string>> {
    const run = [...(await this.#takeFunctions())];
    return new Set(run.filter(([, functions]) => functions.some((each) => !this.#background.has(each))).map(([module]) => module));
  }

  /** The functions that ran since the last call, by module. */
  async #takeFunctions(): Promise<Map<string, string[]>> {
    await this.#beginning;
    const reports = (await this.#askAll('Profiler.takePreciseCoverage')) as Coverage[];
    const run = new Map<string, string[]>();
    for (const { url, functions } of reports.flatMap(({ result }) => result)) {
      if (!url.includes(SOURCES)) continue;
      const module = url.slice(url.indexOf(SOURCES) + SOURCES.length);
      const counted = functions.flatMap(({ ranges: [range] }) =>
        range === undefined || range.count === 0 ? [] : [`${module} ${range.startOffset}`],
      );
      if (counted.length > 0) run.set(module, [...(run.get(module) ?? []), ...counted]);
    }
    return run;
  }

  #askAll(method: string, params: object = {}): Promise<unknown[]> {
    return Promise.all([...this.#threads].map((thread) => this.#ask(thread, method, params)));
  }

  async #ask(thread: string, method: string, params: object): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(`${thread} ${id}`, resolve));
    const message = { id, method, params };
    // What is meant for a thread travels as text in a message to the main one, whose answer says only that it was passed on.
    const sent =
      thread === ''
        ? message
        : { id: -id, method: 'NodeWorker.sendMessageToWorker', params: { sessionId: thread, message: JSON.stringify(message) } };
    this.#socket.send(JSON.stringify(sent));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #take({ id, method, params, ...rest }: Message, thread = ''): void {
    const { sessionId = '', message = '' } = params ?? {};
    if (method === 'NodeWorker.attachedToWorker') this.#beginning = Promise.all([this.#beginning, this.#count(sessionId)]).then(() => undefined);
    else if (method === 'NodeWorker.detachedFromWorker') this.#threads.delete(sessionId);
    else if (method === 'NodeWorker.receivedMessageFromWorker') this.#take(JSON.parse(message) as Message, sessionId);
    else this.#waiting.get(`${thread} ${id}`)?.(rest);
  }
}
