/** uWebSockets closes a connection after ten seconds without traffic, also while a request on it is being worked on. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { BodyStream } from '../../src/http/body/bodyStream.js';
import { loadUWebSockets } from '../../src/http/uWebSockets.js';
import * as v from 'valibot';
import type { Operation } from '../../src/api/operation/operation.js';
import { startEdge } from '../support/http/edge.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { freePort } from '../support/service/ports.js';

/** Longer than uWebSockets' time-out and its granularity of four seconds. */
const WORK_MS = 15_000;
/** For the way of a request. */
const MARGIN_MS = 500;
/** uWebSockets looks at idle connections this often: one connection for each second of it. */
const TICK_SECONDS = 4;
/** More than the buffers of the connection hold. */
const FILE_BYTES = 20_000_000;

t.jobs = 3;

t.test('BODY14 an upload whose turn comes late is received', { buffered: true }, async (t) => {
  const slow: Operation = {
    name: 'file.late',
    method: 'POST',
    path: '/file',
    access: 'public',
    tag: 'Test',
    summary: 'Takes a file late',
    query: {},
    body: { kind: 'file' },
    errors: {},
    success: { status: 200, description: 'Its size', schema: v.object({}) },
    async invoke({ upload }) {
      await new Promise((resolve) => setTimeout(resolve, WORK_MS));
      const file = await upload?.receive(FILE_BYTES, () => Promise.resolve());
      return { json: JSON.stringify({ size: file?.size }) };
    },
  };
  const { url } = await startEdge(t, [slow]);
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(FILE_BYTES)]), 'file.bin');
  const answer = await fetch(`${url}/file`, { method: 'POST', body: form });
  t.strictSame(await answer.json(), { size: FILE_BYTES });
});

t.test('BODY14 a request whose body was read in pauses is answered, however long that takes', { buffered: true }, async (t) => {
  const port = await freePort();
  const body = Buffer.alloc(1_850_000, 'x');
  const app = loadUWebSockets()
    .App()
    .post('/*', (res) => {
      res.onAborted(() => t.fail('the connection was closed'));
      const arrival = new BodyStream(res, { kind: 'length', bytes: body.length }, () => undefined);
      arrival.onData((_, isLast) => {
        if (!isLast) {
          arrival.pause();
          return void setTimeout(() => arrival.resume(), 20);
        }
        setTimeout(
          () => {
            res.cork(() => {
              arrival.letGo();
              res.end('done');
            });
          },
          isSlow ? WORK_MS : 0,
        );
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

t.test('HTTP12 a connection without requests is kept for as long as every answer says', { buffered: true }, async (t) => {
  const ping: Operation = {
    name: 'ping',
    method: 'GET',
    path: '/ping',
    access: 'public',
    tag: 'Test',
    summary: 'Answers',
    query: {},
    body: null,
    errors: {},
    success: { status: 200, description: 'An empty object', schema: v.object({}) },
    invoke: () => ({ json: '{}' }),
  };
  const { url } = await startEdge(t, [ping]);
  await Promise.all(
    range(1, TICK_SECONDS).map(async (second) => {
      await new Promise((resolve) => setTimeout(resolve, second * 1_000));
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      t.teardown(() => socket.destroy());
      socket.setEncoding('latin1');
      const ask = async (path: string): Promise<string> => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
        const [answer] = (await once(socket, 'data')) as [string];
        return answer;
      };
      const keptSeconds = Number(/^keep-alive: timeout=(\d+)\r$/im.exec(await ask('/ping'))?.[1]);
      await new Promise((resolve) => setTimeout(resolve, keptSeconds * 1_000 - MARGIN_MS));
      t.match(await ask('/nothing'), /^HTTP\/1\.1 404 [^]*\r\nKeep-Alive: timeout=8\r\n/);
    }),
  );
});
