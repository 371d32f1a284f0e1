import t from 'tap';
import { UserTrust } from '../../src/cluster/userTrust.js';
import { simulateUsers, type UserClasses } from '../support/cluster/userWorld.js';
import { breakProgram, type Mutation } from '../support/log/mutants.js';
import { randomNumbers } from '../support/seededRandom.js';

const MILLISECONDS = 30_000;
const HISTORIES = process.argv.includes('--long') ? 1_000 : 12;

t.test('REPLICA2 no instance shows a user as before an acknowledged change, whatever is lost, late or cut off', async (t) => {
  const sum = { reads: 0, remembered: 0, refused: 0, changes: 0 };
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const result = await simulateUsers(randomNumbers(seed), MILLISECONDS);
    t.strictSame(result.problems.slice(0, 3), [], `seed ${seed}`);
    for (const key of ['reads', 'remembered', 'refused', 'changes'] as const) sum[key] += result[key];
  }
  t.comment(JSON.stringify(sum));
  t.ok(sum.remembered > 50 * HISTORIES, 'most requests ask nobody');
  t.ok(sum.refused > HISTORIES && sum.changes > 10 * HISTORIES, 'instances were cut off, and users changed');
});

t.test('REPLICA2 a grant continues the last one only if it is of the same owner and comes before its end', async (t) => {
  const world = { now: 0, by: 'one', lapses: 0 };
  const trust = new UserTrust({
    ownLeaseEnd: () => 0,
    ask: async () => ({ ms: 500, by: world.by }),
    onLapse: () => void (world.lapses += 1),
    now: () => world.now,
  });
  const requestAt = async (now: number): Promise<boolean> => {
    world.now = now;
    const isCurrent = trust.isCurrent();
    // The grant has come.
    await new Promise(setImmediate);
    return isCurrent;
  };
  t.notOk(await requestAt(0), 'nothing is granted yet');
  t.ok(await requestAt(200));
  t.ok(await requestAt(600), 'the last request has renewed it');
  t.equal(world.lapses, 1, 'what was remembered before the first grant is in doubt');
  world.by = 'two';
  t.ok(await requestAt(750), 'until another owner grants something');
  t.equal(world.lapses, 2);
  t.notOk(await requestAt(1_300));
  t.equal(world.lapses, 3, 'a gap');
  trust.revoke();
  t.notOk(trust.isCurrent(), 'it is taken back');
});

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a change is answered before the holders have confirmed it': {
    file: 'cluster/userGrants.js',
    replace: [['this.#unconfirmed.size === 0 ? value', 'true ? value']],
  },
  'what was remembered before a grant counts': {
    file: 'cluster/userTrust.js',
    replace: [['if (!isContinued)\n                onLapse();', '']],
  },
  'a grant counts from its arrival': {
    file: 'cluster/userTrust.js',
    replace: [['Math.max(this.#grantEnd, sentAt + ms) : sentAt + ms;', 'now() + 2 * ms : now() + 2 * ms;']],
  },
  'grants outlive a hand-over': {
    file: 'cluster/userGrants.js',
    replace: [["this.#forget('all');", '']],
  },
  'the grants of a dead process are forgotten': {
    file: 'cluster/userGrants.js',
    replace: [['if (wait > 0)', 'if (false)']],
  },
};

for (const [name, mutation] of Object.entries(MUTATIONS)) {
  t.test(`REPLICA2 found out: ${name}`, async (t) => {
    const load = await breakProgram(t, mutation);
    const classes: UserClasses = { ...(await load<UserClasses>('cluster/userGrants.js')), ...(await load<UserClasses>('cluster/userTrust.js')) };
    let [seed, problems]: [number, readonly string[]] = [0, []];
    for (let tried = 0; tried < 100 && problems.length === 0; tried += 1) {
      seed = tried + 1;
      ({ problems } = await simulateUsers(randomNumbers(seed), MILLISECONDS, classes));
    }
    t.comment(`history ${seed}: ${problems[0] ?? 'nothing'}`);
    t.ok(problems.length > 0, 'the judge sees no difference');
  });
}
