import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { tokenFor } from '../support/http/tokens.js';
import { newUser } from '../support/http/users.js';
import { TestEventStream } from '../support/realtime/eventStream.js';
import { RealtimeBoard, range } from '../support/realtime/realtimeBoard.js';
import { startTestApp, WITH_THREADS } from '../support/service/app.js';
import { lookFor, pathOf, skipWithout } from '../support/service/programs.js';

/** Some of these wait for several heartbeats or send much, which takes long on a busy machine. */

const app = await startTestApp(t, { ...WITH_THREADS, HEARTBEAT_INTERVAL_SECONDS: '1', MAX_SOCKETS_PER_USER: '4' });

t.test('SSE1 a stream gives the events after since, or after Last-Event-ID, then every event as it happens', async (t) => {
  const board = await RealtimeBoard.on(app);
  for (const name of ['a', 'b', 'c']) await board.addLabel(name);
  const seq = await board.seq();
  const page = await board.do<{ events: unknown[] }>(`GET /boards/${board.id}/events?since=${seq - 2}`);
  const bySince = await TestEventStream.open(app.url, board.id, board.member, { query: `?since=${seq - 2}` });
  const headers = { 'last-event-id': String(seq - 1) };
  const byHeader = await TestEventStream.open(app.url, board.id, board.member, { query: '?since=0', headers });
  const latest = await TestEventStream.open(app.url, board.id, board.member);
  t.match(latest.response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  await latest.comment(1);
  await board.addLabel('d');
  await Promise.all([bySince.event(2), byHeader.event(1), latest.event(0)]);
  t.strictSame(bySince.ids, range(seq - 1, seq + 1).map(String));
  t.strictSame(byHeader.ids, range(seq, seq + 1).map(String), 'the header is newer than the address');
  t.strictSame(latest.ids, [String(seq + 1)], 'without both only later ones');
  t.strictSame(
    bySince.events.slice(0, 2).map(({ data }) => data),
    page.events,
    'data is the event',
  );
  t.strictSame(
    bySince.events.map(({ event }) => event),
    ['label.created', 'label.created', 'label.created'],
  );
  for (const stream of [bySince, byHeader, latest]) stream.close();
});

t.test('SSE1 what a stream refuses, it refuses as the page of events does', async (t) => {
  const board = await RealtimeBoard.on(app);
  const stranger = await newUser(app.api);
  const headers = { accept: 'text/event-stream' };
  const path = `/boards/${board.id}/events`;
  const status = async (address: string, token: string | undefined, more = {}): Promise<number> =>
    (await app.api.request('GET', address, { ...(token === undefined ? {} : { token }), headers: { ...headers, ...more } })).status;
  t.equal(await status(path, undefined), 401);
  t.equal(await status(path, stranger.token), 403);
  t.equal(await status(`/boards/${stranger.id}/events`, stranger.token), 404);
  t.equal(await status(`${path}?since=x`, stranger.token), 403, 'access first');
  t.equal(await status(`${path}?since=x`, board.member.token), 422);
  t.equal(await status(path, board.member.token, { 'last-event-id': 'x y' }), 422);
  const { body } = await app.api.request('GET', path, { token: board.member.token });
  t.match(body, { events: Array }, 'without the header it is a page');
});

t.test('CATCH4 a position that is not kept or of another epoch is an event resync', async (t) => {
  const board = await RealtimeBoard.on(app);
  const seq = await board.seq();
  for (const since of [seq + 1, 'abc-1']) {
    const stream = await TestEventStream.open(app.url, board.id, board.member, { query: `?since=${since}` });
    t.strictSame(await stream.event(0), { id: String(seq), event: 'resync', data: { type: 'resync', seq } });
    stream.close();
  }
});

t.test('SSE1 a stream counts as a socket and gives no presence', async (t) => {
  const board = await RealtimeBoard.on(app);
  const streams = await Promise.all(range(1, 4).map(() => TestEventStream.open(app.url, board.id, board.member)));
  t.strictSame(await board.online(), []);
  const { status, body } = await app.api.request('GET', `/boards/${board.id}/events`, {
    token: board.member.token,
    headers: { accept: 'text/event-stream' },
  });
  t.equal(status, 429);
  t.match(body, { detail: 'A user has at most 4 sockets' });
  t.match(await (await board.open({ token: board.member.token })).closed, { code: 1013 });
  const witness = await board.join(board.owner);
  await board.addLabel('x');
  await streams[0]?.event(0);
  t.strictSame(
    streams[0]?.events.map(({ event }) => event),
    ['label.created'],
    'nor does it tell of presence',
  );
  for (const stream of streams) stream.close();
  await witness.close();
});

t.test('SSE5 a stream ends with a code when the member is removed, the board is deleted or the token expires', async (t) => {
  const board = await RealtimeBoard.on(app);
  const gone = await RealtimeBoard.on(app);
  const { url } = app;
  const removed = await TestEventStream.open(url, board.id, board.member);
  const deleted = await TestEventStream.open(url, gone.id, gone.member);
  const expired = await TestEventStream.open(url, board.id, { token: await tokenFor(app.config, board.owner, 3) });
  await board.do(`DELETE /boards/${board.id}/members/${board.member.id}`);
  await gone.do(`DELETE /boards/${gone.id}`);
  await Promise.all([removed.ended, deleted.ended]);
  t.match(removed.events.at(-1), { event: 'closed', data: { code: 1008 } });
  t.match(deleted.events.slice(-2), [{ event: 'board.deleted' }, { event: 'closed', data: { code: 4410 } }]);
  await expired.ended;
  t.match(expired.events.at(-1), { event: 'closed', data: { code: 1008, reason: /expired/ } });
});

t.test('SSE5 an idle stream is kept open by comments, and a stopping service ends it', async (t) => {
  const board = await RealtimeBoard.start(t, { HEARTBEAT_INTERVAL_SECONDS: '1' });
  const stream = await TestEventStream.open(board.app.url, board.id, board.member);
  await stream.comment(3);
  await board.app.close();
  await stream.ended;
  t.match(stream.events.at(-1), { event: 'closed', data: { code: 1001 } });
});

t.test('WS14 a client that does not read is cut off, and others get their events at once', async (t) => {
  const board = await RealtimeBoard.on(app);
  const change = await board.largeChanges();
  const slow = await TestEventStream.open(app.url, board.id, board.member);
  const quick = await TestEventStream.open(app.url, board.id, board.owner);
  slow.pause();
  // Whoever reads nothing for two inspections, a second apart, is too slow.
  const end = performance.now() + 4_000;
  let sent = 0;
  while (sent < 40 || performance.now() < end) {
    sent += 1;
    await change(sent);
    await quick.event(sent - 1);
  }
  slow.resume();
  await slow.ended;
  t.ok(slow.events.length < sent, `${slow.events.length} of ${sent}`);
  quick.close();
});

t.test('SSE1 a client that reads slowly gets every missed event once, in order', async (t) => {
  const board = await RealtimeBoard.on(app);
  const change = await board.largeChanges();
  for (const n of range(1, 12)) await change(n);
  const seq = await board.seq();
  const stream = await TestEventStream.open(app.url, board.id, board.member, { query: '?since=0' });
  stream.pause();
  await board.addLabel('meanwhile');
  stream.resume();
  await stream.event(seq);
  t.strictSame(stream.ids, range(1, seq + 1).map(String));
  stream.close();
});

const curl = await lookFor('curl');
t.test('SSE1 curl -N follows a board', { skip: skipWithout(curl) }, async (t) => {
  const board = await RealtimeBoard.on(app);
  const seq = await board.seq();
  const address = `${app.url}/boards/${board.id}/events?since=${seq - 1}`;
  const run = promisify(execFile)(pathOf(curl), [
    '-sN',
    '-m',
    '2',
    '-H',
    'Accept: text/event-stream',
    '-H',
    `Authorization: Bearer ${board.member.token}`,
    address,
  ]);
  const stdout = await run.then(
    ({ stdout }) => stdout,
    // It is ended by its own time limit.
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  t.match(stdout, new RegExp(`^id: ${seq}\nevent: board\\.member_added\ndata: \\{.*\\}\n\n`, 'm'));
});
