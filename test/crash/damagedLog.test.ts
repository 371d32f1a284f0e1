import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

t.test('CRASH10 a killed service whose write-ahead log has a flipped bit loses nothing in silence', async (t) => {
  const folder = await temporaryFolder(t);
  const settings = { SHARDS: '1', SHARD_THREADS: '1', DATA_DIR: folder };
  const service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  for (let user = 0; user < 3; user += 1) await newUser(api);
  await service.kill();

  const wal = join(folder, 'directory.sqlite-wal');
  const bytes = readFileSync(wal);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(wal, bytes);

  const check = await runProgram(['check', folder], {});
  t.equal(check.code, 1);
  t.match(check.stdout, /^directory\.sqlite ends with commit \d+, and commit \d+ was acknowledged: (a commit is|\d+ commits are) lost/m);
  await t.rejects(ServiceProcess.start(settings), { message: /directory\.sqlite ends with commit \d+, .* remove .*commits\.acknowledged/ });
  rmSync(join(folder, 'commits.acknowledged'));
  const next = await ServiceProcess.start(settings);
  t.equal(await next.stop(), 0, 'the operator goes on without the lost commits');
});
