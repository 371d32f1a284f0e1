import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { Api } from '../../support/http/api.js';
import { BackupWriter, WANDERER, type Progress } from '../../support/store/backupWriter.js';
import type { BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { TestCluster } from '../../support/cluster/cluster.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { findNatsServer } from '../../support/cluster/natsServer.js';
import { runProgram } from '../../support/service/program.js';
import { skipWithout } from '../../support/service/programs.js';
import { until } from '../../support/until.js';
import { ServiceProcess, WARNING, type Settings } from '../../support/service/serviceProcess.js';

const WRITERS = 3;
/** A writer changes its name in every round. */
const RENAMING = { MAX_PROFILE_CHANGES_PER_MINUTE: '10000' };
/** On a machine that stands still for seconds a change is answered first: that is promised, and no fault of a backup. */
const LATE = 'a change is answered before the directory has it';
/** Before the backup begins: enough for the files to differ from empty ones, and for boards to be deleted again. */
const ROUNDS = 6;

interface Taken {
  readonly writers: readonly BackupWriter[];
  /** As it was acknowledged when the backup began. */
  readonly before: readonly Progress[];
}

t.test('BACKUP1 a backup under load contains every acknowledged change and nothing that was never requested', async (t) => {
  const folder = await temporaryFolder(t);
  const settings = { SHARDS: '4', SHARD_THREADS: '1', DURABILITY: 'normal', ...RENAMING };
  const service = await startService(t, { ...settings, DATA_DIR: folder });
  const api = await Api.connect(service.url);
  const target = join(await temporaryFolder(t), 'backup');
  const taken = await backUpUnderLoad([api], target, { ...settings, DATA_DIR: folder });
  t.equal(await service.stop(), 0);
  t.strictSame(
    service.log.filter(({ level, msg }) => level >= WARNING && msg !== LATE),
    [],
    'the service logged nothing',
  );
  await checkRestored(t, target, taken, settings);
});

const nats = await findNatsServer();
t.test('BACKUP1 a backup of several instances contains every acknowledged change and nothing else', { skip: skipWithout(nats) }, async (t) => {
  const cluster = await TestCluster.start(t, 2, RENAMING);
  const target = join(await temporaryFolder(t), 'backup');
  const taken = await backUpUnderLoad(
    cluster.running.map(({ api }) => api),
    target,
    cluster.settings,
  );
  const { NATS_URL: _alone, ...settings } = cluster.settings;
  await checkRestored(t, target, taken, settings);
});

async function startService(t: Test, settings: Settings): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  return service;
}

/** The writers are spread over the instances, and go on until the backup is complete. */
async function backUpUnderLoad(apis: readonly Api[], target: string, settings: Settings): Promise<Taken> {
  const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => BackupWriter.settle(apis[n % apis.length] ?? fail('no instance'))));
  await Promise.all(writers.map((writer) => repeat(ROUNDS, () => writer.work())));
  let isDone = false;
  const untilDone = async (work: () => Promise<void>): Promise<void> => {
    while (!isDone) await work();
  };
  const writing = Promise.all(writers.flatMap((writer) => [untilDone(() => writer.work()), untilDone(() => writer.wander())]));
  const before = writers.map(({ progress }) => progress);
  const { code, stderr } = await runProgram(['backup', target], settings);
  isDone = true;
  await writing;
  if (code !== 0) fail(stderr);
  return { writers, before };
}

async function checkRestored(t: Test, target: string, { writers, before }: Taken, settings: Settings): Promise<void> {
  t.strictSame((await checkFolder(target)).problems, [], 'the backup is sound');
  const elsewhere = join(await temporaryFolder(t), 'data');
  const restored = await runProgram(['restore', target], { ...settings, DATA_DIR: elsewhere });
  t.match(restored, { code: 0, stderr: '' });
  const service = await startService(t, { ...settings, DATA_DIR: elsewhere });
  const api = await Api.connect(service.url);
  let wereUnderWay = 0;
  for (const [index, writer] of writers.entries()) {
    const then = before[index] ?? fail('the writer is missing');
    if (writer.progress.title > then.title && writer.progress.moves > then.moves) wereUnderWay += 1;
    await checkWriter(t, api, writer, then);
  }
  t.equal(wereUnderWay, WRITERS, 'all were writing while the backup was taken');
}

async function checkWriter(t: Test, api: Api, writer: BackupWriter, then: Progress): Promise<void> {
  const { user, board, otherBoard, card, sent } = writer;
  const { token } = user;
  const get = async <Body>(path: string): Promise<Body> => (await api.request<Body>('GET', path, { token })).body;

  const [found, me] = [await get<BoardJson>(`/boards/${board}`), await get<{ firstname: string }>('/auth/me')];
  const title = Number(found.columns[0]?.cards[0]?.title);
  t.ok(title >= then.title && title <= sent, `the card is at ${title}, between ${then.title} and ${sent}`);
  const firstname = Number(me.firstname);
  t.ok(firstname >= then.firstname && firstname <= sent, `the name is at ${firstname}, from ${then.firstname}`);

  const attachments = found.columns[0]?.cards.find(({ id }) => id === card)?.attachments ?? [];
  for (const { id, size } of attachments) {
    const content = Buffer.from(await get<Uint8Array>(`/attachments/${id}`)).toString();
    t.equal(content.length, size, 'an attachment is complete');
    if (then.contents.has(id)) t.ok(content === then.contents.get(id), 'and as it was sent');
  }
  const kept = new Set(attachments.map(({ id }) => id));
  t.strictSame(
    [...then.contents.keys()].filter((id) => !kept.has(id)),
    [],
    'every acknowledged upload is there',
  );

  for (const { user_id } of found.members) {
    t.equal((await api.request('GET', `/users/${user_id}`, { token })).status, 200, 'every member is a user');
  }
  await checkWanderer(t, api, writer);

  const list = await get<{ id: string }[]>('/boards');
  for (const { id } of list) {
    const { status, body } = await api.request<BoardJson>('GET', `/boards/${id}`, { token });
    t.equal(status, 200, 'every board of the list is there');
    t.ok(
      body.members.some(({ user_id }) => user_id === user.id),
      'and has the user as a member',
    );
  }
  const listed = new Set(list.map(({ id }) => id));
  const neverDeleted = then.boards.filter((id) => writer.progress.boards.includes(id));
  t.strictSame(
    [board, otherBoard, ...neverDeleted].filter((id) => !listed.has(id)),
    [],
    'and the list lacks none',
  );
}

/** A card that was on its way arrives, or is free where it was. */
async function checkWanderer(t: Test, api: Api, { user: { token }, board, otherBoard }: BackupWriter): Promise<void> {
  const found = async (id: string): Promise<CardJson[]> => {
    const { body } = await api.request<BoardJson>('GET', `/boards/${id}`, { token });
    return body.columns.flatMap(({ cards }) => cards.filter(({ title }) => title === WANDERER));
  };
  const renamed = await until(async () => {
    const cards = [...(await found(board)), ...(await found(otherBoard))];
    const [card, another] = cards;
    if (card === undefined) return 0;
    if (another !== undefined) return null;
    const { status } = await api.request('PATCH', `/cards/${card.id}`, { token, json: { description: 'Still there' } });
    return status === 200 ? 1 : null;
  });
  t.equal(renamed, 1, 'the card that moves between boards is on one of them, and can be changed');
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let n = 0; n < times; n += 1) await work();
}

function fail(message: string): never {
  throw new Error(message);
}
