import { randomInt } from 'node:crypto';
import t from 'tap';
import { Api } from '../support/http/api.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { ALLOWED, HookScene } from '../support/webhooks/hookScene.js';
import { Receiver } from '../support/webhooks/receiver.js';

const ROUNDS = 3;
const CHANGES = 25;

t.test(
  'HOOK1 a kill in the middle of deliveries leaves no gap and changes no order, and the deletion of a board is delivered after it',
  async (t) => {
    const settings = { SHARDS: '2', SHARD_THREADS: '1', DATA_DIR: await temporaryFolder(t), ...ALLOWED };
    let service = await ServiceProcess.start(settings);
    t.teardown(() => service.kill());
    let scene = await HookScene.on(await Api.connect(service.url));
    const receiver = await Receiver.start(t);
    // Slower than the changes, so that some are always under way.
    receiver.behaviour = (response) => setTimeout(() => response.writeHead(204).end(), 20);
    await scene.hook({ url: receiver.url });
    let seq = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (let n = 0; n < CHANGES; n += 1) await scene.rename(`Title ${(seq += 1)}`);
      const before = receiver.all.length;
      const enough = before + randomInt(1, CHANGES);
      await receiver.until(({ length }) => length >= Math.min(enough, before + CHANGES - 2) || (receiver.all.at(-1)?.body.seq ?? 0) >= seq);
      await service.kill();
      service = await ServiceProcess.start(settings);
      scene = new HookScene(await Api.connect(service.url), scene.owner, scene.boardId);
    }
    await receiver.until((got) => got.at(-1)?.body.seq === seq);
    const seqs = receiver.all.map(({ body }) => body.seq);
    t.strictSame(
      [...new Set(seqs)].sort((a, b) => a - b),
      Array.from({ length: seq }, (_, index) => index + 1),
      'every event',
    );
    for (const [index, number] of seqs.entries()) {
      const furthest = Math.max(0, ...seqs.slice(0, index));
      t.ok(number <= furthest + 1, `after ${furthest} comes ${number}`);
    }
    const ids = new Map(receiver.all.map(({ body, headers }) => [headers['webhook-id'], body.seq]));
    t.equal(ids.size, seq, 'one id for each event, whatever was repeated');

    // The deletion is committed while the delivery before it is held.
    receiver.all.length = 0;
    receiver.behaviour = () => undefined;
    await scene.rename('The last title');
    await receiver.until(({ length }) => length > 0);
    t.equal((await scene.send(`DELETE /boards/${scene.boardId}`)).status, 204);
    await service.kill();
    t.notOk(receiver.types.includes('board.deleted'));
    receiver.behaviour = (response) => response.writeHead(204).end();
    service = await ServiceProcess.start(settings);
    await receiver.until((got) => got.at(-1)?.body.type === 'board.deleted');
    t.strictSame(
      [...new Set(receiver.all.slice(-2).map(({ body }) => `${body.type} ${body.seq}`))],
      [`board.updated ${seq + 1}`, `board.deleted ${seq + 2}`],
    );
  },
);
