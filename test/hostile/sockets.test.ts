import t from 'tap';
import type { Close } from '../../src/api/closeCodes.js';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { floodToTheEnd, isEarned, openAttacking } from '../support/hostile/attackingSocket.js';
import { importLargeColumn } from '../support/hostile/largeColumn.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { frame, OPCODE } from '../support/realtime/rawSocket.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser } from '../support/http/users.js';

const SLOW = 100;
/** Sockets that flood at the same time, and what each sends. */
const SOCKETS = 5;
const FRAMES = 100_000;
/** Of a column that makes events of 900 kB. */
const CHANGES = 60;

t.test('HOSTILE11 floods of pings, pongs and empty messages on many sockets cost a bystander nothing', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const board = await attacked.do('POST', '/boards', { title: 'Attack' });
  const floods = [
    { opcode: OPCODE.ping, payload: '' },
    { opcode: OPCODE.ping, payload: 'x'.repeat(125) },
    { opcode: OPCODE.pong, payload: '' },
    { opcode: OPCODE.text, payload: '' },
  ].map(({ opcode, payload }) => repeated(frame(payload, { opcode }), FRAMES));
  const ends: Array<Close | null> = [];
  const damage = await attacked.suffer(t, async () => {
    for (const flood of floods) {
      const sockets = await Promise.all(range(1, SOCKETS).map(() => openAttacking(attacked, board.id)));
      ends.push(...(await Promise.all(sockets.map((socket) => floodToTheEnd(socket, flood)))));
    }
  });
  await expectUnharmed(t, attacked, damage);
  t.equal(ends.length, floods.length * SOCKETS, 'each flood ends its socket');
  t.strictSame(
    ends.filter((end) => !isEarned(end)),
    [],
    'and it gets the close code if it still reads',
  );
});

t.test('HOSTILE10 a hundred sockets that request all missed events and read nothing cost a bystander nothing', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { boardId, columnId } = await importLargeColumn(attacked, 0.9);
  const reader = await newUser(attacked.api);
  await attacked.do('POST', `/boards/${boardId}/invite`, { user_id: reader.id });
  for (const n of range(1, CHANGES)) await attacked.send('PATCH', `/columns/${columnId}`, { title: `Title ${n}` });
  const damage = await attacked.suffer(t, async () => {
    const sockets = await Promise.all(range(1, SLOW).map(() => openAttacking(attacked, boardId, { since: 0, reading: false })));
    const late = await TestSocket.join(attacked.url, boardId, reader, { since: 0, unchecked: true });
    t.strictSame(seqsOf(late), range(1, seqsOf(late).length), 'one that reads gets everything');
    t.ok(seqsOf(late).length > CHANGES);
    for (const socket of sockets) socket.destroy();
  });
  await expectUnharmed(t, attacked, damage);
});

t.test(
  'HOSTILE11 a user who connects and disconnects continuously, on a board with a hundred sockets, costs a bystander nothing',
  { skip: WITHOUT_PEAK },
  async (t) => {
    const attacked = await AttackedService.start(t);
    const board = await attacked.do('POST', '/boards', { title: 'Attack' });
    const audience = await newUser(attacked.api);
    await attacked.do('POST', `/boards/${board.id}/invite`, { user_id: audience.id });
    for (const _ of range(1, SLOW)) await openAttacking(attacked, board.id, { token: audience.token, reading: false });
    let joined = 0;
    const damage = await attacked.suffer(t, async () => {
      const end = performance.now() + 2_000;
      const comeAndGo = async (): Promise<void> => {
        while (performance.now() < end) {
          const socket = await openAttacking(attacked, board.id);
          if (await socket.receives('user_joined')) joined += 1;
          socket.destroy();
        }
      };
      await Promise.all(range(1, 10).map(comeAndGo));
    });
    await expectUnharmed(t, attacked, damage);
    t.ok(joined > 100 && joined <= 400, `${joined} of the connections were admitted`);
  },
);

function repeated(bytes: Uint8Array, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes);
}

function seqsOf({ events }: TestSocket): unknown[] {
  return events.map(({ seq }) => seq);
}
