import t from 'tap';
import { temporaryFolder } from '../support/store/folder.js';
import { RawConnection } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';

const CROWD = 2_000;
const skip = process.platform !== 'linux' && 'only Linux spreads connections over several queues';

t.test('FANOUT1 two thousand connections at once to a busy service wait their turn', { skip }, async (t) => {
  const service = await ServiceProcess.start({ DATA_DIR: await temporaryFolder(t) });
  t.teardown(() => service.kill());
  // A frozen service accepts no connections: new ones wait in a queue of the kernel, and the rest are not connected.
  service.freeze();
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => RawConnection.open(service.url)));
  t.pass('they are all connected');
  service.resume();
  const statuses = await Promise.all(
    crowd.map(async (connection) => {
      await connection.send(rawRequest('GET /health', ['Connection: close']));
      return (await connection.response()).status;
    }),
  );
  t.strictSame(new Set(statuses), new Set([200]));
});
