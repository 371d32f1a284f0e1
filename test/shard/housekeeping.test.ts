import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { BoardReply, Notice, Outcome, ShardCommand } from '../../src/partitions/messages.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { BoardMemory } from '../../src/shard/boards/boardMemory.js';
import { openShardPartition } from '../../src/shard/shardPartition.js';
import { DAY_MS } from '../../src/domain/content/time.js';
import type { BoardKey, Uuid } from '../../src/domain/ids.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { ann } from '../support/store/faultyStorePartition.js';
import { createBoard, ids, newCard, NOW, temporaryShard } from '../store/temporaryShard.js';

const AUTHORS = { created_by: null, updated_by: null };
const [ACTIVITY_DAYS, TRASH_DAYS] = [3, 2];
const HOUR_MS = 3_600_000;
/** Enough for every periodic task to run once. */
const TURN_MS = 6_000;

interface Kept {
  readonly published: string[];
  readonly board: { readonly id: Uuid };
  readonly key: BoardKey;
  readonly shard: Shard;
  readonly sql: ReturnType<typeof temporaryShard>['sql'];
  ask(command: ShardCommand): Outcome | undefined;
  /** When it is answered, possibly in a later turn. A refusal is a fault of the test. */
  must(command: BoardCommand): Promise<void>;
  /** Sets the time of day. */
  setTime(byMs: number): void;
  /** Advances the monotonic clock. */
  pass(milliseconds: number): void;
}

/** A shard with a board of Ann's, with manual clocks and timers. */
function startShard(t: Test): Kept {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const { shard, sql } = temporaryShard(t);
  const { board, key } = createBoard(shard);
  const member = {
    id: ann.id,
    role: 'owner',
    user: ann,
    is_starred: false,
    assignable_since: 0,
    reminder_minutes: null,
    created_at: NOW,
    updated_at: NOW,
  } as const;
  shard.transaction(() => shard.write(key, [{ kind: 'member', put: member }], [], 0, NOW));
  let [time, passed] = [Date.parse(NOW), 0];
  const published: string[] = [];
  const note = (notices: readonly Notice[]): void => {
    for (const notice of notices) if (notice.kind === 'board.presence') published.push(notice.message.type);
  };
  const partition = openShardPartition(
    {
      name: 'shard 0',
      store: shard,
      memory: new BoardMemory(1e9),
      idleSeconds: 300,
      retention: { events: 100, days: 7, activityDays: ACTIVITY_DAYS, trashDays: TRASH_DAYS },
      limits: DEFAULT_LIMITS,
      presenceSeconds: 60,
      onDeposed: () => undefined,
      now: () => new Date(time),
      monotonic: () => passed,
    },
    {
      onError: (error) => t.fail(String(error)),
      publish: note,
      later: setImmediate,
      endTurn: () => undefined,
      deposed: () => undefined,
      isTurnOver: () => false,
    },
  );
  t.teardown(() => mock.timers.reset());
  return {
    published,
    board,
    key,
    shard,
    sql,
    ask(command) {
      let outcome: Outcome | undefined;
      partition.take([{ id: 1, partition: 'shard 0', command }], ({ notices, replies }) => {
        note(notices);
        outcome = replies[0]?.outcome;
      });
      return outcome;
    },
    async must(command) {
      const answer = await new Promise<Outcome | undefined>((resolve) => {
        partition.take([{ id: 1, partition: 'shard 0', command: { kind: 'board', command } }], ({ replies }) => {
          if (replies.length > 0) resolve(replies[0]?.outcome);
        });
      });
      const outcome = answer?.ok === true ? (answer.value as BoardReply).outcome : answer;
      if (outcome?.ok !== true) throw new Error(`${command.op} was refused: ${JSON.stringify(outcome)}`);
    },
    setTime: (byMs) => void (time += byMs),
    pass(milliseconds) {
      passed += milliseconds;
      mock.timers.tick(TURN_MS);
    },
  };
}

