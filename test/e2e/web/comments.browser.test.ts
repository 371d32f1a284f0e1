import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { cardOf, eventually } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

function commentsIn(page: Page): Locator {
  return cardDialog(page).getByRole('list', { name: 'Comments of this card' });
}

/** Bodies, the newest first. */
async function shownIn(page: Page): Promise<string[]> {
  const texts = await commentsIn(page).locator('.comment .markdown').allTextContents();
  return texts.map((text) => text.trim());
}

t.test('WEBCARD2 comments are written, changed and deleted in the dialog of a card, and another window shows them at once', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, ben, boardId, cardId } = await openCard(t, world);
  const path = `/app/boards/${boardId}/cards/${cardId}`;
  const second = await world.open(t, ben, path);
  await cardDialog(second.page).getByRole('textbox', { name: 'Write a comment' }).waitFor();

  await dialog.getByRole('textbox', { name: 'Write a comment' }).fill('Which **colour**?');
  await page.keyboard.press('Control+Enter');
  for (const each of [page, second.page]) await eventually(t, () => shownIn(each), ['Which colour?'], 'as Markdown in both windows');
  await eventually(t, () => dialog.getByRole('textbox', { name: 'Write a comment' }).inputValue(), '', 'the field is empty');
  t.equal(await commentsIn(second.page).getByRole('button').count(), 0, 'a member changes only their own');

  await cardDialog(second.page).getByRole('textbox', { name: 'Write a comment' }).fill('Green');
  await cardDialog(second.page).getByRole('button', { name: 'Comment', exact: true }).click();
  for (const each of [page, second.page]) await eventually(t, () => shownIn(each), ['Green', 'Which colour?'], 'the newest first');
  t.strictSame(await violationsIn(page), [], 'axe');

  await commentsIn(page).getByRole('button', { name: 'Change the comment of Ann' }).click();
  await dialog.getByRole('textbox', { name: 'Change the comment' }).fill('Which size?');
  await page.keyboard.press('Control+Enter');
  await eventually(t, () => shownIn(second.page), ['Green', 'Which size?'], 'changed in the other window');
  await commentsIn(second.page).getByText('edited').waitFor();

  await commentsIn(page).getByRole('button', { name: 'Delete the comment of Ben' }).click();
  await page.getByRole('button', { name: 'Delete the comment', exact: true }).click();
  for (const each of [page, second.page]) await eventually(t, () => shownIn(each), ['Which size?'], 'an owner deleted it');
  const { comments } = await ann.client.comment.list({ card_id: cardId });
  t.match(comments, [{ body: 'Which size?', text_version: 2, author: { id: ann.id } }]);

  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await cardOf(page, 'Plan').waitFor();
  await page.locator('.card').getByTitle('1 comment').waitFor();
});

t.test('WEB11 a comment that its author changed elsewhere meanwhile cannot be saved over without a choice', options, async (t) => {
  const { page, dialog, ann, cardId } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.comment.create({ card_id }, { body: 'first' });
  });
  const [comment] = (await ann.client.comment.list({ card_id: cardId })).comments;
  await commentsIn(page).getByRole('button', { name: 'Change the comment of Ann' }).click();
  const field = dialog.getByRole('textbox', { name: 'Change the comment' });
  await field.fill('mine');
  await ann.client.comment.update({ comment_id: comment?.id ?? '' }, { body: 'of the phone' });
  await dialog.getByText('Changed by somebody else meanwhile.').waitFor();
  t.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
  await field.focus();
  await page.keyboard.press('Control+Enter');
  t.match(await ann.client.comment.list({ card_id: cardId }), { comments: [{ body: 'of the phone' }] });
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(t, () => shownIn(page), ['mine'], 'after the choice');
});

