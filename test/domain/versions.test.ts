import t from 'tap';
import { MAX_VERSIONS, versionId } from '../../src/domain/board/versions/versionsOnDisk.js';
import { CARD_TEXT_CHARACTERS } from '../../src/domain/textLimits.js';
import { ann, ben, cleo, Scenario } from './scenario.js';

interface ShownVersion {
  readonly version: number;
  readonly text: string | null;
  readonly created_at: string | null;
  readonly user_name: string | null;
}

interface ShownPage {
  readonly versions: readonly ShownVersion[];
  readonly next: number | null;
}

interface ShownCard {
  readonly title: string;
  readonly description: string | null;
  readonly text_version: number;
}

function withCard(description: string | null = null): { scenario: Scenario; card: string; edit: typeof editCard } {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('To do'), 'Write');
  if (description !== null) scenario.must(ann, 'card.update', card, { description });
  return { scenario, card, edit: editCard };
}

function editCard(scenario: Scenario, card: string, description: string | null, base?: number, by = ann): ShownCard {
  const input = base === undefined ? { description } : { description, base };
  return scenario.must(by, 'card.update', card, input) as unknown as ShownCard;
}

function versions(scenario: Scenario, card: string, before: number | null = null, limit = 50): ShownPage {
  return scenario.must(ann, 'version.ofCard', card, { before, limit }) as unknown as ShownPage;
}

t.test('TEXT1 an edit of an older version is merged, an edit of the same words is refused as a whole', async (t) => {
  const { scenario, card, edit } = withCard('Buy milk\nCall Ann');
  edit(scenario, card, 'Buy oat milk\nCall Ann', 2, ben);
  const merged = edit(scenario, card, 'Buy milk\nCall Ann and Bob', 2);
  t.match(merged, { description: 'Buy oat milk\nCall Ann and Bob', text_version: 4 });
  const refused = scenario.ask(ben, 'card.update', card, { title: 'Other', description: 'Buy soy milk\nCall Ann', base: 2 });
  t.match(refused.error, { code: 'conflict', fields: { current: 'Buy oat milk\nCall Ann and Bob', text_version: 4 } });
  t.match(scenario.must(ann, 'card.get', card, {}), { title: 'Write', text_version: 4 });
  t.match(scenario.ask(ann, 'card.update', card, { description: 'x', base: 5 }).error, { code: 'invalid', detail: /^base: / });
  t.match(edit(scenario, card, 'Replaced'), { description: 'Replaced', text_version: 5 }, 'without a base the last edit wins');
  t.match(edit(scenario, card, null, 5), { description: null, text_version: 6 });
  t.match(
    scenario.must(ann, 'card.update', card, { title: 'Renamed', base: 1 }),
    { title: 'Renamed', text_version: 6 },
    'a base covers the text alone',
  );
});

t.test('TEXT1 a merge that would be too long is a conflict, and so is a version that is kept no longer', async (t) => {
  const long = 'x'.repeat(CARD_TEXT_CHARACTERS - 20);
  const { scenario, card, edit } = withCard(`start\n${long}\nend`);
  edit(scenario, card, `start ${'a'.repeat(10)}\n${long}\nend`);
  t.match(scenario.ask(ann, 'card.update', card, { description: `start\n${long}\nend ${'b'.repeat(10)}`, base: 2 }).error, { code: 'conflict' });
  scenario.must(ann, 'version.deleteOfCard', card, { version: 2 });
  t.match(scenario.ask(ann, 'card.update', card, { description: 'else', base: 2 }).error, { detail: /kept no longer/, fields: { text_version: 3 } });
});

t.test('TEXT1 comments are merged like descriptions, and what a merged one mentions counts', async (t) => {
  const { scenario, card } = withCard();
  const { id } = scenario.must(ben, 'comment.create', card, { body: 'First\nSecond' }) as { id: string };
  scenario.must(ben, 'comment.update', id, { body: 'First @ann\nSecond', base: 1 });
  const merged = scenario.must(ben, 'comment.update', id, { body: 'First\nSecond @ben', base: 1 });
  t.match(merged, { body: 'First @ann\nSecond @ben', text_version: 3, mentions: [{ id: ann.id }, { id: ben.id }] });
  t.match(scenario.ask(ben, 'comment.update', id, { body: 'Last', base: 1 }).error, { code: 'conflict', fields: { text_version: 3 } });
});

