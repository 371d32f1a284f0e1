import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { openAttacking } from '../support/hostile/attackingSocket.js';
import { importLargeColumn } from '../support/hostile/largeColumn.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import type { SocketMessage } from '../support/realtime/messageChecker.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser } from '../support/http/users.js';

const METRICS_TOKEN = 'for-reading-metrics';
const CHANGES = ['first', 'second', 'third'];
const SLOW = 100;

t.test(
  'HOSTILE10 events of 10 MB for a hundred sockets that do not read cost a bystander nothing, and a socket that reads gets them',
  { skip: WITHOUT_PEAK },
  async (t) => {
    const attacked = await AttackedService.start(t, { METRICS_TOKEN });
    const { boardId, columnId } = await importLargeColumn(attacked, 10);
    const reader = await newUser(attacked.api);
    await attacked.do('POST', `/boards/${boardId}/invite`, { user_id: reader.id });
    const plain = await TestSocket.join(attacked.url, boardId, reader, { unchecked: true });
    const numbered = await TestSocket.join(attacked.url, boardId, reader, { since: 'latest' });

    const damage = await attacked.suffer(t, async () => {
      await Promise.all(range(1, SLOW).map(() => openAttacking(attacked, boardId, { reading: false })));
      for (const title of CHANGES) await attacked.send('PATCH', `/columns/${columnId}`, { title });
      await attacked.do('POST', `/boards/${boardId}/labels`, { name: 'the end' });
      await Promise.all([plain.find('label.created'), numbered.find('label.created')]);
    });
    await expectUnharmed(t, attacked, damage);

    t.strictSame(plain.events.map(titleOf), [...CHANGES, 'the end'], 'without numbers: the events themselves, in order');
    const seq = Number(numbered.events.at(-1)?.seq);
    const resyncs = CHANGES.map((_title, index) => ({ type: 'resync', seq: seq - CHANGES.length + index }));
    t.strictSame(
      numbered.messages.filter(({ type }) => type === 'resync'),
      resyncs,
      'with numbers: resync',
    );
    t.strictSame(numbered.events.map(titleOf), ['the end'], 'and then what follows');
    t.equal(await metric(attacked, 'switchboard_sockets'), SLOW + 2 - (await slowOnes(attacked)), 'all are accounted for');
  },
);

function titleOf({ data }: SocketMessage): unknown {
  const { title, name } = data as { title?: string; name?: string };
  return title ?? name;
}

function slowOnes(attacked: AttackedService): Promise<number> {
  return metric(attacked, 'switchboard_slow_sockets_closed_total');
}

async function metric({ url }: AttackedService, name: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await answer.text())?.[1]);
}
