import { mock } from 'node:test';
import t from 'tap';
import { PAGE_CHARACTERS, type DuePage } from '../../src/domain/webhook/webhookCommands.js';
import type { Webhook } from '../../src/domain/webhook/webhook.js';
import { NotServedHere } from '../../src/partitions/askPort.js';
import type { ShardCommand, ShardName } from '../../src/partitions/messages.js';
import { WebhookRelay, type WebhookRelayOptions } from '../../src/webhooks/relay.js';
import { manyTurns } from '../support/until.js';

const ID = '00000000-0000-4000-8000-000000000001';
const BOARD = '00000000-0000-4000-8000-000000000002';
const SHARD: ShardName = 'shard 0';
const HOOK: Webhook = {
  id: ID,
  board_id: null,
  url: 'http://receiver.example/',
  format: 'standard',
  event_types: null,
  is_enabled: true,
  pause: null,
  secrets: [],
  created_by: ID,
  created_at: '',
  updated_at: '',
  starts_at: '',
  generation: 1,
};

type Ask = (command: ShardCommand) => unknown;

/** Of a shard that answers like this. */
function relayOf(answer: Ask, deliver: WebhookRelayOptions['sender']['deliver'] = async () => ({ deliveries: [], end: 'stopped' })): WebhookRelay {
  return new WebhookRelay({
    ask: async (_shard, command) => answer(command),
    shardOf: () => SHARD,
    sender: { deliver },
    openSecret: () => null,
    overAll: { pause: async () => undefined, mayRun: async () => true, sync: async () => undefined },
    log: { debug: () => undefined, warn: () => undefined },
  });
}

/** Lets what is under way end, and then the pause before the next attempt. */
async function pause(): Promise<void> {
  await manyTurns();
  mock.timers.tick(1_000);
  await manyTurns();
}

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
t.afterEach(() => mock.timers.reset());

t.test('HOOK1 boards with undelivered events are looked for again, from where the shard failed', async (t) => {
  const asked: string[] = [];
  const woken: string[] = [];
  const relay = relayOf((command) => {
    if (command.kind === 'webhooks.page') woken.push(command.board_id);
    if (command.kind !== 'webhooks.pending') return null;
    asked.push(command.after);
    if (asked.length === 1) return { feeds: [], next: 'm' };
    if (asked.length === 2) throw new Error('the disk is full');
    return { feeds: [{ webhook_id: ID, board_id: BOARD, url: HOOK.url, created_by: ID }], next: null };
  });
  relay.take({ kind: 'webhooks.overAll', source: SHARD, webhooks: [HOOK] });
  await pause();
  t.strictSame(asked, ['', 'm', 'm']);
  t.strictSame(woken, [BOARD]);
  await relay.stop();
});

t.test('HOOK1 a shard of another process, and a list that was replaced, are left alone', async (t) => {
  const refusals = [
    { error: new NotServedHere('not here'), list: [HOOK], asked: 1 },
    { error: new Error('the disk is full'), list: [HOOK], asked: 2 },
    { error: new Error('the disk is full'), list: [], asked: 1 },
  ];
  for (const { error, list, asked: expected } of refusals) {
    let asked = 0;
    const relay = relayOf((command) => {
      if (command.kind !== 'webhooks.pending') return null;
      asked += 1;
      throw error;
    });
    relay.take({ kind: 'webhooks.overAll', source: SHARD, webhooks: [HOOK] });
    await manyTurns();
    if (list.length === 0) relay.take({ kind: 'webhooks.overAll', source: SHARD, webhooks: list });
    await pause();
    t.equal(asked, expected, `${error.message}, ${list.length}`);
    await relay.stop();
  }
});

t.test('HOOK2 a feed that the shard cannot answer is asked again after growing waits, and holds up no other', async (t) => {
  const asked: string[] = [];
  const names = [BOARD, ID].map((board_id) => ({ webhook_id: ID, board_id, url: HOOK.url, created_by: ID }));
  const relay = relayOf((command) => {
    if (command.kind === 'webhooks.pending') return { feeds: names, next: null };
    if (command.kind !== 'webhooks.page') return null;
    asked.push(command.board_id);
    if (command.board_id === BOARD) throw new Error('an event that this program cannot read');
    return null;
  });
  relay.take({ kind: 'webhooks.overAll', source: SHARD, webhooks: [HOOK] });
  await manyTurns();
  t.strictSame(asked, [BOARD, ID]);
  await pause();
  await pause();
  t.strictSame(asked.slice(2), [BOARD], 'after one second, and not after the second one');
  await pause();
  t.strictSame(asked.slice(2), [BOARD, BOARD], 'but after two more');
  await relay.stop();
});

t.test('HOOK2 few events that are larger than a page are in memory at a time, and none of them holds up others', async (t) => {
  const users = ['ann', 'ben', 'cem', 'dan', 'eve'];
  const names = [...users, ...users, ...users, ...users, ...users, 'fay'].map((user, n) => ({
    webhook_id: `${n} of ${user}`,
    board_id: BOARD,
    url: `http://${n}.example/`,
    created_by: user,
  }));
  const under: string[] = [];
  let finish = (): void => undefined;
  const relay = relayOf(
    (command) => {
      if (command.kind === 'webhooks.pending') return { feeds: names, next: null };
      if (command.kind !== 'webhooks.page') return null;
      const { webhook_id } = command;
      return pageOf(webhook_id, webhook_id.endsWith('fay') ? 'small' : 'x'.repeat(PAGE_CHARACTERS + 1));
    },
    (job, signal) => {
      under.push(job.url);
      return new Promise((resolve) => {
        const end = (): void => resolve({ deliveries: [], end: 'done' });
        signal?.addEventListener('abort', end);
        finish = end;
      });
    },
  );
  relay.take({ kind: 'webhooks.overAll', source: SHARD, webhooks: [HOOK] });
  await manyTurns();
  t.equal(under.filter((user) => user === 'fay').length, 1, 'an ordinary one is on its way');
  for (const user of users) t.ok(under.filter((each) => each === user).length <= 4, `of ${user}`);
  t.equal(under.length, 17, 'and so many in all');
  finish();
  await manyTurns();
  t.equal(under.length, 18, 'one ends, one begins');
  await relay.stop();
});

/** With one event. */
function pageOf(webhook_id: string, json: string): DuePage {
  const position = { epoch: '0', seq: 1 };
  const [, user = ''] = webhook_id.split(' of ');
  return {
    target: { webhook: { id: webhook_id, url: user, format: 'slack', board_id: null, created_by: user }, secrets: [], board_title: '' },
    generation: 1,
    due: [{ id: webhook_id, type: 'board.updated', position, json }],
    upTo: position,
    hasMore: true,
    attempt: 0,
    failing_since: null,
    next_at: null,
    names: {},
  };
}
