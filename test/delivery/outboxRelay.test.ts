import t from 'tap';
import { WINDOW } from '../../src/delivery/sourceQueue.js';
import { AppError } from '../../src/domain/errors.js';
import { OUTBOX_PAGE } from '../../src/domain/ports/outbox.js';
import { withDeadline } from '../../src/partitions/deadline.js';
import type { OutboxEntry } from '../../src/partitions/messages.js';
import { seededRandom } from '../support/seededRandom.js';
import { door, FakeWorld } from '../support/delivery/fakeOutbox.js';

t.test('OUTBOX10 entries for one target arrive in order and are confirmed on arrival', async (t) => {
  const world = new FakeWorld(t);
  const { passed, open } = door();
  world.before = () => passed;
  world.source('shard 0').commit('a', 'a', 'a');
  t.strictSame([world.attempts, world.confirmed], [['a 1'], []], 'one at a time');
  const [first, third] = [world.delivered('shard 0', 'a', 1), world.delivered('shard 0', 'a', 3)];
  open();
  await first;
  t.strictSame(world.arrivedAt('a')[0], 1);
  await third;
  t.strictSame(world.arrivedAt('a'), [1, 2, 3]);
  t.strictSame(world.confirmed, ['shard 0 1', 'shard 0 2', 'shard 0 3']);
  await world.delivered('shard 0', 'a', 1);
  t.pass('waiting for an earlier delivery resolves at once');
});

t.test('OUTBOX10 an entry is repeated until it arrives, and no other target or source waits for it', async (t) => {
  const world = new FakeWorld(t);
  let failures = 0;
  world.before = (entry, isRepeated) => {
    t.equal(isRepeated, failures > 0 && entry.target === 'a' && entry.id === 1);
    if (entry.target !== 'a' || failures === 2) return;
    failures += 1;
    throw new AppError('unavailable', 'away');
  };
  world.source('shard 0').commit('a', 'a', 'b');
  world.source('shard 1').commit('b');
  await world.delivered('shard 0', 'b');
  await world.delivered('shard 1', 'b');
  t.strictSame(world.arrived, ['b 3', 'b 1']);
  await world.delivered('shard 0', 'a');
  t.strictSame(world.arrivedAt('a'), [1, 2]);
  t.strictSame(world.confirmed, ['shard 0 3', 'shard 1 1', 'shard 0 1', 'shard 0 2']);
  t.equal(world.log.length, 1, 'the trouble is logged once');
  t.match(world.log[0], /"source":"shard 0".*"msg":"failed"/);
});

t.test('COMMIT27 after a stop nothing more is delivered or confirmed, and no caller is kept waiting', async (t) => {
  const world = new FakeWorld(t, { parallel: 1 });
  const { passed, open } = door();
  world.before = () => passed;
  world.source('shard 0').commit('a', 'a', 'b');
  const waiting = world.delivered('shard 0', 'a');
  world.relay.stop();
  await waiting;
  await world.delivered('shard 0', 'b');
  world.away.add('a');
  open();
  await passed;
  world.source('shard 0').commit('c');
  await new Promise(setImmediate);
  t.strictSame([world.attempts, world.arrived, world.confirmed], [['a 1'], [], []]);
});

t.test('HTTP27 a caller that waits too long gets an error while the work goes on', async (t) => {
  const { passed, open } = door();
  await t.rejects(withDeadline(passed, 1), { code: 'unavailable', retryAfter: 1 });
  open();
  await withDeadline(
    passed.then(() => t.pass('done')),
    1_000,
  );
  const away = new AppError('unavailable', 'away');
  await t.rejects(withDeadline(Promise.reject(away), 1_000), away);
});

