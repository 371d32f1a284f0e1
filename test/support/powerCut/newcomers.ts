/** Registers one user after another, each with a board: the directory and a shard must both keep them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { Api } from '../http/api.js';
import { logIn, newRegistration, register, type Registration } from '../http/users.js';
import { Promised } from '../store/promised.js';

interface Newcomer {
  readonly registration: Registration;
  readonly isRegistered: Promised<boolean>;
  readonly hasBoard: Promised<boolean>;
}

const PREFIX = 'newcomer';
/** Each registration and login hashes a password, and takes a core for that time. */
const PACE_MS = 50;
/** For the same reason not all of them log in after a cut. */
const LOGINS = 2;
/** The list of boards follows the boards. */
const DELIVERY_MS = 5_000;
const RETRY_MS = 50;

export class Newcomers {
  readonly #all: Newcomer[] = [];

  get count(): number {
    return this.#all.length;
  }

  /** Until the service is gone or `goesOn` answers false. */
  async arrive(api: Api, goesOn: () => boolean): Promise<void> {
    try {
      do {
        await this.#arriveOnce(api);
        await pause(PACE_MS);
      } while (goesOn());
    } catch (error) {
      // What `fetch` throws when the connection breaks.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** `token` is that of any user. */
  async findProblems(api: Api, token: string, time: number): Promise<string[]> {
    const path = `/users?search=${PREFIX}&limit=200`;
    const { body: found } = await api.request<PublicUser[]>('GET', path, { token });
    const names = found.map(({ username }) => username);
    const problems: string[] = [];
    for (const { registration, isRegistered } of this.#all) {
      const times = names.filter((name) => name === registration.username).length;
      const { acknowledged, unanswered } = isRegistered.asOf(time);
      const isRight = times === Number(acknowledged) || (unanswered === true && times === 1);
      if (!isRight) problems.push(`${registration.username} is there ${times} times, registered: ${acknowledged}`);
    }
    const registered = this.#all.filter(({ isRegistered }) => isRegistered.asOf(time).acknowledged);
    for (const newcomer of registered.slice(-LOGINS)) problems.push(...(await wrongAccount(api, newcomer, time)));
    return problems;
  }

  async #arriveOnce(api: Api): Promise<void> {
    const username = `${PREFIX}-${this.#all.length + 1}`;
    const registration = newRegistration({ username, email: `${username}@example.org` });
    const newcomer = { registration, isRegistered: new Promised(false), hasBoard: new Promised(false) };
    this.#all.push(newcomer);
    newcomer.isRegistered.send(true);
    await register(api, registration);
    newcomer.isRegistered.acknowledge();
    const token = await logIn(api, registration.email, registration.password);
    newcomer.hasBoard.send(true);
    const { status } = await api.request('POST', '/boards', { token, json: { title: username } });
    if (status !== 201) throw new Error(`POST /boards answered ${status}`);
    newcomer.hasBoard.acknowledge();
  }
}

async function wrongAccount(api: Api, { registration, hasBoard }: Newcomer, time: number): Promise<string[]> {
  const { email, username, password } = registration;
  let token: string;
  try {
    token = await logIn(api, email, password);
  } catch (error) {
    return [`${username} cannot log in: ${String(error)}`];
  }
  const { acknowledged, unanswered } = hasBoard.asOf(time);
  const titles = await listedTitles(api, token, Number(acknowledged));
  const allowed = [Number(acknowledged), ...(unanswered === true ? [1] : [])];
  const isRight = allowed.includes(titles.length) && titles.every((title) => title === username);
  return isRight ? [] : [`${username} has the boards ${titles.join(' ')}, a board was acknowledged: ${acknowledged}`];
}

/** Waits a while for the expected number of boards. Each must also be readable. */
async function listedTitles(api: Api, token: string, expected: number): Promise<string[]> {
  for (const end = performance.now() + DELIVERY_MS; ; await pause(RETRY_MS)) {
    const { body } = await api.request<{ id: Uuid }[]>('GET', '/boards', { token });
    if (body.length < expected && performance.now() < end) continue;
    const boards = body.map(({ id }) => api.request<{ title?: string }>('GET', `/boards/${id}`, { token }));
    return (await Promise.all(boards)).map((board) => board.body.title ?? `(status ${board.status})`);
  }
}
