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
