import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';

const MIB = 1024 * 1024;
const HEAD = '"format":"switchboard-board","version":1,"title":"Board"';

function range<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** Documents of many megabytes with no or hardly any content. */
const NONSENSE: Readonly<Record<string, string>> = {
  'columns that are numbers': `{${HEAD},"columns":[${'1,'.repeat(7 * MIB)}1]}`,
  'columns that are empty objects': `{${HEAD},"columns":[${'{},'.repeat(4 * MIB)}{}]}`,
  'lists in lists': `{${HEAD},"columns":[${'[[]],'.repeat(2 * MIB)}1]}`,
  'keys without end': `{${HEAD},"x":{${range(700_000, (n) => `"k${n}":1`).join(',')}}}`,
  'columns that lack everything': `{${HEAD},"columns":[${'{},'.repeat(49_000)}{}]}`,
  'bad labels of a card': `{${HEAD},"columns":[{"id":"c","title":"C","cards":[{"title":"D","labels":[${'1,'.repeat(150_000)}1]}]}]}`,
  'members that are not objects': `{${HEAD},"members":[${'{"email":"x@y.z","role":"member"},'.repeat(40_000)}1]}`,
  'no JSON at all': '['.repeat(8 * MIB),
  'blanks where a file should be': `{"content_base64"${' '.repeat(15 * MIB)}`,
  'keys of files that are none': `{${'"content_base64"'.repeat(900_000)}`,
  'a Trello export of numbers': `{"name":"T","lists":[${'1,'.repeat(3 * MIB)}1],"cards":[]}`,
  'a Trello export of actions': `{"name":"T","lists":[],"cards":[],"actions":[${'{},'.repeat(3 * MIB)}{}]}`,
};

t.test('HOSTILE1 invalid imports are refused in one sentence and do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const damage = await attacked.suffer(t, async () => {
    for (const [name, body] of Object.entries(NONSENSE)) {
      const response = await attacked.send('POST', '/boards/import', body);
      const { detail } = (await response.json()) as { detail: string };
      t.ok([400, 413, 422].includes(response.status) && detail.length < 300, `${name}: ${response.status} ${detail}`);
    }
  });
  t.strictSame(await attacked.do('GET', '/boards'), [], 'no board was created');
  await expectUnharmed(t, attacked, damage);
});
