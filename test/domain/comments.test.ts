import t, { type Test } from 'tap';
import { MAX_CARD_COMMENT_BYTES, readPlace } from '../../src/domain/board/comments/commentsOnDisk.js';
import { ann, ben, BOARD_ID, cleo, Scenario } from './scenario.js';

interface Shown {
  readonly id: string;
  readonly body: string;
  readonly author: { readonly id: string } | null;
  readonly author_name: string;
  readonly mentions: ReadonlyArray<{ readonly username: string }>;
  readonly text_version: number;
}

function withCard(): { scenario: Scenario; column: string; card: string } {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  return { scenario, column, card: scenario.addCard(column, 'Write') };
}

function say(scenario: Scenario, card: string, body: string, by = ben): Shown {
  return scenario.must(by, 'comment.create', card, { body }) as unknown as Shown;
}

function pageOf(scenario: Scenario, card: string, limit = 50, next: string | null = null): { comments: Shown[]; next: string | null } {
  const before = next === null ? null : readPlace(next);
  return scenario.must(ann, 'comment.list', card, { before, limit }) as unknown as ReturnType<typeof pageOf>;
}

function countOn(scenario: Scenario, card: string): unknown {
  return (scenario.must(ann, 'card.get', card, {}) as unknown as { comment_count: number }).comment_count;
}

t.test('COMMENT1 a comment is created, edited by its author and deleted, with an event each and the count on its card', async (t) => {
  const { scenario, card } = withCard();
  const { updated_at } = scenario.must(ann, 'card.get', card, {}) as unknown as { updated_at: string };
  const created = scenario.ask(ben, 'comment.create', card, { body: 'Which **colour**?' });
  t.match(created.events, [{ type: 'comment.created', user_id: ben.id, data: { body: 'Which **colour**?', card_id: card, text_version: 1 } }]);
  t.match(created.body, { author: { id: ben.id }, author_name: 'ben', mentions: [] });
  t.equal(countOn(scenario, card), 1);
  const id = created.body?.id ?? '';
  const edited = scenario.ask(ben, 'comment.update', id, { body: 'Which size?' });
  t.match(edited.events, [{ type: 'comment.updated', data: { id, body: 'Which size?', text_version: 2 } }]);
  t.strictSame(scenario.ask(ben, 'comment.update', id, {}).events, []);
  t.strictSame(scenario.ask(ben, 'comment.update', id, { body: 'Which size?' }).events, [], 'the same text is no edit');
  t.match(pageOf(scenario, card), { comments: [{ id, body: 'Which size?', text_version: 2 }], next: null });
  t.match(scenario.must(ann, 'card.get', card, {}), { updated_at }, 'the card itself did not change');
  const deleted = scenario.ask(ann, 'comment.delete', id, {});
  t.match(deleted.events, [{ type: 'comment.deleted', user_id: ann.id, data: { id, body: 'Which size?' } }]);
  t.strictSame([countOn(scenario, card), pageOf(scenario, card)], [0, { comments: [], next: null }]);
  t.match(scenario.ask(ben, 'comment.update', id, { body: 'x' }).error, { code: 'not_found', detail: 'Comment not found' });
});

t.test('COMMENT1 only the author edits a comment, and only the author or an owner deletes it, whatever the input', async (t) => {
  const { scenario, card } = withCard();
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo });
  const { id } = say(scenario, card, 'Mine');
  const refused = { refused: { code: 'invalid', detail: 'body: must not be blank' }, path: {} } as const;
  const notAuthor = { code: 'forbidden', detail: 'Only the author of the comment may do this' };
  t.strictSame(scenario.ask(ann, 'comment.update', id, { body: 'Yours' }).error, notAuthor);
  t.strictSame(scenario.askAs({ user_id: ann.id }, 'comment.update', id, refused).error, notAuthor, 'before the input');
  t.match(scenario.ask(cleo, 'comment.delete', id, {}).error, { code: 'forbidden', detail: /author of the comment or an owner/ });
  t.equal(scenario.ask(ben, 'comment.delete', id, {}).error, null);
});

t.test('COMMENT1 comments are in pages, the newest first, also if they were written in one millisecond', async (t) => {
  const { scenario, card } = withCard();
  scenario.disorder({ pace: 0 });
  const bodies = Array.from({ length: 7 }, (_, n) => `comment ${n}`);
  for (const body of bodies) say(scenario, card, body);
  const seen: string[] = [];
  let next: string | null = null;
  do {
    const page: ReturnType<typeof pageOf> = pageOf(scenario, card, 3, next);
    seen.push(...page.comments.map(({ body }) => body));
    next = page.next;
  } while (next !== null);
  t.strictSame(seen, bodies.toReversed());
});

