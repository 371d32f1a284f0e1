import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';

const MIB = 1024 * 1024;

t.test('HOSTILE1 a megabyte of invalid list entries does not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { id: board } = await attacked.do('POST', '/boards', { title: 'Mine' });
  const { id: column } = await attacked.do('POST', `/boards/${board}/columns`, { title: 'To do' });
  const { id: card } = await attacked.do('POST', `/boards/${board}/columns/${column}/cards`, { title: 'Work' });
  const body = `{"user_ids":[${'1,'.repeat(MIB / 2 - 20)}1]}`;
  const outsider = attacked.bystander.token;
  const damage = await attacked.suffer(t, async () => {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const token = n % 2 === 0 ? outsider : attacked.attacker.token;
        const response = await attacked.send('PUT', `/cards/${card}/assignees`, body, token);
        const { detail } = (await response.json()) as { detail: string };
        return [response.status, detail.length < 300];
      }),
    );
    t.strictSame(new Set(statuses.map(String)), new Set(['403,true', '422,true']));
  });
  await expectUnharmed(t, attacked, damage);
});
