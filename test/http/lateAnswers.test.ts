/** uWebSockets closes a connection after ten seconds without traffic, also while a request on it is being worked on. */
import { App } from 'uWebSockets.js';
import t from 'tap';
import { Arrival } from '../../src/http/arrival.js';
import { freePort } from '../support/service/ports.js';

/** Longer than uWebSockets' time-out and its granularity of four seconds. */
const WORK_MS = 15_000;

t.test('HTTP26 a request whose body was read in pauses is answered, however long that takes', async (t) => {
  const port = await freePort();
  const body = Buffer.alloc(1_850_000, 'x');
  const app = App().post('/*', (res) => {
    res.onAborted(() => t.fail('the connection was closed'));
    const arrival = new Arrival(res, { kind: 'length', bytes: body.length }, () => undefined);
    arrival.onData((_, isLast) => {
      if (!isLast) {
        arrival.pause();
        return void setTimeout(() => arrival.resume(), 20);
      }
      setTimeout(() => {
        res.cork(() => {
          arrival.letGo();
          res.end('done');
        });
      }, isSlow ? WORK_MS : 0);
    });
  });
  let isSlow = true;
  await new Promise((resolve) => app.listen('127.0.0.1', port, resolve));
  t.teardown(() => app.close());
  const send = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).text();
  t.equal(await send(), 'done');
  isSlow = false;
  t.equal(await send(), 'done', 'and the connection serves the next request');
});
