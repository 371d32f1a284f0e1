/**
 * A service under attack in its own process, with a bystander on another board. Beside it runs a second service without
 * an attack and with its own bystander, whose waits show the noise of the machine. Where the kernel counts it, a bystander's
 * wait for processors that other processes have does not count either.
 */
import type { Test } from 'tap';
import { Api } from '../http/api.js';
import { temporaryFolder } from '../store/folder.js';
import { ServiceProcess, type Settings } from '../service/serviceProcess.js';
import { atProcessEnd } from '../runner/processEnd.js';
import { IS_LONG_FORM } from '../runner/testProcess.js';
import { reportedWait } from '../runner/waits.js';
import { newUser, type TestUser } from '../http/users.js';
import { Bystander } from './bystander.js';
import type { Waits } from './bystanderThread.js';
import { forgetPeak, peakBytes, residentBytes } from './processMemory.js';
import { Turns } from './turns.js';

const MIB = 1024 * 1024;
/** How long a bystander is watched before the attack. */
const QUIET_MS = 300;

export { IS_LONG_FORM };

/**
 * A bystander waits at most this much longer than without the attack, on a busy machine: the suite finds the stalls of a
 * second and more that attacks caused before, and with the pause of a bystander each of 158 ms. The promise is
 * `PROMISED_EXTRA_WAIT_MS`; the long form (`npm test -- --long hostile`, on an idle machine) judges it by the median of its rounds.
 */
export const MAX_EXTRA_WAIT_MS = 150;
/** The factor for the longest wait of the other service: a process with more work waits longer for the processor. */
const NOISE = IS_LONG_FORM ? 1 : 2;

/** The maximum growth of the process. */
export const MAX_GROWTH_BYTES = 300 * MIB;

/** The service without an attack. The tests of a process run one after another and share it. */
let control: Promise<WatchedService> | null = null;

export interface Damage {
  /** How much longer a bystander waited than that of the service without an attack, or than before; milliseconds. */
  readonly extraWaitMs: number;
  /** The bystander's longest wait without the time in which other processes had the processors. */
  readonly ownWaitMs: number;
  /** From the resident memory before the attack to the peak during it. */
  readonly growthBytes: number;
  readonly failures: readonly string[];
  /** All figures, for the output of the test. */
  readonly figures: string;
}

export class AttackedService {
  readonly service: ServiceProcess;
  readonly api: Api;
  readonly attacker: TestUser;
  readonly bystander: TestUser;
  readonly #watcher: Bystander;
  readonly #control: Bystander;
  readonly #turns: Turns;
  #attacks = 0;

  private constructor(attacked: WatchedService, attacker: TestUser, control: WatchedService) {
    this.service = attacked.service;
    this.api = attacked.api;
    this.attacker = attacker;
    this.bystander = attacked.bystander;
    this.#watcher = attacked.watcher;
    this.#control = control.watcher;
    this.#turns = attacked.turns;
  }

  static async start(t: Test, settings: Settings = {}): Promise<AttackedService> {
    control ??= startWatched({ teardown: atProcessEnd }, {});
    const [attacked, other] = await Promise.all([startWatched(t, settings), control]);
    return new AttackedService(attacked, await newUser(attacked.api), other);
  }

  get url(): string {
    return this.service.url;
  }

