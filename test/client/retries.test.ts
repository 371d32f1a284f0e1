import t, { type Test } from 'tap';
import { createClient, type Client, type ClientOptions } from '../../src/client/index.js';
import { ManualClock } from './manualClock.js';
import { startScriptedHttp, type ScriptedHttp, type Script } from './scriptedHttp.js';
import { until } from '../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BUSY = { status: 503, body: { detail: 'Not now' } };

interface Setting {
  readonly client: Client;
  readonly service: ScriptedHttp;
  readonly clock: ManualClock;
}

async function start(t: Test, script: Script[], options: Partial<ClientOptions> = {}): Promise<Setting> {
  const service = await startScriptedHttp(t, ...script);
  const clock = new ManualClock();
  const client = createClient({ baseUrl: service.url, token: 'token', clock, random: () => 0.5, ...options });
  return { client, service, clock };
}

/** Fires the timer of every pause until the call has ended. Returns the pauses. */
async function drive(call: Promise<unknown>, { service, clock }: Setting): Promise<number[]> {
  const pauses: number[] = [];
  let isOver = false;
  const over = call.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  for (let count = service.seen.length + 1; !isOver; count += 1) {
    await pauseOf(clock, () => isOver);
    if (isOver) break;
    pauses.push(clock.waits[0] ?? NaN);
    clock.fire();
    await Promise.race([over, service.arrived(count)]);
  }
  return pauses;
}

/** Resolves when only the timer of a pause is set: an attempt has the longer timer of its time-out. */
async function pauseOf(clock: ManualClock, isOver = (): boolean => false): Promise<void> {
  const isPause = (): boolean => clock.waits.length === 1 && clock.waits.every((milliseconds) => milliseconds < 20_000);
  await until(
    () => isOver() || isPause(),
    () => clock.waits,
  );
}

t.test('CLIENT32 every attempt of a changing call carries the same key, another call another one', async (t) => {
  const setting = await start(t, [BUSY, 'cut', { status: 200 }, { status: 204 }]);
  const { client, service } = setting;
  const call = client.card.move({ card_id: 'x' }, { position: 1 });
  await drive(call, setting);
  await call;
  await client.card.delete({ card_id: 'x' });
  const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
  t.equal(keys.length, 4);
  t.match(keys[0], UUID);
  t.strictSame([keys[1], keys[2]], [keys[0], keys[0]]);
  t.match(keys[3], UUID);
  t.not(keys[3], keys[0]);
  t.strictSame(
    service.seen.slice(0, 3).map(({ body }) => body),
    Array(3).fill('{"position":1}'),
    'the request is the same',
  );
});

t.test('CLIENT32 a caller can supply the key, and a read has none', async (t) => {
  const { client, service } = await start(t, []);
  await client.board.create({ title: 'x' }, { idempotencyKey: 'mine' });
  await client.board.list({}, { idempotencyKey: 'mine' });
  t.strictSame(
    service.seen.map(({ headers }) => headers['idempotency-key']),
    ['mine', undefined],
  );
});

t.test('CLIENT32 a call is repeated after 429, 503, a lost connection and a time-out', async (t) => {
  const script: Script[] = [{ status: 429 }, BUSY, 'cut', 'silence', { status: 200, body: { id: 'done' } }];
  const setting = await start(t, script);
  const { client, service, clock } = setting;
  const call = client.board.get({ board_id: 'x' });
  for (let count = 1; count <= 3; count += 1) {
    await service.arrived(count);
    await pauseOf(clock);
    clock.fire();
  }
  await service.arrived(4);
  t.strictSame(clock.waits, [20_000], 'an attempt waits this long for an answer');
  clock.fire();
  await drive(call, setting);
  t.strictSame(await call, { id: 'done' });
  t.equal(service.seen.length, 5);
});

t.test('CLIENT32 the pauses grow, vary, and are as long as the service asks', async (t) => {
  const later = (seconds: number): Script => ({ status: 503, headers: { 'retry-after': String(seconds) } });
  const setting = await start(t, [BUSY, later(0), later(3), BUSY, BUSY]);
  const call = setting.client.health();
  t.strictSame(await drive(call, setting), [250, 500, 3000, 2000, 4000]);
  await call;
});

