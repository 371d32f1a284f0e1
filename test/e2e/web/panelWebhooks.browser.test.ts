import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { eventually, overflowOf } from '../../support/web/boardPage.js';
import { newBoard } from '../../support/web/people.js';
import { openPanel } from '../../support/web/panel.js';
import { changeUser } from '../../support/service/operator.js';
import { sharedWorld } from '../../support/web/world.js';
import { ALLOWED } from '../../support/webhooks/hookScene.js';
import { answering, Receiver } from '../../support/webhooks/receiver.js';

/** What the panel asks the service. */
const WEBHOOKS = /\/webhooks(\/|$)/;

const { options, start } = sharedWorld(t, ALLOWED);

t.test('WEBPANEL8 an owner adds a webhook, sees its secret once, tests, changes, resumes, replays and deletes it', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const board_id = board.id;
  const receiver = await Receiver.start(t);
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const panel = await openPanel(page, 'Webhooks');
  await panel.getByLabel('Address').fill('http://10.0.0.1/hook');
  await panel.getByRole('button', { name: 'Add the webhook' }).click();
  await panel.getByRole('alert').getByText('private').waitFor();
  await panel.getByLabel('Address').fill(receiver.url);
  await panel.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = await panel.getByRole('textbox', { name: 'Secret of the webhook' }).innerText();
  t.match(secret, /^whsec_/);
  const row = panel.getByRole('listitem').first();
  await row.getByText('Works').waitFor();

  await row.getByRole('button', { name: 'Test', exact: true }).click();
  await receiver.until((got) => got[0]?.body.type === 'test');
  await page.getByText('The receiver answered 204.').first().waitFor();
  await row.getByText('Last deliveries').click();
  await row.getByText(/^test · 204/).waitFor();

  await row.getByLabel('What is sent to').selectOption('Who joins and leaves');
  await eventually(t, async () => (await ann.client.webhook.list({ board_id }))[0]?.event_types?.length, 2, 'other kinds');
  await row.getByLabel('What is sent to').selectOption('Everything');
  await eventually(t, async () => (await ann.client.webhook.list({ board_id }))[0]?.event_types, null, 'all kinds');

  receiver.behaviour = answering(410);
  await ann.client.board.update({ board_id }, { title: 'Plans' });
  await eventually(t, async () => (await ann.client.webhook.list({ board_id }))[0]?.paused_because, 'gone', 'the receiver ended it');
  await openPanel(page, 'Labels');
  const again = (await openPanel(page, 'Webhooks')).getByRole('listitem').first();
  await again.getByText('Switched off: the receiver is gone.').waitFor();
  t.notMatch(await panel.innerText(), /whsec_/, 'a secret is shown once');
  receiver.behaviour = answering(200);
  await again.getByRole('button', { name: 'Resume' }).click();
  await again.getByText('Works').waitFor();
  await receiver.until((got) => got.at(-1)?.body.type === 'board.updated');

  receiver.all.length = 0;
  await again.getByText('Send again').click();
  await again.getByLabel('After the event with the number').fill('1');
  await again.getByRole('button', { name: 'Send again' }).click();
  await receiver.until((got) => got.at(-1)?.body.type === 'board.updated');
  const first = receiver.all[0]?.body.seq;
  t.equal(first, 2, 'everything after the first');
  const [{ id: webhook_id } = { id: '' }] = await ann.client.webhook.list({ board_id });
  // They are stored once a second.
  const isStored = async (): Promise<boolean> => (await ann.client.webhook.deliveries({ webhook_id }))[0]?.status === 200;
  await eventually(t, isStored, true, 'the delivery is listed');
  await again.getByText('Last deliveries').click();
  await again
    .getByText(/^board\.updated #\d+ · 200/)
    .first()
    .waitFor();

  await again.getByRole('button', { name: /Delete the webhook/ }).click();
  await page.getByRole('dialog', { name: 'Delete the webhook?' }).getByRole('button', { name: 'Delete' }).click();
  await panel.getByRole('heading', { name: '0 webhooks' }).waitFor();
  t.strictSame(await ann.client.webhook.list({ board_id }), []);

  const bens = await world.open(t, ben, `/app/boards/${board_id}`);
  await openPanel(bens.page, 'Rules');
  t.equal(await bens.page.getByRole('tab', { name: 'Webhooks' }).count(), 0, 'members see none');
});