t.test('an entry that is pushed twice is delivered once while it is under way, and harmless later', async (t) => {
  const world = new FakeWorld(t);
  const { passed, open } = door();
  world.before = () => passed;
  const source = world.source('shard 0');
  const entries = source.add('a', 'a');
  for (const entry of [...entries, ...entries]) world.relay.take(entry);
  source.open();
  open();
  await world.delivered('shard 0', 'a');
  t.strictSame(world.arrivedAt('a'), [1, 2]);
  for (const entry of entries) world.relay.take(entry);
  await world.delivered('shard 0', 'a');
  t.strictSame(world.arrivedAt('a'), [1, 2, 1, 2], 'at least once');
});

t.test('a partition that opens has its undelivered entries delivered, a bounded number of them in memory', async (t) => {
  const world = new FakeWorld(t);
  const { passed, open } = door();
  world.before = () => passed;
  const source = world.source('shard 0');
  source.add(...Array.from({ length: 3 * WINDOW }, () => 'a'));
  source.open();
  await new Promise(setImmediate);
  t.strictSame(
    source.pushedAfter,
    [1, 2, 3].map((page) => page * OUTBOX_PAGE),
    'pages are read while there is room',
  );
  source.commit('a');
  open();
  await world.delivered('shard 0', 'a');
  t.strictSame(
    world.arrivedAt('a'),
    Array.from({ length: 3 * WINDOW + 1 }, (_, n) => n + 1),
    'all, in order, each once',
  );
  t.equal(source.rows.size, 0);
  source.commit('a');
  await world.delivered('shard 0', 'a');
  t.equal(world.arrivedAt('a').at(-1), 3 * WINDOW + 2, 'and then entries are taken as they are committed');
});

t.test('entries beyond the bound stay in the outbox until there is room', async (t) => {
  const world = new FakeWorld(t);
  const { passed, open } = door();
  world.before = () => passed;
  const source = world.source('shard 0');
  source.commit(...Array.from({ length: WINDOW + 200 }, (_, n) => (n < WINDOW ? 'a' : 'b')));
  t.strictSame(world.attempts, ['a 1'], 'another target waits too: there is no room');
  const waiting = [world.delivered('shard 0', 'b', WINDOW + 200), world.delivered('shard 0', 'b')];
  open();
  await Promise.all(waiting);
  t.equal(world.arrivedAt('b').length, 200, 'an answer waits for an entry that is still in the outbox');
  t.strictSame(source.pushedAfter, [WINDOW]);
  await world.delivered('shard 0', 'a');
  t.equal(world.arrived.length, WINDOW + 200);
  t.equal(source.rows.size, 0);
});

t.test('OUTBOX10 however many targets cannot be reached, the others get their entries, and order is kept', async (t) => {
  const world = new FakeWorld(t);
  const source = world.source('directory');
  const lost = Array.from({ length: 2 * WINDOW }, (_, n) => `lost ${n}`);
  for (const target of lost) world.away.add(target);
  source.add(...lost, ...lost, 'a');
  source.open();
  // The deadline is long: this resolves when the last row was reached.
  await world.delivered('directory', 'a');
  t.strictSame(world.arrived, [`a ${4 * WINDOW + 1}`]);
  source.commit('lost 7', 'b');
  await world.delivered('directory', 'b');
  t.equal(world.arrived.length, 2);
  await world.delivered('directory', 'lost 7');
  t.equal(world.arrivedAt('lost 7').length, 0, 'an answer does not wait for a target that was not reached a moment ago');
  t.equal(world.log.length, 1, 'the trouble is logged once');

  world.away.clear();
  await source.emptied();
  for (const [n, target] of lost.entries()) {
    const expected = [n + 1, 2 * WINDOW + n + 1, ...(n === 7 ? [4 * WINDOW + 2] : [])];
    if (`${world.arrivedAt(target)}` !== `${expected}`) t.fail(`${target}: ${world.arrivedAt(target)}`);
  }
});