t.test('COMMENT1 the username of a member behind an @ is a mention, of anyone else plain text', async (t) => {
  const { scenario, card } = withCard();
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: { ...cleo, username: 'Cleo de Merode' } });
  const mentioned = (body: string): string[] => say(scenario, card, body).mentions.map(({ username }) => username);
  t.strictSame(mentioned('@ben, @ANN and @Ben.'), ['ben', 'ann']);
  t.strictSame(mentioned('@cleo de merode: ask @cleo'), ['Cleo de Merode']);
  t.strictSame(mentioned('mail ann@ann.example, @annabel, @nobody, @'), []);
  t.strictSame(mentioned('(@ann)'), ['ann']);
  const { id } = say(scenario, card, 'for @ann');
  scenario.must(ben, 'comment.update', id, { body: 'for @ben' });
  t.match(pageOf(scenario, card).comments[0]?.mentions, [{ username: 'ben' }]);
});

t.test('COMMENT1 a text of signs is compared with the names of members a bounded number of times', async (t) => {
  const { scenario, card } = withCard();
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: { ...cleo, username: 'c'.repeat(255) } });
  const mentioned = (body: string): number => say(scenario, card, body).mentions.length;
  const sign = `@${'x'.repeat(3)} `;
  t.equal(mentioned(`${sign.repeat(400)}@ben`), 1);
  t.equal(mentioned(`${sign.repeat(500)}@ben`), 0, 'behind five hundred signs');
  t.equal(mentioned(`${'@ '.repeat(400)}@${'C'.repeat(255)}`), 1, 'a long name');
});

t.test('COMMENT1 the comments of a deleted card or column are gone with it', async (t) => {
  const { scenario, column, card } = withCard();
  const { id } = say(scenario, card, 'Gone');
  const other = scenario.addCard(column, 'Other');
  const kept = say(scenario, other, 'Gone later');
  scenario.must(ann, 'card.delete', card, {});
  t.match(scenario.ask(ben, 'comment.update', id, { body: 'x' }).error, { code: 'not_found' });
  t.equal(scenario.state.size.commentBytes, 512 + 'Gone later'.length);
  scenario.must(ann, 'column.delete', column, {});
  t.match(scenario.ask(ben, 'comment.delete', kept.id, {}).error, { code: 'not_found' });
  t.equal(scenario.state.size.commentBytes, 0);
});

t.test('COMMENT1 a comment keeps the name of an author who left, and not that of one who was deleted', async (t) => {
  const { scenario, card } = withCard();
  const count = 250;
  for (let n = 0; n < count; n += 1) say(scenario, card, `comment ${n} for @ben`);
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  t.match(pageOf(scenario, card, 1).comments, [{ author: null, author_name: 'ben', mentions: [] }]);
  const states: string[] = [];
  do {
    const { body } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
    states.push((body as unknown as { state: string }).state);
  } while (states.at(-1) === 'more');
  t.strictSame(states, ['more', 'more', 'gone']);
  const { comments } = pageOf(scenario, card, count);
  t.equal(comments.length, count);
  t.ok(comments.every(({ author, author_name }) => author === null && author_name === 'deleted user'));
});

t.test('QUOTA3 comments count in the budget of their card and of the board', async (t) => {
  const { scenario, column, card } = withCard();
  const limit = (t: Test, detail: RegExp, target: string, body: string): void => {
    t.match(scenario.ask(ben, 'comment.create', target, { body }).error, { code: 'limit', detail });
  };
  scenario.limits = { ...scenario.limits, commentBytes: 2 * (512 + 10) };
  const { id } = say(scenario, card, 'x'.repeat(10));
  say(scenario, card, 'x'.repeat(10));
  limit(t, /^A board can have at most 1044 bytes of comments \(MAX_BOARD_COMMENT_BYTES\)$/, card, 'x');
  t.match(scenario.ask(ben, 'comment.update', id, { body: 'x'.repeat(11) }).error, { code: 'limit' });
  scenario.must(ben, 'comment.update', id, { body: 'x' });
  scenario.must(ben, 'comment.delete', id, {});
  say(scenario, card, 'x'.repeat(10));

  scenario.limits = { ...scenario.limits, commentBytes: Infinity };
  const long = '"'.repeat(65_536);
  const other = scenario.addCard(column, 'Other');
  for (let bytes = 512 + 2 * long.length; bytes <= MAX_CARD_COMMENT_BYTES; bytes += 512 + 2 * long.length) say(scenario, other, long);
  limit(t, new RegExp(`^A card can have at most ${MAX_CARD_COMMENT_BYTES} bytes of comments$`), other, long);
});

t.test('while a program without comments runs, none is written and cards go on', async (t) => {
  const { scenario, column } = withCard();
  scenario.schema = 14;
  const card = scenario.addCard(column, 'Old');
  t.match(scenario.ask(ben, 'comment.create', card, { body: 'x' }).error, { code: 'unavailable', detail: /older version/ });
  scenario.must(ben, 'card.update', scenario.addCard(column, 'New'), { title: 'Newer' });
  scenario.schema = 15;
  say(scenario, card, 'x');
});
