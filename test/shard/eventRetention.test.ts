import t, { type Test } from 'tap';
import { LogKeeper } from '../../src/shard/eventRetention.js';
import type { ShardStore } from '../../src/shard/shardStore.js';
import { BoardState } from '../../src/domain/board/board.js';
import { createBoard, NOW, temporaryShard } from '../store/temporaryShard.js';

const MEGABYTE = 2 ** 20;

/** A board on a real file, a log that counts how often it is summed, and a writer. */
function writtenBoard(t: Test) {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const loaded = shard.loadBoard(key);
  if (loaded === null) throw new Error('the board was not written');
  const board = BoardState.load(loaded);
  let weighings = 0;
  const events: ShardStore['events'] = {
    since: (...read) => shard.events.since(...read),
    oldestSeq: (of) => shard.events.oldestSeq(of),
    latestSeq: (of) => shard.events.latestSeq(of),
    prune: (...cut) => shard.events.prune(...cut),
    pruneToBytes: (...cut) => {
      weighings += 1;
      shard.events.pruneToBytes(...cut);
    },
    pruneOlderThan: (...cut) => shard.events.pruneOlderThan(...cut),
    forget: (...cut) => shard.events.forget(...cut),
  };
  const keeper = new LogKeeper({ events, activity: shard.activity, pruneVersions: () => undefined }, 10_000);
  return {
    write(count: number, bytes: number): void {
      shard.transaction(() => {
        for (let n = 0; n < count; n += 1) {
          const event = { seq: board.seq + 1, type: 'card.updated', json: 'x'.repeat(bytes) } as const;
          shard.write(key, [], [event], event.seq, NOW);
          board.apply([], event.seq);
          keeper.noteWritten(board, [event]);
        }
      });
    },
    megabytes: () => Number(sql('SELECT sum(octet_length(json)) FROM event').flat()[0]) / MEGABYTE,
    weighings: () => weighings,
  };
}

t.test('CATCH6 a log of large events is cut by bytes, whatever the number of events', (t) => {
  const { write, megabytes } = writtenBoard(t);
  write(63, 2 * MEGABYTE);
  t.equal(megabytes(), 126, 'it is checked every 64 events');
  write(1, 2 * MEGABYTE);
  t.equal(megabytes(), 60);
  write(320, MEGABYTE / 4);
  t.ok(megabytes() <= 64, `${megabytes()} MB are left of 140`);
  t.ok(megabytes() > 48, 'and no more is deleted than necessary');
  t.end();
});

t.test('CATCH6 the bytes of a log of small events are rarely summed, because that reads the whole log', (t) => {
  const { write, weighings } = writtenBoard(t);
  write(64, 1_000);
  t.equal(weighings(), 1, 'the log of a board that was just loaded is summed once');
  write(4_096, 1_000);
  t.equal(weighings(), 1);
  write(128, 1_000);
  t.equal(weighings(), 2, 'and again after four megabytes');
  t.end();
});