t.test('BEAT1 setting the time of day changes no presence', async (t) => {
  const { published, board, ask, setTime, pass } = startShard(t);
  const connection = { id: 1, board_id: board.id, user_id: ann.id, username: ann.username };
  ask({ kind: 'presence.join', connection });
  for (const step of [HOUR_MS, -2 * HOUR_MS]) {
    setTime(step);
    pass(10_000);
  }
  t.strictSame(published.splice(0), ['user_joined']);
  pass(50_000);
  t.strictSame(published, ['user_left'], 'a monotonic minute counts');
});

t.test('STORE9 an upload that began a day ago is swept', async (t) => {
  const { key, ask, setTime, pass } = startShard(t);
  const [old, young] = [ids.onBoard(key), ids.onBoard(key)];
  const append = (id: Uuid, n: number) => ask({ kind: 'upload.append', id, n, bytes: Buffer.from('x') });
  ask({ kind: 'upload.start', id: old });
  setTime(12 * HOUR_MS);
  ask({ kind: 'upload.start', id: young });
  for (const id of [old, young]) t.match(append(id, 0), { ok: true });
  setTime(12 * HOUR_MS + 1);
  pass(0);
  t.match(append(old, 1), { ok: false });
  t.match(append(young, 1), { ok: true });
});

t.test('IDEM20 answers of a day ago are deleted, also in a shard that nobody uses', async (t) => {
  const { board, ask, setTime, pass, shard } = startShard(t);
  const rename = (key: string): ShardCommand => {
    const idempotency = { key, fingerprint: 'a' };
    return { kind: 'keyed', command: { op: 'board.update', caller: { user_id: ann.id }, target: board.id, input: { title: key }, idempotency } };
  };
  const kept = (): string[] => ['old', 'young'].filter((key) => shard.answers.find(ann.id, key, NOW) !== null);
  ask(rename('old'));
  setTime(12 * HOUR_MS);
  ask(rename('young'));
  t.strictSame(kept(), ['old', 'young']);
  setTime(12 * HOUR_MS + 1);
  t.strictSame(kept(), ['old', 'young']);
  pass(0);
  t.strictSame(kept(), ['young']);
});

t.test('ACTIVITY1 after `ACTIVITY_DAYS` facts are deleted, also in a shard that nobody uses', async (t) => {
  const { board, key, must, setTime, pass, shard } = startShard(t);
  const kept = (): number => [...shard.onDiskOf(key).activity.read({ before: null, after: -1, card_id: null })].length;
  const rename = (title: string): Promise<void> => must({ op: 'board.update', caller: { user_id: ann.id }, target: board.id, input: { title } });
  await rename('Old');
  setTime(12 * HOUR_MS);
  await rename('Young');
  setTime((ACTIVITY_DAYS - 0.5) * DAY_MS);
  pass(0);
  t.equal(kept(), 2, 'not before its time');
  setTime(1);
  pass(0);
  t.equal(kept(), 1);
});

t.test('TRASH1 after `TRASH_DAYS` what was deleted is gone with its files, also in a shard that nobody uses', async (t) => {
  const { key, ask, must, setTime, pass, shard, sql } = startShard(t);
  const card = { ...newCard(key), column_id: ids.onBoard(key) };
  const column = { id: card.column_id, title: 'To do', color: '#fff', is_done_column: false, rank: 1, created_at: NOW, updated_at: NOW };
  const file = ids.onBoard(key);
  shard.transaction(() =>
    shard.write(
      key,
      [
        { kind: 'column', put: { ...column, ...AUTHORS } },
        { kind: 'card', put: card },
      ],
      [],
      0,
      NOW,
    ),
  );
  const caller = { user_id: ann.id };
  ask({ kind: 'upload.start', id: file });
  ask({ kind: 'upload.append', id: file, n: 0, bytes: Buffer.from('x') });
  const input = { id: file, name: 'a.txt', mime_type: 'text/plain', size: 1 };
  await must({ op: 'attachment.create', caller, target: card.id, input });
  await must({ op: 'card.delete', caller, target: card.id, input: {} });
  const left = (): unknown[] => sql('SELECT (SELECT count(*) FROM trashed), (SELECT count(*) FROM blob), (SELECT count(*) FROM loose_blob)');
  setTime(TRASH_DAYS * DAY_MS);
  pass(0);
  t.strictSame(left(), [[1, 1, 0]], 'not before its time');
  setTime(1);
  pass(0);
  t.strictSame(left(), [[0, 0, 0]]);
});
