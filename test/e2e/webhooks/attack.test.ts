/** An ordinary user whose boards have about as many receivers as one can add in an hour; none of them ever answers. */
import t from 'tap';
import { until } from '../../support/until.js';
import { HookScene } from '../../support/webhooks/hookScene.js';
import { Receiver } from '../../support/webhooks/receiver.js';
import { SlowHosts } from '../../support/webhooks/slowHosts.js';

const BOARDS = 19;
const HOOKS_EACH = 10;
const MOST_OF_A_HOST = 4;
const MOST_OF_A_USER = 64;

t.test('HOOK2 hundreds of receivers of one user that never answer hold up no webhook of another, and no change', async (t) => {
  const eve = await HookScene.start(t);
  const ann = await HookScene.on(eve.api);
  const quick = await Receiver.start(t);
  await ann.hook({ url: quick.url });
  const slow = await SlowHosts.start(t, 1 + (BOARDS - 1) * HOOKS_EACH);
  const [shared, ...others] = slow.hosts.map(({ url }) => url);
  // All webhooks of the first board lead to one host, each of the others to a host of its own.
  const boards = await Promise.all(
    Array.from({ length: BOARDS }, async (_, n) => {
      const { body } = await eve.send<{ id: string }>('POST /boards', { title: 'Attack' });
      const scene = new HookScene(eve.api, eve.owner, body.id);
      const urls = n === 0 ? Array<string | undefined>(HOOKS_EACH).fill(shared) : others.slice((n - 1) * HOOKS_EACH, n * HOOKS_EACH);
      await Promise.all(urls.map((url) => scene.hook({ url })));
      return scene;
    }),
  );
  t.equal((await boards[0]?.send(`POST /boards/${boards[0].boardId}/webhooks`, { url: shared }))?.status, 409, 'no more of one board');

  await boards[0]?.rename('Begun');
  await until(() => slow.hosts[0]?.most === MOST_OF_A_HOST);
  await Promise.all(boards.slice(1).map((board) => board.rename('Begun')));
  await until(
    () => slow.most >= MOST_OF_A_USER,
    () => slow.most,
  );
  for (let n = 1; n <= 5; n += 1) await ann.rename(`Title ${n}`);
  await quick.until((got) => got.at(-1)?.body.seq === 5);
  const seqs = new Set(quick.all.map(({ body }) => body.seq));
  t.strictSame([...seqs], [1, 2, 3, 4, 5]);
  t.equal(Math.max(...slow.hosts.map(({ most }) => most)), MOST_OF_A_HOST, 'connections to one host');
  t.equal(slow.most, MOST_OF_A_USER, 'connections to all hosts of one user');
});