t.test(
  'WEBPANEL8 an owner chooses a format, renews a secret, switches off and moves a webhook; an address that is not taken stays',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person({ firstname: 'Ann' });
    const board = await newBoard([ann], { 'To do': ['a'] });
    const board_id = board.id;
    const [receiver, failing] = [await Receiver.start(t), await Receiver.start(t)];
    failing.behaviour = answering(500);
    const hook = async (n: number) => (await ann.client.webhook.list({ board_id }))[n];
    const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
    const panel = await openPanel(page, 'Webhooks');
    const address = panel.getByLabel('Address', { exact: true }).last();
    const setAway = async (isAway: boolean): Promise<void> => {
      if (isAway) await page.context().route(WEBHOOKS, (route) => route.abort('connectionfailed'));
      else await page.context().unroute(WEBHOOKS);
    };

    await setAway(true);
    await address.fill(receiver.url);
    await panel.getByLabel('Format').selectOption('Chat message (Slack, Mattermost, Discord)');
    await panel.getByRole('button', { name: 'Add the webhook' }).click();
    await panel.getByRole('alert').getByText('could not be reached').waitFor();
    t.equal(await address.inputValue(), receiver.url, 'what was typed for a new one stays');
    await setAway(false);
    await panel.getByRole('button', { name: 'Add the webhook' }).click();
    await panel.getByRole('heading', { name: 'One webhook' }).waitFor();
    t.equal((await hook(0))?.format, 'slack');
    t.equal(await panel.getByRole('textbox', { name: 'Secret of the webhook' }).count(), 0, 'a chat message is not signed');
    t.equal(await panel.getByRole('button', { name: 'New secret' }).count(), 0);

    await address.fill(receiver.url);
    await panel.getByRole('button', { name: 'Add the webhook' }).click();
    const secret = panel.getByRole('textbox', { name: 'Secret of the webhook' });
    const first = await secret.innerText();
    const row = panel.getByRole('listitem').nth(1);
    await row.getByRole('button', { name: 'New secret' }).click();
    await eventually(t, async () => (await secret.innerText()).startsWith('whsec_') && (await secret.innerText()) !== first, true, 'another secret');

    await row.getByRole('switch').click();
    await row.getByText('Off', { exact: true }).first().waitFor();
    t.match(await hook(1), { is_enabled: false, state: 'disabled' });
    await row.getByRole('switch').click();
    await row.getByText('Works').waitFor();

    await row.getByText(receiver.url).click();
    await row.getByRole('textbox').fill('http://10.0.0.1/hook');
    await page.keyboard.press('Enter');
    const moved = row.getByLabel('Address', { exact: true });
    await row.getByRole('alert').getByText('private').waitFor();
    t.equal(await moved.inputValue(), 'http://10.0.0.1/hook', 'a refused address stays');
    await setAway(true);
    await moved.fill(failing.url);
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('alert').getByText('could not be reached').waitFor();
    await row.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('The webhook was not changed: The service could not be reached.').first().waitFor();
    t.equal(await moved.inputValue(), failing.url, 'also while the list cannot be read');
    await page.keyboard.press('Escape');
    t.equal(await moved.inputValue(), failing.url, 'one Escape does not close the panel over it');
    await setAway(false);
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByText(failing.url).waitFor();
    t.equal((await hook(1))?.url, failing.url);

    await ann.client.board.update({ board_id }, { title: 'Plans' });
    await eventually(t, async () => (await hook(1))?.state, 'retrying', 'the receiver does not take it');
    await openPanel(page, 'Labels');
    const again = (await openPanel(page, 'Webhooks')).getByRole('listitem');
    await again.nth(1).getByText('Has failed since').waitFor();
    await again.nth(0).getByText('Works').waitFor();
    t.match((await receiver.until(({ length }) => length > 0))[0]?.body.text, /^Plans: .+ changed the board\.$/);
  },
);

t.test('WEBADM1 a superuser adds webhooks over all boards beside the other parts of administration, and sends events again', options, async (t) => {
  const world = await start();
  const [root, ann] = [await world.person(), await world.person()];
  await changeUser(world.dataDir, root.id, { is_superuser: true });
  const board = await newBoard([ann], { 'To do': ['a'] });
  const receiver = await Receiver.start(t);
  const { page } = await world.open(t, root, '/app/admin');
  const parts = page.getByRole('navigation', { name: 'Administration' });
  await parts.getByRole('link', { name: 'Webhooks over all boards' }).click();
  t.equal(new URL(page.url()).pathname, '/app/admin/webhooks');
  t.equal(await parts.getByRole('link', { name: 'Webhooks over all boards' }).getAttribute('aria-current'), 'page');
  const section = page.getByRole('region', { name: 'Webhooks over all boards' });
  await section.getByLabel('Address').fill(receiver.url);
  await section.getByRole('button', { name: 'Add the webhook' }).click();
  t.match(await section.getByRole('textbox', { name: 'Secret of the webhook' }).innerText(), /^whsec_/);
  await ann.client.board.update({ board_id: board.id }, { title: 'Plans' });
  await receiver.until((got) => got.some(({ body }) => body.board_id === board.id && body.type === 'board.updated'));
  const before = receiver.all.length;
  const row = section.getByRole('listitem').first();
  await row.getByText('Send again').click();
  await row.getByLabel('From this time on').fill('2020-01-01T00:00');
  await row.getByRole('button', { name: 'Send again' }).click();
  await receiver.until((got) => got.slice(before).some(({ body }) => body.board_id === board.id && body.type === 'board.updated'));
  t.strictSame(await violationsIn(page), []);
  t.equal(await overflowOf(page), 0);
  const anns = await world.open(t, ann, '/app/admin/webhooks');
  await anns.page.getByText('Only superusers can see this page').waitFor();
});
