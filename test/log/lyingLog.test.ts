import t from 'tap';
import { HONEST } from '../support/log/lyingStream.js';
import { LYING, simulate } from '../support/log/simulation.js';
import { randomNumbers } from '../support/seededRandom.js';

const HISTORIES = process.argv.includes('--long') ? 2_000 : 60;

t.test('REPLICA2 with an honest log nothing is lost, doubled or read stale', async (t) => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const result = await simulate({ seed, random: randomNumbers(seed), lies: HONEST, milliseconds: 60_000 });
    t.strictSame(result.problems, [], `seed ${seed}`);
    t.ok(result.acknowledged > 50);
  }
});

t.test('REPLICA2 with a log that lies nothing is lost, doubled or read stale', async (t) => {
  const sum = { acknowledged: 0, reads: 0, terms: 0, resolved: 0, unknown: 0 };
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const result = await simulate({ seed, random: randomNumbers(seed), lies: LYING, milliseconds: 40_000 });
    if (result.problems.length > 0) t.strictSame(result.problems.slice(0, 5), [], `seed ${seed}`);
    for (const key of ['acknowledged', 'reads', 'terms', 'resolved', 'unknown'] as const) sum[key] += result[key];
  }
  t.comment(JSON.stringify(sum));
  t.ok(sum.acknowledged > 20 * HISTORIES && sum.reads > 20 * HISTORIES, 'clients were served');
  t.ok(sum.terms > 2 * HISTORIES, 'the partition changed its owner');
  t.ok(sum.resolved > HISTORIES, 'appends were resolved by reading');
});