t.test('CLIENT32 any other answer is final', async (t) => {
  for (const status of [400, 401, 403, 404, 409, 422, 500, 502, 504]) {
    const { client, service } = await start(t, [{ status }]);
    await t.rejects(client.board.list(), { name: 'ApiError', status });
    t.equal(service.seen.length, 1, `${status} is not repeated`);
  }
  const proxy = await start(t, [], { fetch: async () => new Response('<html>') });
  await t.rejects(proxy.client.board.list(), { name: 'SyntaxError' });
});

t.test('CLIENT32 the number of attempts is bounded, and the last failure is thrown', async (t) => {
  const busy = await start(t, Array(9).fill(BUSY) as Script[], { retry: { attempts: 3 } });
  const refused = busy.client.board.list();
  await drive(refused, busy);
  await t.rejects(refused, { name: 'ApiError', status: 503 });
  t.equal(busy.service.seen.length, 3);

  const broken = await start(t, ['cut', 'cut'], { retry: { attempts: 2 } });
  const lost = broken.client.board.create({ title: 'x' });
  await drive(lost, broken);
  await t.rejects(lost, { name: 'TypeError' }, 'as fetch throws it');
  t.equal(broken.service.seen.length, 2);

  const once = await start(t, [BUSY, BUSY], { retry: false });
  await t.rejects(once.client.board.list(), { name: 'ApiError', status: 503 });
  await t.rejects(once.client.board.list({}, { retry: false }), { name: 'ApiError', status: 503 });
  t.equal(once.service.seen.length, 2);
});

t.test('CLIENT32 the time is bounded: a pause that would end too late is not begun', async (t) => {
  const late = { status: 429, headers: { 'retry-after': '31' } };
  const setting = await start(t, [late]);
  await t.rejects(setting.client.board.list(), { name: 'ApiError', status: 429, retryAfter: 31 });
  t.equal(setting.service.seen.length, 1);

  const short = await start(t, [BUSY, BUSY, BUSY], { retry: { maxMs: 800 } });
  const call = short.client.board.list();
  t.strictSame(await drive(call, short), [250, 500], 'another second would be too much');
  await t.rejects(call, { name: 'ApiError', status: 503 });
});

t.test('CLIENT32 the signal of the caller ends an attempt and a pause', async (t) => {
  const pausing = await start(t, [BUSY]);
  const inPause = new AbortController();
  const paused = pausing.client.board.list({}, { signal: inPause.signal });
  await pausing.service.arrived(1);
  await pauseOf(pausing.clock);
  inPause.abort();
  await t.rejects(paused, { name: 'AbortError' });
  t.strictSame(pausing.clock.waits, []);

  const silent = await start(t, ['silence']);
  const underWay = new AbortController();
  const waiting = silent.client.board.list({}, { signal: underWay.signal });
  await silent.service.arrived(1);
  underWay.abort();
  await t.rejects(waiting, { name: 'AbortError' });
  t.strictSame([silent.service.seen.length, silent.clock.waits], [1, []]);
});

t.test('CLIENT9 an upload is repeated with its content, and has no time-out', async (t) => {
  for (const content of [new Blob(['content']), new TextEncoder().encode('content'), 'content']) {
    const setting = await start(t, ['cut', { status: 503 }, { status: 201 }]);
    const call = setting.client.attachment.create({ card_id: 'x' }, { name: 'file', content });
    await drive(call, setting);
    await call;
    const { seen } = setting.service;
    t.equal(seen.length, 3);
    t.ok(seen.every(({ body }) => body.includes('content')));
    t.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  }
  const slow = await start(t, ['silence']);
  const controller = new AbortController();
  const file = { name: 'file', content: 'content' };
  const call = slow.client.attachment.create({ card_id: 'x' }, file, { signal: controller.signal });
  await slow.service.arrived(1);
  t.strictSame(slow.clock.waits, []);
  controller.abort();
  await t.rejects(call, { name: 'AbortError' });
});
