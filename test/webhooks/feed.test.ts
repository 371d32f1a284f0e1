import t from 'tap';
import { GIVE_UP_MS, retryAfter } from '../../src/domain/webhook/retries.js';
import type { DuePage } from '../../src/domain/webhook/webhookCommands.js';
import { Feed } from '../../src/webhooks/feed.js';
import type { JobResult } from '../../src/webhooks/messages.js';

const ID = '00000000-0000-4000-8000-000000000001';
const BOARD = '00000000-0000-4000-8000-000000000002';
const NAME = { webhook_id: ID, board_id: BOARD, url: 'http://a/', created_by: ID };
const START = Date.parse('2030-01-01T00:00:00.000Z');

function page(seqs: readonly number[]): DuePage {
  return {
    target: { webhook: { id: ID, url: 'http://a/', format: 'standard', board_id: BOARD, created_by: ID }, secrets: [], board_title: '' },
    generation: 3,
    due: seqs.map((seq) => ({ id: String(seq), type: 'card.moved', position: { epoch: '0', seq }, json: '{}' })),
    upTo: { epoch: '0', seq: 9 },
    hasMore: false,
    attempt: 0,
    failing_since: null,
    next_at: null,
    names: {},
  };
}

function result(end: JobResult['end'], count: number): JobResult {
  const delivery = { id: '', board_id: BOARD, type: '', seq: 0, at: '', attempt: 1, status: 500, error: null, duration_ms: 1 };
  return { end, deliveries: Array.from({ length: count }, () => delivery) };
}

t.test('HOOK2 waits grow to six hours, and end after three days', async (t) => {
  const feed = new Feed(NAME, 'shard 0');
  feed.note(page([4]));
  const waits: number[] = [];
  let now = START;
  let progress = feed.delivered(page([4]), result('failed', 1), now, 0);
  while (progress?.pause === null) {
    waits.push(feed.waitMs(now) / 1000);
    now += feed.waitMs(now);
    progress = feed.delivered(page([4]), result('failed', 1), now, 0);
  }
  t.strictSame(waits.slice(0, 6), [1, 5, 30, 120, 600, 1800]);
  t.ok(waits.every((wait, index) => index + 1 === waits.length || wait >= (waits[index - 1] ?? 0)));
  t.equal(Math.max(...waits), 6 * 3600);
  t.equal(progress?.pause, 'failing');
  t.equal(now - START, GIVE_UP_MS, 'the last attempt is made when the three days end');
  t.equal(progress?.position, null, 'it is where it was');
});

t.test('HOOK1 a page that was delivered in part goes on behind the last that was taken', async (t) => {
  const feed = new Feed(NAME, 'shard 0');
  feed.note(page([4, 5, 6]));
  t.match(feed.delivered(page([4, 5, 6]), result('failed', 3), START, 0), { position: { seq: 5 }, attempt: 1, pause: null });
  t.match(feed.delivered(page([6]), result('stopped', 0), START, 0), null);
  t.match(feed.delivered(page([6]), result('gone', 1), START, 0), { position: { seq: 5 }, pause: 'gone' });
  t.match(feed.delivered(page([6]), result('done', 1), START, 0), { position: { seq: 9 }, attempt: 0, failing_since: null });
  t.strictSame(feed.cursor, { generation: 3, after: { epoch: '0', seq: 9 } });
});

t.test('HOOK2 receivers that come back are not asked by all at once', async (t) => {
  const [early, late] = [0, 1].map((random) => retryAfter({ attempt: 4, failing_since: null }, START, random));
  t.not(JSON.stringify(early), JSON.stringify(late));
});

t.test('HOOK2 steps without a result are repeated after growing waits, until one has a result', async (t) => {
  const feed = new Feed(NAME, 'shard 0');
  const waits = Array.from({ length: 8 }, () => feed.vainStep() / 1000);
  t.strictSame(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
  feed.note(page([4]));
  t.equal(feed.vainStep(), 60_000, 'a page alone is no result');
  feed.delivered(page([4]), result('failed', 1), START, 0);
  t.equal(feed.vainStep(), 1_000);
});