t.test(
  'WEB11 a comment that is deleted while its author changes it leaves what was typed in the dialog, until it is discarded',
  options,
  async (t) => {
    const { page, dialog, ann, cardId } = await openCard(t, await start(), async (card_id, { client }) => {
      for (const body of ['first', 'second']) await client.comment.create({ card_id }, { body });
    });
    const [second, first] = (await ann.client.comment.list({ card_id: cardId })).comments;
    const lost = dialog.getByRole('textbox', { name: 'Your text that was not saved' });
    const change = async (body: string, text: string): Promise<void> => {
      const comment = commentsIn(page).getByRole('listitem').filter({ hasText: body });
      await comment.getByRole('button', { name: 'Change the comment of Ann' }).click();
      await dialog.getByRole('textbox', { name: 'Change the comment' }).fill(text);
    };
    await change('first', 'a long answer');
    await ann.client.comment.delete({ comment_id: first?.id ?? '' });
    await eventually(t, () => lost.inputValue(), 'a long answer', 'at once');
    await dialog.getByText('The comment was deleted.').waitFor();
    t.strictSame(await violationsIn(page), [], 'axe');
    await change('second', 'another answer');
    await page.reload();
    await eventually(t, () => lost.inputValue(), 'a long answer', 'and when the dialog is opened again, alone: the other comment is there');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await lost.waitFor({ state: 'detached' });
    await page.goto('about:blank');
    await ann.client.comment.delete({ comment_id: second?.id ?? '' });
    await page.goBack();
    await eventually(t, () => lost.inputValue(), 'another answer', 'also if it was deleted while the card was closed');
  },
);

t.test('WEB11 who may only read meanwhile finds what was typed for a comment that was deleted, also behind older pages', options, async (t) => {
  const world = await start();
  const { page, ann, ben, boardId, cardId } = await openCard(t, world, async (card_id, _ann, { client }) => {
    await client.comment.create({ card_id }, { body: 'first' });
  });
  const [first] = (await ann.client.comment.list({ card_id: cardId })).comments;
  const path = `/app/boards/${boardId}/cards/${cardId}`;
  const window = await world.open(t, ben, path);
  const own = cardDialog(window.page);
  await commentsIn(window.page).getByRole('button', { name: 'Change the comment of Ben' }).click();
  await own.getByRole('textbox', { name: 'Change the comment' }).fill('a long answer');
  await window.page.goto('about:blank');
  await ann.client.comment.delete({ comment_id: first?.id ?? '' });
  for (let n = 1; n <= 31; n += 1) await ann.client.comment.create({ card_id: cardId }, { body: `Number ${n}` });
  await ann.client.member.setRole({ board_id: boardId, user_id: ben.id }, { role: 'viewer' });
  await commentsIn(page).getByText('Number 31').waitFor();
  await window.page.goBack();
  const lost = own.getByRole('textbox', { name: 'Your text that was not saved' });
  await own.getByRole('button', { name: 'Older comments' }).click();
  await eventually(t, () => lost.inputValue(), 'a long answer', 'when all are read');
});

t.test('TEXT1 what somebody else changed in another part of a description meanwhile is merged into it', options, async (t) => {
  const { page, dialog, ann, cardId } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: 'Buy milk\n\nCall Ann' });
  });
  const part = dialog.getByRole('region', { name: 'Description' });
  const field = part.getByRole('textbox', { name: 'Description' });
  await part.getByRole('button', { name: 'Edit' }).click();
  await field.fill('Buy milk\n\nCall Ann and Bob');
  await ann.client.card.update({ card_id: cardId }, { description: 'Buy oat milk\n\nCall Ann' });
  await part.getByText('Changed by somebody else meanwhile.').waitFor();
  await part.getByRole('button', { name: 'Merge both' }).click();
  await field.waitFor({ state: 'detached' });
  await part.getByText('Call Ann and Bob').waitFor();
  t.match(await ann.client.card.get({ card_id: cardId }), { description: 'Buy oat milk\n\nCall Ann and Bob', text_version: 4 });

  await part.getByRole('button', { name: 'Edit' }).click();
  await field.fill('Buy soy milk\n\nCall Ann and Bob');
  await ann.client.card.update({ card_id: cardId }, { description: 'Buy rice milk\n\nCall Ann and Bob' });
  await part.getByRole('button', { name: 'Merge both' }).click();
  await page.getByText('Not merged: The same words were changed').waitFor();
  t.equal(await field.inputValue(), 'Buy soy milk\n\nCall Ann and Bob', 'both texts stand there still');
  await part.getByText('Buy rice milk').waitFor();
});

