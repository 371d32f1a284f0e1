import { mock } from 'node:test';
import t from 'tap';
import type { Notice, ShardCommand } from '../../src/actors/messages.js';
import { ShardStation } from '../../src/actors/shardStation.js';
import { ann } from '../support/faultyStoreStation.js';
import { createBoard, NOW, temporaryShard } from '../store/temporaryShard.js';

const HOUR_MS = 3_600_000;

t.test('PRES8 setting the time of day makes nobody come or go', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const { shard } = temporaryShard(t);
  const { board, key } = createBoard(shard);
  const stamps = { created_at: NOW, updated_at: NOW };
  const member = { id: ann.id, role: 'owner', user: ann, ...stamps } as const;
  shard.transaction(() => shard.write(key, [{ kind: 'member', put: member }], [], 0, NOW));

  let [time, passed] = [Date.parse(NOW), 0];
  const told: string[] = [];
  const note = (notices: readonly Notice[]): void => {
    for (const notice of notices) if (notice.kind === 'board.presence') told.push(notice.message.type);
  };
  const station = new ShardStation(
    {
      name: 'shard 0',
      store: shard,
      budgetBytes: 1e9,
      idleSeconds: 300,
      retention: { events: 100, days: 7 },
      presenceSeconds: 60,
      now: () => new Date(time),
      clock: () => passed,
    },
    { onError: (error) => t.fail(String(error)), tell: note },
  );
  const ask = (command: ShardCommand): void =>
    station.take([{ id: 1, station: 'shard 0', command }], ({ notices }) => note(notices));
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
    mock.timers.tick(1_000);
  };

  const connection = { id: 1, board_id: board.id, user_id: ann.id, username: ann.username };
  ask({ kind: 'presence.join', connection, since: null });
  for (const step of [HOUR_MS, -2 * HOUR_MS]) {
    time += step;
    pass(10_000);
  }
  t.strictSame(told.splice(0), ['user_joined']);
  pass(50_000);
  t.strictSame(told, ['user_left'], 'a minute is a minute');
});
