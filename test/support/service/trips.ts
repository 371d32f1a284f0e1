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
    readonly functions: ReadonlyArray<{ readonly functionName: string; readonly ranges: ReadonlyArray<{ readonly count: number }> }>;
  }>;
}

/** For the environment of the service. */
export const INSPECTED: Settings = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const SOURCES = '/dist/src/';
/** Timers run modules too, but not each time. */
export const REPETITIONS = 3;

export class Trips {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (message: Message) => void>();
  /** The main thread, and the others by the name of their session. */
  readonly #threads = new Set<string>();
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
    await this.#beginning;
    const reports = (await this.#askAll('Profiler.takePreciseCoverage')) as Coverage[];
    const run = reports.flatMap(({ result }) =>
      result.filter(({ url, functions }) => url.includes(SOURCES) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)),
    );
    return new Set(run.map(({ url }) => url.slice(url.indexOf(SOURCES) + SOURCES.length)));
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
    const sent = thread === '' ? message : { id: -id, method: 'NodeWorker.sendMessageToWorker', params: { sessionId: thread, message: JSON.stringify(message) } };
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
