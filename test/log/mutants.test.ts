/** Each line that keeps the promise of the log is broken in turn, and the judge must notice. */
import t from 'tap';
import { mutate, type Mutation } from '../support/log/mutants.js';
import { LYING, simulate, type PartitionLogClass } from '../support/log/simulation.js';
import { randomNumbers } from '../support/seededRandom.js';

const MOST_HISTORIES = 150;

/** `history`: the first that finds it out, when it is not one of the first. The others are tried if it does not. */
const MUTATIONS: Readonly<Record<string, Mutation & { readonly history?: number }>> = {
  'records are stored at any place': {
    file: 'log/exactAppend.js',
    replace: [
      ['stream.publish(body, expected)', 'stream.publish(body, NaN)'],
      [' && answer.seq === expected + 1', ''],
    ],
  },
  'a refusal is believed': {
    file: 'log/exactAppend.js',
    replace: [['const content = await contentOf(options, expected + 1);', "return 'fenced';"]],
  },
  'a missing answer counts as a refusal': {
    history: 178,
    file: 'log/exactAppend.js',
    replace: [["return 'unknown';", "return 'fenced';"]],
  },
  'a claim does not wait for the end of the lease': {
    history: 7,
    file: 'domain/readLease.js',
    replace: [['return now - seenAt > leaseMs * CLOCK_MARGIN;', 'return true;']],
  },
  'the lease counts from the last attempt': {
    history: 31,
    file: 'log/partitionLog.js',
    replace: [['this.#lease.renew(sentAt, ', 'this.#lease.renew(now(), ']],
  },
  'reads need no lease': {
    history: 2,
    file: 'log/partitionLog.js',
    replace: [["this.#state === 'owning' && this.#lease.holds(now)", "this.#state === 'owning'"]],
  },
  'a new owner goes on with the pieces of its predecessor': {
    history: 2,
    file: 'log/recordReader.js',
    replace: [["if (kind.type !== 'commit')\n            return null;", "if (kind.type !== 'commit') { this.#pieces = pieces; return null; }"]],
  },
  'the position is stored in the middle of a commit': {
    history: 59,
    file: 'log/recordReader.js',
    replace: [['return this.#beforePieces ?? this.#position;', 'return this.#position;']],
  },
};

for (const [name, mutation] of Object.entries(MUTATIONS)) {
  t.test(`found out: ${name}`, async (t) => {
    const { PartitionLog: partitionLog } = await mutate<{ PartitionLog: PartitionLogClass }>(t, mutation, 'log/partitionLog.js');
    let [seed, problems]: [number, readonly string[]] = [0, []];
    for (let tried = 0; tried < MOST_HISTORIES && problems.length === 0; tried += 1) {
      seed = tried === 0 ? (mutation.history ?? 1) : tried;
      const options = { seed, random: randomNumbers(seed), lies: LYING, milliseconds: 40_000, partitionLog };
      ({ problems } = await simulate(options));
    }
    t.comment(`history ${seed}: ${problems[0] ?? 'nothing'}`);
    t.ok(problems.length > 0, 'the judge sees no difference');
  });
}
