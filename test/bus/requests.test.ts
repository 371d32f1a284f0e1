import { pino } from 'pino';
import t, { type Test } from 'tap';
import { NatsBus } from '../../src/bus/natsBus.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';

const nats = await findNatsServer();

/** Several turns of the receiver: what is on the way when it stops is more than it has received. */
const PIECE = Buffer.alloc(100_000);
const UNDER_WAY = 40;

t.test(
  'CLUSTER21 an instance that stops answers every request that reached it; the next ones are known to be unseen',
  { skip: skipWithout(nats) },
  async (t) => {
    const { url } = await NatsProcess.start(t, pathOf(nats));
    const [asker, owner] = await Promise.all([connected(t, url, 'asker'), connected(t, url, 'owner')]);
    const serving = owner.serve((_bytes, answer) => setImmediate(() => answer(Buffer.from('done'))));
    await until(
      () =>
        new Promise((resolve) =>
          asker.request('owner', PIECE, { answer: () => resolve(true), notServed: () => resolve(false), lost: () => resolve(false) }),
        ),
    );
    let [sent, answered, unseen, isStopped] = [0, 0, 0, false];
    const ask = (): void => {
      sent += 1;
      const { cancel } = asker.request('owner', PIECE, {
        answer: () => {
          answered += 1;
          cancel();
          if (!isStopped) ask();
        },
        notServed: () => {
          unseen += 1;
        },
        lost: () => t.fail('the connection of the asker stays'),
      });
    };
    for (let n = 0; n < UNDER_WAY; n += 1) ask();
    await until(() => answered > 0);
    await serving.stop();
    isStopped = true;
    await new Promise(setImmediate);
    await owner.close();
    ask();
    await until(() => unseen > 0);
    await until(
      () => answered + unseen === sent,
      () => ({ sent, answered, unseen }),
    );
    t.equal(answered + unseen, sent, `${answered} answered, ${unseen} not seen`);
  },
);

async function connected(t: Test, url: string, instanceId: string): Promise<NatsBus> {
  const log = pino({ level: 'silent' });
  const bus = new NatsBus({ urls: [url], prefix: 'test', instanceId, key: Buffer.from('shared'), refusals: new PeerRefusals(log), log });
  t.teardown(() => bus.close());
  await new Promise<void>((resolve) => bus.onConnect(resolve));
  return bus;
}
