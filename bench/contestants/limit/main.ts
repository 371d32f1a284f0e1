/** Bare uWebSockets.js: the maximum that this machine reaches in this language. `PUT /` sets its one answer. */
import type { HttpResponse } from 'uWebSockets.js';
import { loadUWebSockets } from '../../../src/http/uWebSockets.js';
import { LABEL_PATTERN } from '../../load/changeLabel.js';
import { announce, setting } from '../ready.js';
import { GroupCommit } from './groupCommit.js';
import type { Lesson } from './lesson.js';

interface Prepared extends Omit<Lesson, 'body' | 'headers'> {
  /** All headers as one, because each costs a call. */
  readonly header: readonly [name: string, value: string] | null;
  readonly body: string | Buffer | null;
}

interface SocketData {
  readonly topic: string;
}

/** uWebSockets takes small strings faster than buffers, and large buffers faster than strings. */
const LARGE_CHARACTERS = 4_096;
/** As in the service, so that both drop no client in the same runs. */
const MAX_BACKPRESSURE_BYTES = 32 * 1024 * 1024;

const lessons = new Map<string, Prepared>();
const commits = new GroupCommit(setting('DATA_DIR'));
const { App, us_listen_socket_close, us_socket_local_port } = loadUWebSockets();
const app = App();

app.ws<SocketData>('/topics/:topic', {
  maxBackpressure: MAX_BACKPRESSURE_BYTES,
  idleTimeout: 120,
  sendPingsAutomatically: true,
  upgrade: (res, req, context) => {
    res.upgrade<SocketData>(
      { topic: req.getParameter(0) ?? '' },
      req.getHeader('sec-websocket-key'),
      req.getHeader('sec-websocket-protocol'),
      req.getHeader('sec-websocket-extensions'),
      context,
    );
  },
  open: (socket) => {
    socket.subscribe(socket.getUserData().topic);
  },
});

app.get('/*', (res, req) => {
  const lesson = lessons.get(`GET ${req.getUrl()}`);
  if (lesson === undefined) res.writeStatus('404 Not Found').end();
  else answer(res, lesson);
});

app.any('/*', (res, req) => {
  const path = req.getUrl();
  const method = req.getMethod().toUpperCase();
  let gone = false;
  res.onAborted(() => {
    gone = true;
  });
  readBody(res, (body) => {
    if (method === 'PUT') {
      learn(JSON.parse(body) as Lesson);
      res.writeStatus('204 No Content').endWithoutBody();
      return;
    }
    const lesson = lessons.get(`${method} ${path}`);
    if (lesson === undefined) {
      res.writeStatus('404 Not Found').end();
      return;
    }
    perform(lesson, path, body, () => {
      if (!gone) res.cork(() => answer(res, lesson));
    });
  });
});

app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port is free');
  announce(`http://127.0.0.1:${us_socket_local_port(socket)}`, () => {
    us_listen_socket_close(socket);
    app.close();
    commits.close();
  });
});

function learn({ body, headers, ...lesson }: Lesson): void {
  const prepared = body === '' ? null : body.length > LARGE_CHARACTERS ? Buffer.from(body) : body;
  const [first, ...others] = headers;
  const header = first && ([first[0], [first[1], ...others.map((other) => other.join(': '))].join('\r\n')] as const);
  lessons.set(`${lesson.method} ${lesson.path}`, { ...lesson, header: header ?? null, body: prepared });
}

function perform({ work }: Prepared, path: string, body: string, done: () => void): void {
  switch (work.kind) {
    case 'none':
      return done();
    case 'insert':
      return commits.add(path, body, done);
    case 'publish':
      app.publish(work.topic, work.event.replace(LABEL_PATTERN, LABEL_PATTERN.exec(body)?.[0] ?? ''));
      return done();
  }
}

function answer(res: HttpResponse, { status, header, body }: Prepared): void {
  res.writeStatus(status);
  if (header !== null) res.writeHeader(header[0], header[1]);
  if (body === null) res.endWithoutBody();
  else res.end(body);
}

function readBody(res: HttpResponse, done: (body: string) => void): void {
  let text = '';
  res.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString('latin1');
    if (isLast) done(Buffer.from(text, 'latin1').toString());
  });
}