  /** Runs the attack and measures its effect on others. */
  async suffer(t: Test, attack: () => Promise<unknown>): Promise<Damage> {
    const { pid } = this.service;
    const watchers = [this.#watcher, this.#control] as const;
    for (const watcher of watchers) watcher.resume();
    await Promise.all(watchers.map((watcher) => watcher.measure()));
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const [quiet] = await Promise.all([this.#watcher.measure(), this.#control.measure()]);
    const before = residentBytes(pid);
    forgetPeak(pid);
    const startedAt = Date.now();
    await attack();
    const [waits, control] = await Promise.all([this.#watcher.measure(), this.#control.measure()]);
    const growthBytes = peakBytes(pid) - before;
    for (const watcher of watchers) watcher.pause();
    const longestTurnMs = Math.round(this.#turns.longestSince(startedAt));
    const ownWaitMs = waits.longestOwn;
    const extraWaitMs = extraWait(waits, Math.max(quiet.longest, control.longest));
    const figures =
      `longest wait ${Math.round(waits.longest)} ms (${waits.slowest}; ${Math.round(ownWaitMs)} ms by the service itself; before ${Math.round(quiet.longest)} ms, elsewhere ` +
      `${Math.round(control.longest)} ms) in ${waits.requests} requests; memory ${Math.round(before / MIB)} MB, ` +
      `grew by ${Math.round(growthBytes / MIB)} MB${IS_LONG_FORM ? `; a turn took ${longestTurnMs} ms of CPU` : ''}`;
    t.comment(figures);
    this.#attacks += 1;
    t.comment(reportedWait(this.#attacks, t.name, extraWaitMs, longestTurnMs));
    return { extraWaitMs, ownWaitMs, growthBytes, failures: [...quiet.failures, ...waits.failures], figures };
  }

  /** A request by the attacker; the answer is not validated. */
  async send(method: string, path: string, body?: string | object, token = this.attacker.token): Promise<Response> {
    const isText = typeof body === 'string';
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
  }

  /** A request that must succeed. */
  async do<Body = { id: string }>(method: string, path: string, body?: string | object): Promise<Body> {
    const response = await this.send(method, path, body);
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }
}

/** `noiseMs`: the longest wait without the attack. Never more than by the clock alone: what is excused is only time of other processes. */
export function extraWait({ longest, longestOwn }: Pick<Waits, 'longest' | 'longestOwn'>, noiseMs: number): number {
  return Math.min(longestOwn, longest - NOISE * noiseMs);
}

/** The attack did not affect others, and the service is healthy. */
export async function expectUnharmed(t: Test, attacked: AttackedService, damage: Damage): Promise<void> {
  t.strictSame(damage.failures, [], 'every request of the bystander succeeds');
  if (!IS_LONG_FORM) t.ok(damage.extraWaitMs <= MAX_EXTRA_WAIT_MS, `a bystander hardly waits: ${damage.figures}`);
  t.ok(damage.growthBytes <= MAX_GROWTH_BYTES, `the process hardly grows: ${damage.figures}`);
  t.ok(attacked.service.isRunning, 'the process lives');
  const health = await fetch(`${attacked.url}/health`);
  t.match(await health.json(), { status: 'ok' });
}

interface WatchedService {
  readonly service: ServiceProcess;
  readonly api: Api;
  readonly bystander: TestUser;
  readonly watcher: Bystander;
  readonly turns: Turns;
}

async function startWatched(t: Pick<Test, 'teardown'>, settings: Settings): Promise<WatchedService> {
  const turns = new Turns(await temporaryFolder(t));
  const service = await ServiceProcess.start({ DATA_DIR: await temporaryFolder(t), ...(IS_LONG_FORM ? turns.settings : {}), ...settings });
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const bystander = await newUser(api);
  const cardId = await createCard(api, bystander.token);
  const watcher = await Bystander.start({ url: service.url, pid: service.pid, token: bystander.token, cardId });
  t.teardown(() => watcher.stop());
  return { service, api, bystander, watcher, turns };
}

/** Creates a board with one card and returns the card's id. */
async function createCard(api: Api, token: string): Promise<string> {
  const create = async (path: string, json: object): Promise<string> => {
    const { status, body } = await api.request<{ id: string }>('POST', path, { token, json });
    if (status !== 201) throw new Error(`POST ${path} answered ${status}`);
    return body.id;
  };
  const board = await create('/boards', { title: 'A quiet board' });
  const column = await create(`/boards/${board}/columns`, { title: 'To do' });
  return create(`/boards/${board}/columns/${column}/cards`, { title: 'Work' });
}
