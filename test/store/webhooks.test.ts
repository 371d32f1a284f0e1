import t from 'tap';
import type { Webhook, WebhookFeed } from '../../src/domain/webhook/webhook.js';
import { openShard } from '../../src/store/shard/openShard.js';
import { rowsOf, ShardFollower } from '../support/store/shardFollower.js';
import { temporaryFolder } from '../support/store/folder.js';
import { ids, newBoard, NOW, sweepAll, temporaryShard } from './temporaryShard.js';

const AT = { created_at: NOW, updated_at: NOW, starts_at: NOW };

function newWebhook(boardId: string | null, id: string): Webhook {
  const secrets = [{ sealed: 'sealed', until: null }];
  return {
    id,
    board_id: boardId,
    url: 'https://a/',
    format: 'standard',
    event_types: null,
    is_enabled: true,
    pause: null,
    secrets,
    created_by: id,
    generation: 1,
    ...AT,
  };
}

function feedOf({ id, generation }: Webhook, board_id: string, seq: number): WebhookFeed {
  return { webhook_id: id, board_id, epoch: '0', seq, generation, attempt: 0, failing_since: null, next_at: null };
}

t.test('a copy that applies the commits has the same webhooks and cursors, also of a removed board', async (t) => {
  const [dataDir, copyDir] = [await temporaryFolder(t), await temporaryFolder(t)];
  const follower = new ShardFollower(t, copyDir);
  const shard = openShard({ dataDir, shard: 0, shards: 1, durability: 'normal', onCommit: follower.apply });
  t.teardown(() => shard.close());
  const { key, board, create } = newBoard();
  const [own, gone, all] = [newWebhook(board.id, ids.onBoard(key)), newWebhook(board.id, ids.onBoard(key)), newWebhook(null, ids.fresh())];
  const event = (seq: number, type: 'board.updated' | 'board.deleted') => ({ seq, type, json: '{}' }) as const;
  const isEqual = (what: string): void => void t.strictSame(rowsOf(copyDir), rowsOf(dataDir), what);
  shard.transaction(() => {
    shard.write(key, create, [], 0, NOW);
    for (const webhook of [own, gone, all]) shard.webhooks.put(webhook);
    shard.webhooks.putFeed(key, feedOf(own, board.id, 0));
  });
  shard.transaction(() => {
    shard.webhooks.remove(key, gone.id);
    shard.webhooks.setRecent(key, own.id, []);
    shard.write(key, [], [event(1, 'board.updated')], 1, NOW);
  });
  isEqual('after changes');
  t.strictSame(shard.webhooks.changedBoards(all, '', 10), [{ key, board_id: board.id }]);

  shard.transaction(() => shard.write(key, [{ kind: 'board', remove: board.id }], [event(2, 'board.deleted')], 2, NOW));
  sweepAll(shard);
  isEqual('after the removal');
  t.strictSame(
    shard.events.since(key, 0, 10).map(({ type }) => type),
    ['board.updated', 'board.deleted'],
    'its events wait for their delivery',
  );
  t.strictSame(shard.webhooks.feed(key, all.id), feedOf(all, board.id, 0), 'also to a webhook that had delivered nothing of it');
  shard.transaction(() => shard.webhooks.remove(key, own.id));
  t.ok(shard.webhooks.isHeld(key), 'the other one is not done');
  shard.transaction(() => shard.webhooks.put({ ...all, pause: 'failing', generation: 2 }));
  t.notOk(shard.webhooks.isHeld(key), 'one that rests holds nothing up');
  sweepAll(shard);
  isEqual('after the sweep');
  t.strictSame([shard.events.since(key, 0, 10), shard.webhooks.feed(key, all.id)], [[], null]);
});

t.test('a board without webhooks leaves no event behind', async (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key, board, create } = newBoard();
  shard.transaction(() => shard.write(key, create, [], 0, NOW));
  shard.transaction(() => shard.write(key, [{ kind: 'board', remove: board.id }], [{ seq: 1, type: 'board.deleted', json: '{}' }], 1, NOW));
  t.strictSame(sql('SELECT count(*) FROM event').flat(), [0]);
});

t.test('while an older program lives in the cluster no webhook is stored', async (t) => {
  const { shard } = temporaryShard(t);
  shard.writeFor(11);
  t.throws(() => shard.transaction(() => shard.webhooks.put(newWebhook(null, ids.fresh()))), { code: 'unavailable' });
  shard.writeFor(12);
  t.doesNotThrow(() => shard.transaction(() => shard.webhooks.put(newWebhook(null, ids.fresh()))));
});
