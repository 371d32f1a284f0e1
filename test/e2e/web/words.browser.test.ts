import t from 'tap';
import { newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB26 a German browser gets a German page, with dates and numbers as written there', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const board = await newBoard([ann], { Eins: ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { locale: 'de-AT' });
  await page.getByRole('button', { name: '+ Karte hinzufügen' }).waitFor();
  t.equal(await page.evaluate('document.documentElement.lang'), 'de-AT');
  await page.getByRole('link', { name: 'a', exact: true }).click();
  const day = new Intl.DateTimeFormat('de-AT', { dateStyle: 'medium' }).format(new Date(board.created_at));
  await page.getByText(`Angelegt von Ann Other am ${day}`).waitFor();
});

t.test('WEB26 what the service refuses is said in German too', options, async (t) => {
  const world = await start();
  const { page } = await world.open(t, null, '/app/login', { locale: 'de' });
  await page.locator('input[name=username]').fill('nobody');
  await page.locator('input[name=password]').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('E-Mail-Adresse oder Passwort ist falsch.').waitFor();
});

t.test('WEB26 the language and time zone of the account follow the user, until the logout', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann' });
  const board = await newBoard([ann], { Eins: ['a'] }, 'Plans');
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('button', { name: 'Preferences' }).click();
  const dialog = page.getByRole('dialog', { name: 'Preferences' });
  await dialog.getByRole('combobox', { name: 'Time zone' }).selectOption('Pacific/Kiritimati');
  await dialog.getByRole('button', { name: 'Deutsch' }).click();
  await page.getByRole('dialog', { name: 'Einstellungen' }).waitFor();
  t.match(await ann.client.auth.me(), { language: 'de', time_zone: 'Pacific/Kiritimati' });
  const time = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Pacific/Kiritimati' }).format(
    new Date(board.created_at),
  );

  const other = await world.open(t, ann, '/');
  await other.page.getByRole('heading', { name: 'Boards' }).waitFor();
  await other.page.locator(`time[title="Letzte Aktivität: ${time}"]`).waitFor();
  await other.page.reload();
  await other.page.getByPlaceholder('Name eines neuen Boards').waitFor();
  await other.page.getByRole('button', { name: 'Konto', exact: true }).click();
  await other.page.getByRole('button', { name: 'Abmelden' }).click();
  await other.page.getByRole('button', { name: 'Log in' }).waitFor();
});