t.test('TEXT1 an edit that was begun while an earlier one was on its way is merged too, once that is answered', options, async (t) => {
  const { page, dialog, ben, cardId, card } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: 'one\n\ntwo' });
  });
  const part = dialog.getByRole('region', { name: 'Description' });
  const field = part.getByRole('textbox', { name: 'Description' });
  const edit = async (text: string): Promise<void> => {
    await part.getByRole('button', { name: 'Edit' }).click();
    await field.fill(text);
  };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/cards/${cardId}`, async (route) => {
    await released;
    await route.continue();
  });
  await edit('one\n\ntwo of mine');
  await field.press('Control+Enter');
  await edit('one\n\ntwo of mine, and more');
  release();
  await eventually(t, async () => (await card()).description, 'one\n\ntwo of mine', 'the first is made');
  await page.unroute(`**/cards/${cardId}`);
  await ben.client.card.update({ card_id: cardId }, { title: 'Renamed' });
  await dialog.getByRole('heading', { name: 'Renamed' }).waitFor();
  await page.route(`**/cards/${cardId}`, async (route) => {
    await ben.client.card.update({ card_id: cardId }, { description: 'one of Ben\n\ntwo of mine' });
    await route.continue();
  });
  await field.press('Control+Enter');
  await eventually(t, async () => (await card()).description, 'one of Ben\n\ntwo of mine, and more', 'both are there');
});

t.test('TEXT1 edits of one text that are saved while an earlier one is on its way are merged, and take nothing back', options, async (t) => {
  const { page, dialog, ann, ben, cardId, card } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: 'one\n\ntwo' });
    await client.comment.create({ card_id }, { body: 'one\n\ntwo' });
  });
  const [comment] = (await ann.client.comment.list({ card_id: cardId })).comments;
  const comment_id = comment?.id ?? '';
  /** Holds the first edit until `release`; before the second, somebody else writes. */
  const hold = async (path: string, others: () => Promise<unknown>): Promise<() => void> => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let count = 0;
    await page.route(path, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      count += 1;
      await (count === 1 ? released : others());
      await route.continue();
    });
    return () => release();
  };

  const part = dialog.getByRole('region', { name: 'Description' });
  const sendText = await hold(`**/cards/${cardId}`, () => ben.client.card.update({ card_id: cardId }, { description: 'one of Ben\n\ntwo of mine' }));
  for (const text of ['one\n\ntwo of mine', 'one\n\ntwo of mine, and more']) {
    await part.getByRole('button', { name: 'Edit' }).click();
    await part.getByRole('textbox', { name: 'Description' }).fill(text);
    await page.keyboard.press('Control+Enter');
  }
  sendText();
  await eventually(t, async () => (await card()).description, 'one of Ben\n\ntwo of mine, and more', 'the words of both');

  const written = async (): Promise<unknown> => (await ann.client.comment.list({ card_id: cardId })).comments[0]?.body;
  // Of the author, elsewhere.
  const sendComment = await hold(`**/comments/${comment_id}`, () => ann.client.comment.update({ comment_id }, { body: 'ONE\n\ntwo of mine' }));
  for (const text of ['one\n\ntwo of mine', 'one\n\ntwo of mine, and more']) {
    await commentsIn(page).getByRole('button', { name: 'Change the comment of Ann' }).click();
    await dialog.getByRole('textbox', { name: 'Change the comment' }).fill(text);
    await page.keyboard.press('Control+Enter');
  }
  sendComment();
  await eventually(t, written, 'ONE\n\ntwo of mine, and more', 'also of a comment');
});

t.test('WEB11 nothing that is typed while two texts are merged is lost: their field waits, and a text typed elsewhere stays', options, async (t) => {
  const { page, dialog, ann, cardId } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: 'one\n\ntwo' });
    await client.comment.create({ card_id }, { body: 'one\n\ntwo' });
  });
  const [comment] = (await ann.client.comment.list({ card_id: cardId })).comments;
  /** Clicks, and returns what lets the request pass. */
  const held = async (path: string, button: Locator): Promise<() => void> => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route(`**${path}`, async (route) => {
      await released;
      await route.continue();
    });
    await button.click();
    await sent;
    return release;
  };
  const field = dialog.getByRole('textbox', { name: 'Description' });
  const mergeBoth = dialog.getByRole('button', { name: 'Merge both' });
  await dialog.getByRole('button', { name: 'Edit', exact: true }).click();
  await field.fill('one\n\ntwo and mine');
  await ann.client.card.update({ card_id: cardId }, { description: 'one and theirs\n\ntwo' });
  let release = await held(`/cards/${cardId}`, mergeBoth);
  await dialog.getByText('Merging…').waitFor();
  t.notOk(await field.isEditable(), 'the field waits');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  await cardOf(page, 'Plan').click();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await field.fill('typed after that');
  release();
  await dialog.getByRole('region', { name: 'Their text' }).getByText('two and mine').waitFor();
  t.equal(await field.inputValue(), 'typed after that', 'a text that was not sent stays');
  await dialog.getByRole('button', { name: 'Use theirs' }).click();
  await dialog.getByRole('region', { name: 'Description' }).getByRole('button', { name: 'Cancel' }).click();

  await commentsIn(page).getByRole('button', { name: 'Change the comment of Ann' }).click();
  const body = dialog.getByRole('textbox', { name: 'Change the comment' });
  await body.fill('one\n\ntwo and mine');
  await ann.client.comment.update({ comment_id: comment?.id ?? '' }, { body: 'one and theirs\n\ntwo' });
  release = await held(`/comments/${comment?.id}`, mergeBoth);
  await dialog.getByText('Merging…').waitFor();
  t.notOk(await body.isEditable(), 'that of a comment too');
  release();
  await body.waitFor({ state: 'detached' });
  t.match(await ann.client.comment.list({ card_id: cardId }), { comments: [{ body: 'one and theirs\n\ntwo and mine' }] });
});

t.test('TEXT3 the versions of a description are listed with who wrote them, and restored', options, async (t) => {
  const { page, dialog, ann, cardId } = await openCard(t, await start(), async (card_id, { client }) => {
    for (const description of ['The first text', 'The second text']) await client.card.update({ card_id }, { description });
  });
  await dialog.getByRole('button', { name: 'Versions' }).click();
  const list = page.getByRole('list', { name: 'Versions of the description' });
  await list.getByText('The first text').waitFor();
  t.strictSame(await list.getByRole('heading').allTextContents(), ['Version 3', 'Version 2', 'Version 1']);
  t.match(await list.getByRole('listitem').first().textContent(), /Ann/);
  t.strictSame(await violationsIn(page), [], 'axe');
  await list.getByRole('button', { name: 'Restore version 2' }).focus();
  await page.keyboard.press('Enter');
  await list.waitFor({ state: 'detached' });
  await dialog.getByText('The first text').waitFor();
  t.match(await ann.client.card.get({ card_id: cardId }), { description: 'The first text', text_version: 4 });
});

t.test('TEXT3 the versions of a comment are listed for its author and owners, and its author restores them', options, async (t) => {
  const world = await start();
  const { page, ann, ben, boardId, cardId } = await openCard(t, world, async (card_id, _ann, { client }) => {
    const { id: comment_id } = await client.comment.create({ card_id }, { body: 'The first words' });
    await client.comment.update({ comment_id }, { body: 'The second words' });
  });
  const versions = { name: 'Versions of the comment of Ben' };
  const listIn = (window: Page): Locator => window.getByRole('list', { name: 'Versions of the comment' });
  await commentsIn(page).getByRole('button', versions).click();
  await listIn(page).getByText('The first words').waitFor();
  t.strictSame(await listIn(page).getByRole('heading').allTextContents(), ['Version 2', 'Version 1']);
  t.equal(await listIn(page).getByRole('button').count(), 0, 'an owner reads them');
  t.strictSame(await violationsIn(page), [], 'axe');
  const second = await world.open(t, ben, `/app/boards/${boardId}/cards/${cardId}`);
  await commentsIn(second.page).getByRole('button', versions).click();
  await listIn(second.page).getByRole('button', { name: 'Restore version 1' }).click();
  await listIn(second.page).waitFor({ state: 'detached' });
  await eventually(t, () => shownIn(second.page), ['The first words'], 'the words are back');
  t.match(await ann.client.comment.list({ card_id: cardId }), { comments: [{ body: 'The first words', text_version: 3 }] });
});

t.test('COMMENT2 who only comments attaches files to a comment by choosing and pasting them, and deletes them', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, ben, boardId, cardId } = await openCard(t, world);
  await ann.client.member.setRole({ board_id: boardId, user_id: ben.id }, { role: 'commenter' });
  const second = await world.open(t, ben, `/app/boards/${boardId}/cards/${cardId}`);
  const own = cardDialog(second.page);
  const field = own.getByRole('textbox', { name: 'Write a comment' });
  await field.fill('See the file');
  await own.locator('.comment-field input[type=file]').setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a log') });
  await own.getByRole('button', { name: 'Do not attach log.txt' }).waitFor();
  await own.getByRole('button', { name: 'Close', exact: true }).click();
  await own.waitFor({ state: 'detached' });
  await cardOf(second.page, 'Plan').click();
  await own.getByRole('button', { name: 'Do not attach log.txt' }).waitFor();
  t.equal(await field.inputValue(), 'See the file', 'text and file outlive the dialog');
  await field.focus();
  await second.page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(['shot'], 'shot.bin', { type: 'application/octet-stream' }));
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
  await own.getByRole('button', { name: 'Do not attach shot.bin' }).waitFor();
  await second.page.keyboard.press('Control+Enter');
  const filesIn = (window: Page): Locator => commentsIn(window).getByRole('list', { name: 'Files of this comment' });
  for (const each of [page, second.page]) {
    await eventually(
      t,
      async () => (await filesIn(each).locator('.file-name').allTextContents()).toSorted(),
      ['log.txt', 'shot.bin'],
      'in both windows',
    );
  }
  t.strictSame(await violationsIn(second.page), [], 'axe');
  await dialog.getByText('Drop files anywhere on this card.').waitFor();
  await filesIn(second.page).getByRole('button', { name: 'Delete log.txt' }).click();
  await second.page.getByRole('button', { name: 'Delete the file', exact: true }).click();
  await eventually(t, () => filesIn(page).locator('.file-name').allTextContents(), ['shot.bin'], 'gone in the other window');
  const { comments } = await ann.client.comment.list({ card_id: cardId });
  t.match(comments, [{ body: 'See the file', attachment_ids: [String] }]);
});

t.test('WEBCARD2 a comment that was begun outlives its dialog, and older comments come page by page', options, async (t) => {
  const world = await start();
  const count = 35;
  const { page, dialog, boardId, cardId } = await openCard(t, world, async (card_id, ann) => {
    for (let n = 1; n <= count; n += 1) await ann.client.comment.create({ card_id }, { body: `Number ${n}` });
  });
  await commentsIn(page).getByText(`Number ${count}`, { exact: true }).waitFor();
  t.equal(await commentsIn(page).getByText('Number 1', { exact: true }).count(), 0);
  await dialog.getByRole('button', { name: 'Show older comments' }).click();
  await commentsIn(page).getByText('Number 1', { exact: true }).waitFor();
  await eventually(t, async () => (await shownIn(page)).length, count, 'all of them, once');
  t.equal(await dialog.getByRole('button', { name: 'Show older comments' }).count(), 0);

  const field = dialog.getByRole('textbox', { name: 'Write a comment' });
  await field.fill('Not yet');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await cardOf(page, 'Plan').click();
  await eventually(t, () => field.inputValue(), 'Not yet', `it is still there on ${boardId} ${cardId}`);
});

t.test('WEBCARD2 a comment that is written without a connection is shown, and sent when there is one again', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, cardId } = await openCard(t, world);
  const field = dialog.getByRole('textbox', { name: 'Write a comment' });
  await field.waitFor();
  await page.context().setOffline(true);
  await field.fill('From the tunnel');
  await page.keyboard.press('Control+Enter');
  await eventually(t, () => shownIn(page), ['From the tunnel'], 'at once');
  await commentsIn(page).getByText('Not sent yet').waitFor();
  await page.context().setOffline(false);
  await eventually(
    t,
    async () => (await ann.client.comment.list({ card_id: cardId })).comments.map(({ body }) => body),
    ['From the tunnel'],
    'sent once',
  );
  await commentsIn(page).getByText('Not sent yet').waitFor({ state: 'detached' });
  t.strictSame(await shownIn(page), ['From the tunnel']);
});
