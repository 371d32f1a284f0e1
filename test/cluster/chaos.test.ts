/**
 * All kinds of failures in one run. The result names the seed; run it again with that seed, or for longer:
 * `CHAOS_SEED=… CHAOS_SECONDS=600 node dist/test/cluster/chaos.test.js`.
 */
import t from 'tap';
import { WebSocket } from 'ws';
import { createClient, type BoardConnection } from '../../src/client/index.js';
import { CardWriter } from '../support/board/cardWriter.js';
import { makeTrouble } from '../support/cluster/chaos.js';
import { ExactWriter } from '../support/cluster/exactWriter.js';
import { randomNumbers } from '../support/seededRandom.js';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { newBoard, titlesOn, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { Follower } from '../support/realtime/follower.js';
import { SharedFollower } from '../support/realtime/sharedFollower.js';
import { until } from '../support/until.js';
import { IS_LONG_FORM } from '../support/runner/testProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { skipWithout } from '../support/service/programs.js';
import { newUser } from '../support/http/users.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CHAOS1', skip);

const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? (IS_LONG_FORM ? 25 : 12));
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const BOARDS = 6;
/** Acknowledged writes under trouble. */
const WRITES = 10 * SECONDS;
/** For starting, recovery and checking, on a slow machine. */
const REST_SECONDS = 300;

t.setTimeout((SECONDS + REST_SECONDS) * 1000);

t.test('CHAOS1 nothing acknowledged is lost or done twice, all instances agree, and every following client is exact', async (t) => {
  t.comment(`CHAOS_SEED=${SEED}`);
  const cluster = await TestCluster.start(t, 3, { HEARTBEAT_INTERVAL_SECONDS: '2' });
  const ann = await newUser(first(cluster.running).api);
  const boards: ClusterBoard[] = [];
  for (let n = 0; n < BOARDS; n += 1) boards.push(await newBoard(first(cluster.running), ann));

  const random = randomNumbers(SEED + 2);
  const pick = (): Instance => {
    const { running } = cluster;
    return running[Math.floor(random() * running.length)] ?? first(running);
  };
  const followers = boards.map(({ id }) => new Follower({ boardId: id, token: ann.token, pick }));
  const shared = new SharedFollower({ boardIds: boards.map(({ id }) => id), token: ann.token, pick });
  const copies = boards.map(({ id }) => connectAnywhere(id, ann.token, pick));
  const writer = new CardWriter({ name: 'chaos', user: ann, boards, pick, parallel: 6, pace: 30 });
  const exact = new ExactWriter({
    token: ann.token,
    boards: boards.map(({ id, columnId }) => ({ id, columnId })),
    pickUrl: () => pick().url,
    parallel: 3,
    pace: 40,
  });
  t.teardown(async () => {
    followers.forEach((follower) => follower.close());
    shared.close();
    copies.forEach((copy) => copy.close());
    await writer.stop();
  });

  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  await makeTrouble(cluster, {
    seed: SEED,
    seconds: SECONDS,
    isEnough: () => writer.acknowledged.length > WRITES,
    say: (what) => t.comment(`${seconds()} s: ${what}`),
  });
  // The service serves again, and did all the time: otherwise the trouble would not have ended.
  const { length } = writer.acknowledged;
  await until(() => writer.acknowledged.length > length + BOARDS);
  await Promise.all([writer.stop(), exact.stop()]);
  t.strictSame(exact.failures, [], 'every call through the client was answered');
  t.comment(`${exact.answered} calls through the client, in ${exact.attempts} attempts`);

  const count = (status: number | null): number => writer.written.filter((each) => each.status === status).length;
  t.comment(`${count(201)} acknowledged, ${count(503)} refused, ${count(null)} without an answer`);
  t.equal(writer.written.length, count(201) + count(503) + count(null), 'and answered with nothing else');

  for (const [index, board] of boards.entries()) {
    const views = await Promise.all(cluster.running.map((instance) => viewOf(instance, board, ann.token)));
    for (const view of views) t.strictSame(view, views[0], 'the board is the same through every instance');
    const titles = await titlesOn(first(cluster.running), ann, board);
    t.equal(new Set(titles).size, titles.length, 'nothing happened twice');
    t.strictSame(exact.judge(board.id, titles), [], 'and what was sent through the client happened exactly once');
    const stored = new Set(titles);
    const lost = writer.acknowledged.filter((each) => each.board === board && !stored.has(each.title));
    t.strictSame(lost, [], 'nothing acknowledged was lost');
    const seq = Number(JSON.parse(views[0]?.etag ?? '"0"'));
    for (const follower of [followers[index], shared.boards[index]]) {
      await follower?.reach(seq);
      t.strictSame(follower?.violations, [], 'every client with numbers saw every number once, in order');
      t.strictSame(follower?.titles.sort(), titles.sort(), 'and every card');
    }
    await reached(copies[index], seq);
    t.strictSame(copies[index]?.board, views[0]?.body, 'the copy of a client is the board');
  }
});

async function viewOf({ api }: Instance, { id }: ClusterBoard, token: string): Promise<{ readonly etag: string; readonly body: unknown }> {
  const { body, headers } = await api.request('GET', `/boards/${id}`, { token });
  return { etag: headers.get('etag') ?? '', body };
}

/** As if a load balancer stood in front of the instances. */
function connectAnywhere(boardId: string, token: string, pick: () => Instance): BoardConnection {
  const balancer = 'http://balancer.test';
  const toInstance = (url: string): string => pick().url + url.slice(balancer.length);
  class BalancedSocket extends WebSocket {
    constructor(url: string) {
      super(toInstance(url.replace(/^ws/, 'http')).replace(/^http/, 'ws'));
    }
  }
  const client = createClient({
    baseUrl: balancer,
    token,
    webSocket: BalancedSocket,
    connection: { firstRetryMs: 100, maxRetryMs: 500, maxSilenceMs: 6_000 },
    fetch: (input, init) => fetch(toInstance(String(input)), init),
  });
  return client.connect(boardId);
}

async function reached(copy: BoardConnection | undefined, seq: number): Promise<void> {
  if (copy === undefined || copy.seq >= seq) return;
  await new Promise<void>((resolve) => {
    const stop = copy.on('change', () => {
      if (copy.seq < seq) return;
      stop();
      resolve();
    });
  });
}
