import t, { type Test } from 'tap';
import { pino, type Logger } from 'pino';
import { openAnsweringPartition, asking, WRONG_OUTCOMES, type Answer, type Request } from './answeringThread.js';
import { NotServedHere } from '../../src/partitions/askPort.js';
import type { Notice, PartitionName } from '../../src/partitions/messages.js';
import { ThreadClient } from '../../src/partitions/thread/threadClient.js';

const KINDS = ['inline', 'in a thread of its own'] as const;

interface Subject {
  readonly thread: ThreadClient;
  readonly notices: string[];
  readonly losses: unknown[];
  readonly log: string[];
  ask(request: Request, partition?: PartitionName): Promise<Answer>;
}

async function start(t: Test, kind: (typeof KINDS)[number]): Promise<Subject> {
  const [notices, losses, log]: [string[], unknown[], string[]] = [[], [], []];
  const options = {
    log: logTo(log),
    onNotice: (notice: Notice) => void notices.push('board_id' in notice ? notice.board_id : notice.kind),
    onLost: (error: unknown) => void losses.push(error),
  };
  const thread =
    kind === 'inline'
      ? ThreadClient.inline({ open: openAnsweringPartition }, options)
      : ThreadClient.start(new URL('./answeringThread.js', import.meta.url), null, options);
  t.teardown(() => thread.close());
  await thread.open('directory');
  await thread.open('shard 1');
  const ask = async (request: Request, partition: PartitionName = 'directory'): Promise<Answer> =>
    (await thread.ask(partition, asking(request))) as Answer;
  return { thread, notices, losses, log, ask };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome?.status === 'rejected' ? outcome.reason : undefined;
}

function logTo(lines: string[]): Logger {
  return pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
}

for (const kind of KINDS) {
  t.test(`COMMIT54 (${kind}) asks of one turn reach each partition as one batch, in order`, async (t) => {
    const { ask } = await start(t, kind);
    const answers = await Promise.all([ask('a'), ask('x', 'shard 1'), ask('b'), ask('c')]);
    t.strictSame(answers, [
      { request: 'a', batch: ['a', 'b', 'c'] },
      { request: 'x', batch: ['x'] },
      { request: 'b', batch: ['a', 'b', 'c'] },
      { request: 'c', batch: ['a', 'b', 'c'] },
    ]);
  });

  t.test(`(${kind}) a refusal arrives with its code, text and retry time`, async (t) => {
    const { ask } = await start(t, kind);
    const [refused, answered] = await Promise.allSettled([ask('refuse'), ask('a')]);
    t.match(refused, { reason: { name: 'AppError', code: 'conflict', detail: 'taken', retryAfter: 2 } });
    t.match(answered, { value: { request: 'a' } });
  });

  t.test(`HTTP6 (${kind}) a partition that throws fails its own asks and those of no other partition`, async (t) => {
    const { ask, log } = await start(t, kind);
    const [thrown, beside, other] = await Promise.allSettled([ask('throw'), ask('a'), ask('x', 'shard 1')]);
    t.match(thrown, { reason: { code: 'internal', detail: 'Internal Server Error' } });
    t.match(beside, { reason: { code: 'internal' } });
    t.match(other, { value: { request: 'x' } });
    t.match(log.join(), /a fault of ours/);
    t.match(await ask('a'), { request: 'a' }, 'and it goes on');
  });

  for (const wrong of Object.keys(WRONG_OUTCOMES)) {
    t.test(`CLUSTER53 (${kind}) a partition that returns ${wrong} fails that ask only, and its thread keeps serving`, async (t) => {
      const { ask, losses, log } = await start(t, kind);
      const [failed, answered] = await Promise.allSettled([ask(wrong), ask('a')]);
      t.match(failed, { status: 'rejected', reason: { code: 'internal', detail: 'Internal Server Error' } });
      t.match(answered, { status: 'fulfilled', value: { request: 'a' } });
      t.match(await ask('b'), { request: 'b' }, 'the thread keeps serving');
      t.strictSame(losses, []);
      t.ok(log.length > 0, 'the fault is in the log');
    });
  }

  t.test(`(${kind}) a caller that reads a reply has already received its notices`, async (t) => {
    const { ask, notices } = await start(t, kind);
    const seen: string[][] = [];
    await Promise.all([ask('a').then(() => seen.push([...notices])), ask('later').then(() => seen.push([...notices]))]);
    t.strictSame(seen, [['a'], ['a', 'later']]);
    await ask('notify');
    t.ok(notices.includes('notified'), 'also a notice without an ask');
  });

  t.test(`(${kind}) trouble is logged with its text and cause`, async (t) => {
    const { ask, log } = await start(t, kind);
    await ask('trouble');
    t.equal(log.length, 1);
    t.match(log[0], /not stored/);
    t.match(log[0], /database or disk is full/);
  });

  t.test(`(${kind}) a partition that cannot be opened says why`, async (t) => {
    const { thread } = await start(t, kind);
    await t.rejects(thread.open('shard 13'), { code: 'unavailable', detail: 'in use by another process' });
  });

  t.test(`COMMIT27 (${kind}) an ask to a partition that is not open, or no longer open, is refused as not carried out`, async (t) => {
    const { thread, ask, notices } = await start(t, kind);
    t.ok((await failureOf(ask('a', 'shard 2'))) instanceof NotServedHere);
    const before = ask('x', 'shard 1');
    await thread.release('shard 1');
    t.match(await before, { request: 'x' }, 'what was asked before is finished');
    t.ok(notices.includes('closed'));
    t.ok((await failureOf(ask('y', 'shard 1'))) instanceof NotServedHere);
    t.match(await ask('a'), { request: 'a' }, 'other partitions keep serving');
    await thread.open('shard 1');
    t.match(await ask('z', 'shard 1'), { request: 'z' }, 'it can be opened again');
  });

  t.test(`COMMIT27 (${kind}) closing finishes earlier asks and refuses later ones`, async (t) => {
    const { thread, ask, notices, losses } = await start(t, kind);
    const before = [ask('a'), ask('b')];
    const closed = thread.close();
    await t.rejects(ask('c'), { code: 'unavailable', retryAfter: 1 });
    await closed;
    t.match(await Promise.all(before), [{ request: 'a' }, { request: 'b' }]);
    t.ok(notices.includes('closed'), 'the partitions were closed');
    await t.rejects(ask('d'), { code: 'unavailable' });
    await thread.close();
    t.strictSame(losses, []);
  });

  t.test(`COMMIT27 (${kind}) an ask that cannot be finished before closing is refused, not dropped`, async (t) => {
    const { thread, ask } = await start(t, kind);
    const waiting = t.rejects(ask('never'), { code: 'unavailable' });
    await thread.close();
    await waiting;
  });
}

t.test('a thread that dies fails all waiting asks, is reported once, and refuses later asks', async (t) => {
  const { thread, ask, losses, log } = await start(t, 'in a thread of its own');
  const waiting = await Promise.allSettled([ask('die'), ask('a'), ask('x', 'shard 1')]);
  for (const outcome of waiting) t.match(outcome, { reason: { code: 'unavailable', retryAfter: 1 } });
  t.equal(losses.length, 1);
  t.match(losses[0], { message: /ended with code 3/ });
  t.match(log.join(), /ended with code 3/, 'the reason is logged');
  await t.rejects(ask('b'), { code: 'unavailable' });
  await t.rejects(thread.open('shard 1'), { code: 'unavailable' });
  await thread.close();
  t.equal(losses.length, 1);
});
