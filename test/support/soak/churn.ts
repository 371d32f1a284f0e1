/** Users who run every operation on boards and leave nothing behind: they create and delete boards, and open and close sockets. */
import { WebSocket } from 'ws';
import { randomBytes, randomInt } from 'node:crypto';

export interface ChurnUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** The number of requests, and of failed ones. */
export interface ChurnCount {
  requests: number;
  messages: number;
  failures: string[];
}

const PASSWORD = 'a password of the crowd';
const CARDS = 30;
const FILE_BYTES = 40_000;
/**
 * From one request of a user to the next, if the answer came in time. The same number of requests a minute on every
 * machine that keeps up: what is cached for a while depends on it.
 */
const INTERVAL_MS = 30;
const MAX_FAILURES = 20;

export async function newChurnUser(url: string): Promise<ChurnUser> {
  const username = `soak-${randomBytes(6).toString('hex')}`;
  const email = `${username}@example.org`;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, username, password: PASSWORD });
  const registered = await fetch(`${url}/auth/register`, { method: 'POST', headers: json, body });
  const { id } = (await registered.json()) as { id: string };
  const form = new URLSearchParams({ username: email, password: PASSWORD });
  const { access_token: token } = (await (await fetch(`${url}/auth/login`, { method: 'POST', body: form })).json()) as {
    access_token: string;
  };
  return { id, email, token };
}

/** One board from its creation to its deletion. */
export async function liveThroughBoard(url: string, owner: ChurnUser, guest: ChurnUser, count: ChurnCount): Promise<void> {
  let nextAt = performance.now();
  const send = async (method: string, path: string, body?: object | FormData | string): Promise<string> => {
    nextAt = Math.max(nextAt + INTERVAL_MS, performance.now());
    await new Promise((resolve) => setTimeout(resolve, nextAt - performance.now()));
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${owner.token}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    count.requests += 1;
    const text = await response.text();
    if (response.status >= 300 && count.failures.length < MAX_FAILURES) {
      count.failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    }
    return text;
  };
  const make = async (path: string, body: object | FormData): Promise<string> => {
    return (JSON.parse(await send('POST', path, body)) as { id: string }).id;
  };
  const board = await make('/boards', { title: 'Churn' });
  await send('POST', `/boards/${board}/invite`, { user_id: guest.id });
  const columns = [await make(`/boards/${board}/columns`, { title: 'A' }), await make(`/boards/${board}/columns`, { title: 'B' })];
  const label = await make(`/boards/${board}/labels`, { name: 'label' });
  const sockets = [owner, owner, guest].map(({ token }, n) => {
    const since = n === 0 ? '' : '&since=0';
    return new WebSocket(`${url.replace(/^http/, 'ws')}/ws/boards/${board}?token=${token}${since}`);
  });
  for (const socket of sockets) {
    socket.on('message', (data) => {
      count.messages += 1;
      if (String(data).startsWith('{"type":"ping"')) socket.send('{"type":"pong"}');
    });
    socket.on('error', (error) => count.failures.push(String(error)));
  }
  for (let n = 0; n < CARDS; n += 1) {
    const fields = { title: `Card ${n}`, description: 'x'.repeat(randomInt(2_000)) };
    const card = await make(`/boards/${board}/columns/${columns[0]}/cards`, fields);
    if (n % 3 === 0) await send('POST', `/cards/${card}/move`, { column_id: columns[1], position: 0 });
    if (n % 4 === 0) await send('POST', `/cards/${card}/labels/${label}`);
    if (n % 5 === 0) await send('PUT', `/cards/${card}/assignees`, { user_ids: [guest.id] });
    if (n % 10 === 0) {
      const form = new FormData();
      form.set('file', new Blob([randomBytes(FILE_BYTES)]), 'file.bin');
      const file = await make(`/cards/${card}/attachments`, form);
      await send('GET', `/attachments/${file}`);
    }
  }
  await send('GET', `/boards/${board}`);
  await send('GET', `/users?search=soak`);
  const document = await send('GET', `/boards/${board}/export`);
  const copy = (JSON.parse(await send('POST', '/boards/import', document)) as { board: { id: string } }).board.id;
  for (const socket of sockets) socket.close();
  await send('DELETE', `/boards/${copy}`);
  await send('DELETE', `/boards/${board}`);
}
