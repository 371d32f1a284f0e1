/** A log that lost its end and got another one: copies that had the old end must not go on. */
import t from 'tap';
import { LOG_START, type CopyFile, type LogPosition } from '../../src/domain/ports/partitionLog.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { mutate } from '../support/log/mutants.js';
import { LyingLog } from '../support/log/lyingStream.js';
import type { PartitionLogClass } from '../support/log/simulation.js';
import { VirtualTime } from '../support/log/virtualTime.js';

interface Forked {
  readonly old: readonly string[];
  readonly rewritten: readonly string[];
  readonly halted: string | null;
}

/** One copy has three values; the log loses the last one, and an owner that never saw it writes two others. */
async function fork(Log: PartitionLogClass): Promise<Forked> {
  const time = new VirtualTime();
  const log = new LyingLog(time, () => 0.5);
  const link = { isCut: () => false, run: (milliseconds: number, work: () => void) => time.after(milliseconds, work) };
  const open = (name: string, values: string[], position: LogPosition): PartitionLog => {
    const file: CopyFile = { position, apply: (contents) => void values.push(...contents.map((content) => Buffer.from(content).toString())) };
    const pause = (milliseconds: number): Promise<void> => time.pause(milliseconds);
    return new Log({
      stream: log.viewOf(link),
      file,
      instance: name,
      folder: name,
      leaseMs: 100,
      schema: 1,
      now: () => time.now,
      pause,
      onError: () => undefined,
    });
  };
  const write = async (owner: PartitionLog, text: string): Promise<void> => {
    owner.append(Buffer.from(text), () => undefined);
    await time.runUntil(time.now + 100);
  };
  const [first, old, rewritten] = [[], [], []] as [string[], string[], string[]];
  const owner = open('first', first, LOG_START);
  const copy = open('old', old, LOG_START);
  for (const each of [owner, copy]) void each.start();
  await time.runUntil(time.now + 1_000);
  void owner.claim({ term: 0, schema: 1, leaseMs: 100 });
  await time.runUntil(time.now + 100);
  for (const text of ['one', 'two', 'three']) await write(owner, text);
  await time.runUntil(time.now + 1_000);
  log.records.pop();
  const successor = open('successor', rewritten, LOG_START);
  void successor.start();
  await time.runUntil(time.now + 1_000);
  void successor.claim({ term: 1, schema: 1, leaseMs: 100 });
  await time.runUntil(time.now + 1_000);
  for (const text of ['other', 'more']) await write(successor, text);
  copy.noteRecords(log.records.length);
  await time.runUntil(time.now + 30_000);
  return { old, rewritten, halted: copy.haltReason?.message ?? null };
}

t.test('OPERATE7 a copy of another history halts instead of mixing the two', async (t) => {
  const { old, halted } = await fork(PartitionLog);
  t.match(halted, /follows another history|was another one before/);
  t.strictSame(old, ['one', 'two', 'three']);
});

t.test('OPERATE7 found out: the chain is not compared', async (t) => {
  const replace = [
    ['record.after !== chain', 'false'],
    ['nextChain(before, body) !== after', 'false'],
  ] as const;
  const broken = await mutate<{ PartitionLog: PartitionLogClass }>(t, { file: 'log/recordReader.js', replace }, 'log/partitionLog.js');
  const { old, halted } = await fork(broken.PartitionLog);
  t.equal(halted, null);
  t.ok(old.includes('more') && old.includes('three'), `the broken program mixes them: ${old.join()}`);
});
