import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { operations } from '../../src/api/operations/table.js';
import { send, startWorld } from '../support/board/boardWorld.js';
import { WITH_THREADS } from '../support/service/app.js';
import { populate } from '../support/board/populatedBoard.js';
import { changeUser } from '../support/service/operator.js';
import { parsePrometheus, valueOf, type Family } from '../support/service/prometheusText.js';
import { TestSocket } from '../support/realtime/socket.js';

const METRICS_TOKEN = 'for-prometheus-alone';
const world = await startWorld(t, { ...WITH_THREADS, METRICS_TOKEN });
const { api, owner, stranger } = world;

async function scrape(): Promise<{ text: string; families: Map<string, Family> }> {
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await response.text();
  return { text, families: parsePrometheus(text) };
}

/** How much each of the samples grew while something was done. */
async function growth(
  samples: ReadonlyArray<readonly [name: string, labels?: Readonly<Record<string, string>>]>,
  act: () => Promise<unknown>,
): Promise<number[]> {
  const { families: before } = await scrape();
  await act();
  const { families: after } = await scrape();
  return samples.map(([name, labels]) => valueOf(after, name, labels) - valueOf(before, name, labels));
}

t.test('METRIC1 the metrics are in the text format of Prometheus', async (t) => {
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.doesNotThrow(() => parsePrometheus('# HELP a b\n# TYPE a gauge\na 1\n'));
  for (const bad of ['a 1\n', '# HELP a b\n# TYPE a gauge\na{x=1} 1\n', '# HELP a b\n# TYPE a counter\na 1\n']) {
    t.throws(() => parsePrometheus(bad), 'the parser finds mistakes');
  }
  t.ok(parsePrometheus(await response.text()).size > 10);
});

t.test('METRIC1 everything that an operator needs is measured', async (t) => {
  await populate(world);
  const { families } = await scrape();
  const measured = [
    'switchboard_requests_total',
    'switchboard_request_duration_seconds',
    'switchboard_commit_duration_seconds',
    'switchboard_audit_file_failing',
    'switchboard_audit_left_out_total',
    'switchboard_audit_lost_total',
    'switchboard_commit_commands',
    'switchboard_active_boards',
    'switchboard_log_bytes',
    'switchboard_active_board_bytes',
    'switchboard_read_cache_bytes',
    'switchboard_sockets',
    'switchboard_followed_boards',
    'switchboard_socket_backlog_bytes',
    'switchboard_slow_sockets_closed_total',
    'switchboard_pubsub_status',
    'switchboard_peer_messages_refused_total',
    'switchboard_webhook_deliveries_total',
    'switchboard_webhooks_paused',
    'switchboard_webhooks_pending',
    'switchboard_mails_total',
    'switchboard_mails_waiting',
    'switchboard_event_loop_delay_seconds',
    'switchboard_thread_delay_seconds',
    'switchboard_memory_bytes',
    'switchboard_cpu_seconds_total',
    'switchboard_uptime_seconds',
  ];
  t.strictSame([...families.keys()].sort(), [...measured].sort());
  for (const [name, { samples }] of families) t.ok(samples.length > 0, `${name} has a value`);
  const statuses = families.get('switchboard_pubsub_status')?.samples.map(({ labels, value }) => [labels['status'], value]);
  t.strictSame(statuses, [
    ['connected', 0],
    ['embedded', 1],
    ['disconnected', 0],
  ]);
  t.ok(valueOf(families, 'switchboard_memory_bytes', { kind: 'resident' }) > 1_000_000);
});