t.test('TEXT3 each version names who wrote it when, and a restoration is a new version', async (t) => {
  const { scenario, card, edit } = withCard();
  edit(scenario, card, 'one', undefined, ben);
  edit(scenario, card, 'two');
  const { versions: all, next } = versions(scenario, card);
  t.strictSame(
    all.map(({ version, text, user_name }) => [version, text, user_name]),
    [
      [3, 'two', 'ann'],
      [2, 'one', 'ben'],
      [1, null, 'ann'],
    ],
  );
  t.equal(next, null);
  t.ok(all.every(({ created_at }, index) => index === 0 || String(created_at) < String(all[index - 1]?.created_at)));
  t.match(scenario.must(ben, 'version.restoreDescription', card, { version: 2 }), { description: 'one', text_version: 4 });
  t.match(scenario.must(ann, 'version.restoreDescription', card, { version: 4 }), { text_version: 4 }, 'the current one');
  t.equal(scenario.ask(ann, 'version.restoreDescription', card, { version: 9 }).error?.code, 'not_found');
  t.match(versions(scenario, card, null, 2), { versions: [{ version: 4 }, { version: 3 }], next: 3 });
  t.match(versions(scenario, card, 3, 2), { versions: [{ version: 2 }, { version: 1 }], next: null });
  scenario.must(ben, 'board.undo', scenario.state.id, { seq: null });
  t.match(versions(scenario, card, null, 1), { versions: [{ version: 5, text: 'two', user_name: 'ben' }] }, 'an undo too');
});

t.test('TEXT3 the last 50 versions of a text are kept, and owners delete one of them', async (t) => {
  const { scenario, card, edit } = withCard();
  for (let n = 2; n <= MAX_VERSIONS + 5; n += 1) edit(scenario, card, `text ${n}`);
  const { versions: kept } = versions(scenario, card, null, 200);
  t.strictSame([kept[0]?.version, kept.at(-1)?.version, kept.length], [MAX_VERSIONS + 5, 5, MAX_VERSIONS + 1]);
  t.equal(scenario.ask(ben, 'version.deleteOfCard', card, { version: 7 }).error?.code, 'forbidden');
  scenario.must(ann, 'version.deleteOfCard', card, { version: 7 });
  t.equal(scenario.ask(ann, 'version.deleteOfCard', card, { version: 7 }).error?.code, 'not_found');
  t.equal(scenario.ask(ann, 'version.deleteOfCard', card, { version: MAX_VERSIONS + 5 }).error?.code, 'conflict', 'not the current text');
  t.equal(versions(scenario, card, null, 200).versions.length, MAX_VERSIONS);
});

t.test('TEXT3 the versions of a comment are read by its author and owners, restored by its author and deleted by owners', async (t) => {
  const { scenario, card } = withCard();
  scenario.must(ann, 'member.add', scenario.state.id, { user_id: cleo.id, user: cleo });
  const { id } = scenario.must(ben, 'comment.create', card, { body: 'one' }) as { id: string };
  scenario.must(ben, 'comment.update', id, { body: 'two' });
  const page = { before: null, limit: 50 };
  t.equal(scenario.ask(cleo, 'version.ofComment', id, page).error?.code, 'forbidden');
  t.match(scenario.must(ann, 'version.ofComment', id, page), {
    versions: [
      { text: 'two', user_name: 'ben' },
      { text: 'one', user_name: 'ben' },
    ],
  });
  t.equal(scenario.ask(ann, 'version.restoreComment', id, { version: 1 }).error?.code, 'forbidden');
  t.match(scenario.must(ben, 'version.restoreComment', id, { version: 1 }), { body: 'one', text_version: 3 });
  t.equal(scenario.ask(ben, 'version.deleteOfComment', id, { version: 1 }).error?.code, 'forbidden');
  scenario.must(ann, 'version.deleteOfComment', id, { version: 1 });
  t.match(scenario.must(ben, 'version.ofComment', id, page), { versions: [{ version: 3 }, { version: 2 }] });
});

t.test('TEXT3 versions outlast archive and trash', async (t) => {
  const { scenario, card, edit } = withCard('one');
  edit(scenario, card, 'two');
  scenario.must(ann, 'card.archive', card, {});
  t.equal(versions(scenario, card).versions.length, 3, 'readable in the archive');
  t.equal(scenario.ask(ann, 'version.restoreDescription', card, { version: 2 }).error?.code, 'conflict');
  scenario.must(ann, 'card.restore', card, { column_id: null, position: null });
  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'trash.restore', scenario.state.id, { entry_id: card, column_id: null });
  t.match(scenario.must(ann, 'version.restoreDescription', card, { version: 2 }), { description: 'one', text_version: 4 });
});

t.test('TEXT1 while an older program runs, no version is counted or kept, and an edit with a base has to wait', async (t) => {
  const { scenario, card, edit } = withCard();
  scenario.schema = 23;
  t.match(edit(scenario, card, 'one'), { description: 'one', text_version: 1 });
  t.equal(scenario.ask(ann, 'card.update', card, { description: 'two', base: 1 }).error?.code, 'unavailable');
  t.equal(scenario.state.versions.find(versionId({ card_id: card, id: card }, 1)), undefined);
});
