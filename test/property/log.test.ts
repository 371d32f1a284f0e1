import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { shardFile } from '../../src/store/folder/dataFolder.js';
import { LoggedShards, titlesAfterStart } from '../store/log/loggedShards.js';
import { timeForRuns } from '../support/timeForRuns.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const SHARDS = 3;
const RUNS = 60;
/** Fewer runs on a slow machine. */
const MAX_MS = 12_000;

type Step =
  | { readonly do: 'add'; readonly shard: number; readonly fault: 'none' | 'transaction' | 'commit' }
  | { readonly do: 'endTurn' | 'addNow' | 'refuse' | 'accept' | 'kill' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'reopen'; readonly shard: number };

const shard = fc.integer({ min: 0, max: SHARDS - 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('add'),
        shard,
        fault: fc.constantFrom(...Array<'none'>(20).fill('none'), 'transaction', 'commit'),
      }) as fc.Arbitrary<Step>,
    },
    { weight: 6, arbitrary: fc.constant({ do: 'endTurn' }) },
    { weight: 1, arbitrary: fc.constant({ do: 'addNow' }) },
    { weight: 1, arbitrary: fc.constant({ do: 'refuse' }) },
    { weight: 3, arbitrary: fc.constant({ do: 'accept' }) },
    { weight: 1, arbitrary: fc.constant({ do: 'kill' }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(50, 200, 4_000) }) as fc.Arbitrary<Step> },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), shard }) as fc.Arbitrary<Step> },
  ),
  { minLength: 60, maxLength: 200, size: 'max' },
);

interface OwnerCounts {
  settled: number;
  refused: number;
  kills: number;
}

t.test('CRASH1 a start after a kill finds exactly the settled commits, after every kind of failure', async (t) => {
  const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
  t.comment(`PROPERTY_SEED=${seed} runs this again`);
  const counts: OwnerCounts = { settled: 0, refused: 0, kills: 0 };
  const isTime = timeForRuns(MAX_MS);
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      if (isTime()) await t.test('a run', async (t) => play(t, run, counts));
    }),
    { seed, numRuns: RUNS, endOnFailure: true },
  );
  t.comment(`${counts.settled} commits settled, ${counts.refused} refused, ${counts.kills} kills`);
  t.ok(counts.settled > 0 && counts.refused > 0 && counts.kills > 0);
});

async function play(t: Test, run: readonly Step[], counts: OwnerCounts): Promise<void> {
  const shards = await LoggedShards.open(t, SHARDS);
  plantFaults(shards);
  /** Shards whose commit is under way. */
  const underWay = new Set<number>();
  let count = 0;
  const add = (n: number, title: string): void => {
    if (underWay.has(n)) return;
    underWay.add(n);
    shards.add(n, `${title} ${(count += 1)}`, (error) => {
      underWay.delete(n);
      if (error === null) counts.settled += 1;
      else counts.refused += 1;
    });
  };
  for (const step of [...run, { do: 'endTurn' }, { do: 'kill' }] satisfies Step[]) {
    switch (step.do) {
      case 'add':
        add(step.shard, TITLES[step.fault]);
        break;
      case 'addNow':
        shards.endTurn();
        try {
          shards.addNow(0, `now ${(count += 1)}`);
        } catch {
          counts.refused += 1;
        }
        break;
      case 'endTurn':
        shards.endTurn();
        break;
      case 'refuse':
        shards.sqlInLog('UPDATE switch SET refuses = 1');
        break;
      case 'accept':
        shards.sqlInLog('UPDATE switch SET refuses = 0');
        break;
      case 'pass':
        shards.endTurn();
        shards.pass(step.ms);
        break;
      case 'reopen':
        shards.endTurn();
        if (!shards.acknowledged[step.shard]?.some((title) => title.startsWith(TITLES.commit))) shards.reopen(step.shard);
        break;
      case 'kill': {
        shards.endTurn();
        counts.kills += 1;
        const expected = shards.acknowledged.map((titles) => [...titles].sort());
        assert.deepEqual(
          shards.keys.map((_, n) => shards.titles(n)),
          expected,
          'the running shards',
        );
        assert.deepEqual(titlesAfterStart(mend(await shards.image(t)), shards.keys), expected, 'the next start');
      }
    }
  }
}

/** Of cards. A trigger in the shard's file knows them. */
const TITLES = { none: 'sound', transaction: 'broken', commit: 'heavy' };

function plantFaults(shards: LoggedShards): void {
  shards.sqlInLog('CREATE TABLE switch AS SELECT 0 AS refuses');
  shards.sqlInLog(`CREATE TRIGGER fault BEFORE INSERT ON record WHEN (SELECT refuses FROM switch) BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  for (let n = 0; n < SHARDS; n += 1) {
    shards.sqlInShard(n, 'CREATE TABLE target (id INTEGER PRIMARY KEY)');
    shards.sqlInShard(n, 'CREATE TABLE dangling (id INTEGER REFERENCES target (id) DEFERRABLE INITIALLY DEFERRED)');
    shards.sqlInShard(n, `CREATE TRIGGER ends AFTER INSERT ON card WHEN new.title LIKE 'broken%' BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`);
    shards.sqlInShard(n, `CREATE TRIGGER fails AFTER INSERT ON card WHEN new.title LIKE 'heavy%' BEGIN INSERT INTO dangling VALUES (1); END`);
  }
}

/** The disk of the next start works again. */
function mend(folder: string): string {
  for (let n = 0; n < SHARDS; n += 1) {
    const db = new Sqlite(join(folder, shardFile(n)));
    db.exec('DROP TRIGGER fails');
    db.close();
  }
  return folder;
}
