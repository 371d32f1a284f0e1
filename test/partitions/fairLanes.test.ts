import t from 'tap';
import { FairLanes } from '../../src/flow/fairLanes.js';

/** Tasks that end when the test says so. */
class Tasks {
  readonly started: string[] = [];
  readonly lanes: FairLanes;
  readonly #ends = new Map<string, (failure?: Error) => void>();

  constructor(max: number, maxEach: number) {
    this.lanes = new FairLanes(max, maxEach);
  }

  run(owner: string, name: string): Promise<string> {
    return this.lanes.run(owner, () => {
      this.started.push(name);
      return new Promise((resolve, reject) => {
        this.#ends.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure)));
      });
    });
  }

  async end(name: string, failure?: Error): Promise<void> {
    this.#ends.get(name)?.(failure);
    await new Promise(setImmediate);
  }
}

t.test('HOSTILE35 a few tasks run at once, and callers take turns', async (t) => {
  const tasks = new Tasks(3, 2);
  const results = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => tasks.run(name.slice(0, 1), name));
  t.strictSame(tasks.started, ['a1', 'a2', 'b1'], 'no more than two of one');
  await tasks.end('a1');
  t.strictSame(tasks.started.slice(3), ['a3'], 'a was served before b');
  await tasks.end('b1');
  t.strictSame(tasks.started.slice(4), ['b2']);
  await tasks.end('a2');
  t.strictSame(tasks.started.slice(5), ['c1'], 'not a again');
  for (const name of ['a3', 'b2', 'c1', 'a4']) await tasks.end(name);
  t.strictSame(await Promise.all(results), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

t.test('HOSTILE35 a task that fails frees its place', async (t) => {
  const tasks = new Tasks(1, 1);
  const failing = t.rejects(tasks.run('a', 'bad'), { message: 'broken' });
  const good = tasks.run('a', 'good');
  await tasks.end('bad', new Error('broken'));
  await failing;
  await tasks.end('good');
  t.equal(await good, 'good');
});

t.test('HOSTILE35 a task that is aborted while it waits never runs, and leaves nothing behind', async (t) => {
  const lanes = new FairLanes(1, 1);
  let end: () => void = () => undefined;
  const first = lanes.run('a', () => new Promise<void>((resolve) => (end = resolve)));
  let giveUp: () => void = () => undefined;
  const second = lanes.runIfWanted(
    'a',
    async () => t.fail('it was aborted') as never,
    (given) => (giveUp = given),
  );
  const third = lanes.runIfWanted(
    'a',
    async () => t.pass('the next one runs') as never,
    () => undefined,
  );
  giveUp();
  giveUp();
  await second;
  end();
  await Promise.all([first, third]);
});