t.test('OUTBOX10 under random outages, restarts and bursts every entry arrives, in order for its target', async (t) => {
  const seed = Number(process.env['COURIER_SEED'] ?? Date.now() % 1e6);
  t.comment(`COURIER_SEED=${seed}`);
  const random = seededRandom(seed);
  const world = new FakeWorld(t, { parallel: 8 });
  const targets = Array.from({ length: 30 }, (_, n) => `target ${n}`);
  const source = world.source('directory');
  world.before = () => (random.below(10) === 0 ? new Promise(setImmediate) : undefined);
  source.beforePage = () => {
    if (random.below(10) === 0) throw new AppError('internal', 'the disk');
  };
  for (let step = 0; step < 60; step += 1) {
    for (const target of targets) if (random.below(8) === 0 && !world.away.delete(target)) world.away.add(target);
    const burst = random.below(10) === 0 ? 800 : random.below(40);
    source.commit(...Array.from({ length: burst }, () => random.pick(targets)));
    if (random.below(5) === 0) source.open();
    if (random.below(10) === 0) source.isOpen = false;
    await new Promise((resolve) => setTimeout(resolve, random.below(40)));
  }
  world.away.clear();
  source.beforePage = () => undefined;
  source.open();
  if (source.rows.size > 0) await source.emptied();
  const expected = new Map(targets.map((target) => [target, [] as number[]]));
  for (const { target, id } of source.committed) expected.get(target)?.push(id);
  for (const [target, ids] of expected) {
    t.strictSame([...new Set(world.arrivedAt(target))], ids, target);
  }
});

t.test('MEMBER9 an answer waits no longer than the kind of its entry allows', async (t) => {
  const world = new FakeWorld(t, { patienceMs: 20 });
  const { passed, open } = door();
  world.before = () => passed;
  world.source('shard 0').commit('a');
  await world.delivered('shard 0', 'a', 1);
  t.strictSame(world.arrived, []);
  t.match(world.log, [/"msg":"late"/]);
  open();
  await new Promise(setImmediate);
  t.strictSame(world.arrived, ['a 1'], 'the delivery goes on');
});

t.test('when a partition has moved, what is in memory is delivered, and the rest is its next owner’s', async (t) => {
  const world = new FakeWorld(t);
  const { passed, open } = door();
  world.before = () => passed;
  const source = world.source('shard 0');
  source.commit(...Array.from({ length: WINDOW + 1 }, () => 'a'));
  source.isOpen = false;
  const waiting = world.delivered('shard 0', 'a', WINDOW + 1);
  open();
  await waiting;
  t.equal(world.arrived.length, WINDOW);
  t.equal(source.pushedAfter.length, 1, 'it is not asked again');
  // It answers its last commands after it was given away.
  for (const entry of source.add('a')) world.relay.take(entry);
  await world.delivered('shard 0', 'a');
  t.equal(world.arrived.length, WINDOW, 'a later entry does not overtake those that are left');
  // It comes back.
  source.open();
  await world.delivered('shard 0', 'a');
  t.strictSame(world.arrivedAt('a').slice(-2), [WINDOW + 1, WINDOW + 2]);
  t.equal(source.rows.size, 0);
});

t.test('an outbox that cannot be read is read again', async (t) => {
  const world = new FakeWorld(t);
  const source = world.source('shard 0');
  let failures = 0;
  source.beforePage = () => {
    failures += 1;
    if (failures === 1) throw new AppError('internal', 'the disk');
  };
  source.add(...Array.from({ length: OUTBOX_PAGE + 1 }, () => 'a'));
  source.open();
  await world.delivered('shard 0', 'a');
  t.equal(world.arrived.length, OUTBOX_PAGE + 1);
  t.match(world.log, [/could not be read; trying again/]);
});

