import type { Position } from '../../src/domain/position.js';
import t from 'tap';
import { missedEvents } from '../../src/shard/commands/eventPage.js';
import type { BoardEvent } from '../../src/domain/events.js';
import { createBoard, NOW, temporaryShard } from '../store/temporaryShard.js';

const MEBI = 1024 * 1024;

function eventsOf(count: number, characters: number): BoardEvent[] {
  return Array.from({ length: count }, (_, n) => ({ seq: n + 1, type: 'column.updated', json: 'x'.repeat(characters) }));
}

const at = (seq: number): Position => ({ epoch: '0', seq });

for (const { count, characters, first } of [
  { count: 600, characters: 10, first: 500 },
  { count: 20, characters: MEBI / 8 - 1, first: 3 },
  { count: 3, characters: 5 * MEBI, first: 1 },
]) {
  t.test(`CATCH6 of ${count} events of ${characters} characters the first page has ${first}`, async (t) => {
    const { shard } = temporaryShard(t);
    const { key } = createBoard(shard);
    shard.transaction(() => shard.write(key, [], eventsOf(count, characters), count, NOW));
    const { events, resync, seq } = missedEvents(shard.events, key, at(0), at(count));
    t.strictSame([events.length, resync, seq], [first, false, count]);
    t.equal(events.at(-1)?.seq, first, 'without a gap');
  });
}
