import t from 'tap';
import { DueCards } from '../support/board/dueCards.js';
import { Api } from '../support/http/api.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { until } from '../support/until.js';

t.test('REMIND2 a kill while reminders become due loses none and repeats none', async (t) => {
  const settings = { SHARDS: '2', SHARD_THREADS: '1', DATA_DIR: await temporaryFolder(t) };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  const scene = await DueCards.on(await Api.connect(service.url), 60);
  await until(async () => (await scene.reminded()).length > 0);
  await service.kill();
  service = await ServiceProcess.start(settings);
  scene.api = await Api.connect(service.url);
  await until(async () => (await scene.reminded()).length >= scene.cards.length);
  t.strictSame((await scene.reminded()).sort(), scene.cards.toSorted());
});

t.test('REMIND2 cards that go to and fro between boards while they become due remind once, although the service is killed', async (t) => {
  const settings = { SHARDS: '2', SHARD_THREADS: '1', DATA_DIR: await temporaryFolder(t) };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  // As many moves as a user may have under way.
  const scene = await DueCards.on(await Api.connect(service.url), 4);
  const other = await scene.addColumn();
  let isOver = false;
  const wandering = Promise.all(scene.cards.map((id) => scene.wander(id, other, () => isOver)));
  for (let looks = 0; looks < 2; looks += 1) {
    await until(async () => (await scene.titles()).length > looks);
    await service.kill();
    service = await ServiceProcess.start(settings);
    scene.api = await Api.connect(service.url);
  }
  isOver = true;
  await wandering;
  const titles = scene.cards.map((_, n) => `card ${n}`);
  await until(async () => (await scene.titles()).length >= titles.length);
  t.equal(await service.stop(), 0);
  service = await ServiceProcess.start(settings);
  scene.api = await Api.connect(service.url);
  t.strictSame((await scene.titles()).sort(), titles);
});