t.test('METRIC1 requests, downloads included, are counted by operation and status', async (t) => {
  const { board, card, attachment } = await populate(world);
  const asked = [
    ['switchboard_requests_total', { operation: 'card.get', status: '200' }],
    ['switchboard_requests_total', { operation: 'card.get', status: '404' }],
    ['switchboard_requests_total', { operation: 'card.get', status: '401' }],
    ['switchboard_requests_total', { operation: 'attachment.get', status: '200' }],
    ['switchboard_requests_total', { operation: 'board.export', status: '200' }],
    ['switchboard_requests_total', { operation: 'none', status: '404' }],
    ['switchboard_request_duration_seconds', { operation: 'card.get' }],
  ] as const;
  const token = owner.token;
  const grown = await growth(asked, async () => {
    await api.request('GET', `/cards/${card.id}`, { token });
    await api.request('GET', `/cards/${card.id}`, { token });
    await api.request('GET', `/cards/${randomUUID()}`, { token });
    await api.request('GET', `/cards/${card.id}`);
    await api.request('GET', `/attachments/${attachment.id}`, { token });
    await api.request('GET', `/boards/${board.id}/export`, { token });
    await api.request('GET', '/no/such/path');
  });
  t.strictSame(grown, [2, 1, 1, 1, 1, 1, 4]);
});

t.test('METRIC1 commits, boards in memory and sockets are counted', async (t) => {
  const { board, card } = await populate(world);
  const [commits = 0, batches = 0] = await growth([['switchboard_commit_duration_seconds'], ['switchboard_commit_commands']], () =>
    send(world, owner, `PATCH /cards/${card.id}`, { title: 'Changed' }),
  );
  t.ok(commits >= 1);
  t.equal(batches, commits, 'each commit had a number of commands');
  t.ok(valueOf((await scrape()).families, 'switchboard_active_boards') >= 1);

  t.equal(valueOf((await scrape()).families, 'switchboard_sockets'), 0);
  const socket = await TestSocket.open(api.url, board.id, { token: owner.token });
  await socket.find('user_joined');
  t.equal(valueOf((await scrape()).families, 'switchboard_sockets'), 1);
});

t.test('METRIC1 only superusers and the metrics token can read the metrics', async (t) => {
  const status = async (token?: string): Promise<number> => (await api.request('GET', '/metrics', token === undefined ? {} : { token })).status;
  t.equal(await status(), 401);
  t.equal(await status('wrong'), 401);
  t.equal(await status(`${METRICS_TOKEN}x`), 401);
  t.equal(await status(stranger.token), 403);
  await changeUser(world.config.dataDir, stranger.id, { is_superuser: true });
  t.equal(await status(stranger.token), 200);
  t.equal(await status(METRICS_TOKEN), 200);
  const other = await api.request('GET', '/boards', { token: METRICS_TOKEN });
  t.equal(other.status, 401, 'the token opens nothing else');
});

t.test('METRIC1 without the setting no metrics token is accepted', async (t: Test) => {
  const closed = await startWorld(t);
  const status = async (authorization: string): Promise<number> => (await fetch(`${closed.api.url}/metrics`, { headers: { authorization } })).status;
  for (const header of ['Bearer ', 'Bearer null', 'Bearer undefined', `Bearer ${METRICS_TOKEN}`]) {
    t.equal(await status(header), 401, header);
  }
});

t.test('METRIC1 the metrics contain no name, id, address or path of a user', async (t) => {
  await populate(world);
  await api.request('GET', '/secret-looking-path/xyzzy?token=plugh', { token: owner.token });
  const { text, families } = await scrape();
  for (const secret of ['xyzzy', 'plugh', owner.username, owner.email, owner.token, 'Scenario', 'example.org', '127.0.0.1']) {
    t.notOk(text.includes(secret), `${secret} is not in it`);
  }
  t.notMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/, 'and no id');
  const names = new Set(['none', ...operations.map(({ name }) => name)]);
  const used = families.get('switchboard_requests_total')?.samples.map(({ labels }) => labels['operation'] ?? '') ?? [];
  t.ok(used.length > 5);
  t.strictSame(
    used.filter((name) => !names.has(name)),
    [],
    'operations have the names of the table',
  );
});
