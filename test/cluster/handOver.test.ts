import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { CardWriter } from '../support/board/cardWriter.js';
import { first, pause, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { addCard, boardOwnedBy, newBoard, readBoard, titlesOn, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { IS_LONG_FORM } from '../support/runner/testProcess.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { WARNING } from '../support/service/serviceProcess.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser } from '../support/http/users.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CLUSTER20 to CLUSTER23', skip);

/** How often a file is uploaded while its shard moves. */
const ROUNDS = IS_LONG_FORM ? 3 : 1;
/** Changes of clients while shards move. */
const CLIENTS = 100;
/** More boards than shards, so that every move affects one. */
const BOARDS = 12;

const cluster = await TestCluster.prepare(t);
const firstInstance = await cluster.add();
const ann = await newUser(firstInstance.api);
const boards: ClusterBoard[] = [];
for (let n = 0; n < BOARDS; n += 1) boards.push(await newBoard(firstInstance, ann));

/** Instances that get requests; a load balancer removes one before it is stopped. */
let open: Instance[] = [firstInstance];

function startWriting(name: string): CardWriter {
  let turn = 0;
  const pick = (): Instance => {
    turn += 1;
    return open[turn % open.length] ?? first(open);
  };
  return new CardWriter({ name, user: ann, boards, pick, parallel: 6, pace: 20 });
}

async function checkAll(t: Test, writer: CardWriter): Promise<void> {
  const failed = writer.written.filter(({ status }) => status !== 201);
  if (!cluster.tookOneForDead) t.strictSame(failed, [], 'no client saw an error');
  const acknowledged = new Set(writer.acknowledged.map(({ title }) => title));
  for (const instance of cluster.running) {
    const titles = (await Promise.all(boards.map((board) => titlesOn(instance, ann, board)))).flat();
    const own = titles.filter((title) => acknowledged.has(title));
    t.equal(own.length, acknowledged.size, 'everything is there, and nothing twice');
  }
}

/** Every number once, without a gap. */
function checkSequence(t: Test, socket: TestSocket): void {
  const numbers = socket.events.map(({ seq }) => Number(seq));
  const start = numbers[0] ?? 0;
  t.strictSame(
    numbers,
    numbers.map((_number, index) => start + index),
    'no gap, no repetition',
  );
}

t.test('CLUSTER21 joining moves shards without an error, and sockets miss nothing', async (t) => {
  const sockets = await Promise.all(boards.map((board) => TestSocket.join(firstInstance.url, board.id, ann, { since: 'latest', unchecked: true })));
  const writer = startWriting('while joining');
  await pause(200);
  open = [...open, await cluster.add()];
  open = [...open, await cluster.add()];
  await cluster.evenlySpread();
  await until(() => writer.written.length > CLIENTS);
  await writer.stop();
  await checkAll(t, writer);
  for (const [index, socket] of sockets.entries()) {
    const written = writer.acknowledged.filter(({ board }) => board === boards[index]).length;
    await socket.find(() => socket.events.length === written);
    checkSequence(t, socket);
    await socket.close();
  }
});

t.test('CLUSTER21 clients do not notice rolling restarts', async (t) => {
  const writer = startWriting('while restarting');
  for (const old of [...cluster.running]) {
    open = open.filter((each) => each !== old);
    await pause(100);
    t.equal(await old.stop(), 0);
    open = [...open, await cluster.add()];
  }
  await cluster.evenlySpread();
  await until(() => writer.written.length > CLIENTS);
  await writer.stop();
  await checkAll(t, writer);
  if (cluster.tookOneForDead) return;
  for (const instance of cluster.running)
    t.strictSame(
      instance.log.filter(({ level }) => level >= WARNING),
      [],
      'no instance logged a warning',
    );
});

t.test('CLUSTER21 a file that is being uploaded when its shard moves arrives complete', async (t) => {
  const [through, owner] = cluster.running;
  if (through === undefined || owner === undefined) throw new Error('there are three');
  const board = await boardOwnedBy(cluster, owner, ann);
  await addCard(owner, ann, board, 'with a file');
  const [card] = ((await readBoard(owner, ann, board)) as { columns: [{ cards: [{ id: string }] }] }).columns[0].cards;
  const content = randomBytes(3 * 1024 * 1024);
  const upload = startUpload(through, ann.token, card.id, content);
  await upload.send(0, 1024 * 1024);
  open = open.filter((each) => each !== owner);
  t.equal(await owner.stop(), 0);
  await upload.send(1024 * 1024, content.length);
  const { status, body } = await upload.finish();
  if (cluster.tookOneForDead && status === 503) return;
  t.equal(status, 201);
  const id = (body as { id: string }).id;
  const file = await through.api.request<Uint8Array>('GET', `/attachments/${id}`, { token: ann.token });
  t.ok(content.equals(file.body));
});

t.test('CLUSTER21 a file with chunks under way during the whole move arrives complete', async (t) => {
  const through = first(open);
  const content = randomBytes(10 * 1024 * 1024);
  const pieceBytes = 64 * 1024;
  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await cluster.add();
    await cluster.evenlySpread();
    const board = await boardOwnedBy(cluster, owner, ann);
    await addCard(through, ann, board, 'with a file');
    const [card] = ((await readBoard(through, ann, board)) as { columns: [{ cards: [{ id: string }] }] }).columns[0].cards;
    const upload = startUpload(through, ann.token, card.id, content);
    let stopped: Promise<unknown> = Promise.resolve();
    for (let at = 0; at < content.length; at += pieceBytes) {
      if (at === 8 * pieceBytes) stopped = owner.stop();
      // Enough is left to be sent to the new owner.
      if (at === content.length - 8 * pieceBytes) await stopped;
      await upload.send(at, Math.min(at + pieceBytes, content.length));
    }
    const { status, body } = await upload.finish();
    if (cluster.tookOneForDead && status === 503) return;
    t.equal(status, 201, JSON.stringify(body));
    const { id } = body as { id: string };
    const file = await through.api.request<Uint8Array>('GET', `/attachments/${id}`, { token: ann.token });
    t.ok(content.equals(file.body));
  }
});

t.test('CLUSTER21 every read during a move is answered', async (t) => {
  const [through] = cluster.running;
  if (through === undefined) throw new Error('there is one');
  const statuses: number[] = [];
  let reading = true;
  const reader = (async () => {
    for (let n = 0; reading; n += 1) {
      const { id } = boards[n % boards.length] ?? first(boards);
      statuses.push((await through.api.request('GET', `/boards/${id}`, { token: ann.token })).status);
    }
  })();
  const added = await cluster.add();
  await cluster.evenlySpread();
  t.equal(await added.stop(), 0);
  await cluster.evenlySpread();
  reading = false;
  await reader;
  t.ok(statuses.length > 0);
  if (cluster.tookOneForDead) return;
  t.strictSame(
    statuses.filter((status) => status !== 200),
    [],
  );
});

/** A form that is sent piece by piece. */
function startUpload({ url }: Instance, token: string, cardId: string, content: Buffer) {
  const boundary = 'a-boundary';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const call = request(`${url}/cards/${cardId}/attachments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + content.length + tail.length,
    },
  });
  const answered = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      void json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
  call.write(head);
  return {
    send: (from: number, to: number) => new Promise((resolve) => call.write(content.subarray(from, to), resolve)),
    finish: () => {
      call.end(tail);
      return answered;
    },
  };
}