t.test('a kind has a number of deliveries at a time, and repeated attempts take no place of a first one', async (t) => {
  const world = new FakeWorld(t, { parallel: 2 });
  const source = world.source('directory');
  const [{ passed, open }, crowded] = [door(), door()];
  let repeated = 0;
  world.before = ({ target }, isRepeated) => {
    if (isRepeated && (repeated += 1) === 2) crowded.open();
    return target === 'shut' || isRepeated ? passed : undefined;
  };
  ['x', 'y', 'z'].forEach((target) => world.away.add(target));
  source.commit('shut', 'a', 'b', 'x', 'y', 'z');
  await world.delivered('directory', 'b');
  t.strictSame(world.attempts.slice(0, 2), ['shut 1', 'a 2']);
  await crowded.passed;
  source.commit('c');
  await world.delivered('directory', 'c');
  t.equal(repeated, 2);
  t.strictSame(world.arrived, ['a 2', 'b 3', 'c 7']);
  open();
});

t.test('OUTBOX10 entries of an unknown kind stay in the outbox and delay no others', async (t) => {
  const world = new FakeWorld(t);
  const source = world.source('shard 0');
  const [later, known] = source.add('b', 'a');
  if (later === undefined || known === undefined) throw new Error('two were added');
  source.rows.set(later.id, { ...later, kind: 'later' } as unknown as OutboxEntry);
  source.open();
  await world.delivered('shard 0', 'a');
  world.relay.take({ ...later, id: 9, kind: 'toString' } as unknown as OutboxEntry);
  await world.delivered('shard 0', 'b');
  t.strictSame(world.attempts, ['a 2']);
  t.strictSame([...source.rows.keys()], [1]);
  t.match(world.log, [/unknown kind/]);
});

t.test('MEMBER9 of entries that replace each other the latest is delivered, and all are confirmed', async (t) => {
  const world = new FakeWorld(t, { latestOnly: true });
  world.away.add('a');
  const source = world.source('directory');
  source.commit('a', 'a', 'a', 'b');
  await world.delivered('directory', 'b');
  world.away.clear();
  await world.delivered('directory', 'a');
  t.strictSame(world.attempts, ['a 1', 'b 4', 'a 3']);
  t.equal(source.rows.size, 0);
});

t.test('entries that are replaced before they are delivered take no room', async (t) => {
  const world = new FakeWorld(t, { latestOnly: true, patienceMs: 500 });
  const { passed, open } = door();
  world.before = ({ target }) => (target === 'a' ? passed : undefined);
  const source = world.source('directory');
  source.commit(...Array.from({ length: 3 * WINDOW }, () => 'a'), 'b');
  await world.delivered('directory', 'b');
  t.equal(source.pushedAfter.length, 0, 'nothing was left in the outbox');
  t.strictSame(world.arrived, [`b ${3 * WINDOW + 1}`]);
  t.equal(source.rows.size, 2, 'the entry that is being delivered, and the latest');
  open();
  await world.delivered('directory', 'a');
  t.strictSame(world.arrivedAt('a'), [1, 3 * WINDOW]);
});

t.test('OUTBOX10 a target that failed has its turn again although the outbox is never read to its end', async (t) => {
  const world = new FakeWorld(t, { parallel: 8 });
  const source = world.source('directory');
  world.away.add('a');
  const [isPostponed, isOver] = [door(), door()];
  let [commits, isGrowing] = [0, true];
  world.before = ({ target }) => {
    if (target === 'a') return world.away.size === 0 ? isOver.open() : undefined;
    // As many rows come as leave.
    if (isGrowing) source.commit(`busy ${(commits += 1)}`);
    if (commits > WINDOW) isPostponed.open();
    // A turn of the event loop: the pause between two rounds is a time.
    return commits % 20 === 0 ? new Promise(setImmediate) : undefined;
  };
  source.add('a', ...Array.from({ length: 2 * WINDOW }, (_, n) => `row ${n}`));
  source.open();
  await isPostponed.passed;
  t.strictSame(world.arrivedAt('a'), []);
  world.away.clear();
  await withDeadline(isOver.passed, 5_000).then(
    () => t.pass('while rows are added'),
    () => t.fail(`not after ${commits} further rows`),
  );
  isGrowing = false;
});
