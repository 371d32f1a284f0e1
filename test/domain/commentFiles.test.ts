import t from 'tap';
import { MAX_ON_ONE } from '../../src/domain/limits.js';
import { UNDATED } from '../support/board/undated.js';
import { ann, ben, BOARD_ID, cleo, Scenario, type Result } from './scenario.js';
import { like } from './like.js';

/** Cleo comments on the board. */
function withComment(): { scenario: Scenario; column: string; card: string; comment: string } {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'Write');
  scenario.must(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'commenter' });
  return { scenario, column, card, comment: scenario.must(cleo, 'comment.create', card, { body: 'Look' }).id };
}

let made = 0;

function newFile(name = 'shot.png') {
  made += 1;
  return { id: `b0a2db0a-2d00-4000-8000-f20000${String(made).padStart(6, '0')}`, name, mime_type: 'image/png', size: 3 };
}

function attach(scenario: Scenario, comment: string, user = cleo): Result {
  return scenario.ask(user, 'commentFile.create', comment, newFile());
}

function commentsOf(scenario: Scenario, card: string): unknown {
  return (scenario.must(ann, 'comment.list', card, { before: null, limit: 50 }) as unknown as { comments: unknown }).comments;
}

const NOT_AUTHOR = { code: 'forbidden', detail: 'Only the author of the comment may do this' };
const NOT_AUTHOR_OR_OWNER = { code: 'forbidden', detail: 'Only the author of the comment or an owner of the board may do this' };

t.test('COMMENT2 a commenter attaches files and links to their own comment, which are attachments of the card', async (t) => {
  const { scenario, card, comment } = withComment();
  t.match(scenario.ask(cleo, 'commentFile.begin', comment, {}).json, /^"[0-9a-f-]{36}"$/);
  const { body, events } = attach(scenario, comment);
  like(t, body, { card_id: card, comment_id: comment, name: 'shot.png', url: null });
  like(t, events, [{ type: 'attachment.created', user_id: cleo.id }]);
  t.strictSame(events[0]?.data, body);
  const link = scenario.must(cleo, 'commentFile.link', comment, { url: 'https://example.org/', title: null });
  like(t, link, { comment_id: comment, url: 'https://example.org/', size: 0 });
  like(t, scenario.must(ann, 'card.get', card, {}), { attachments: [body, link] });
  like(t, commentsOf(scenario, card), [{ id: comment, attachment_ids: [body?.id, link.id] }]);
  like(t, scenario.ask(cleo, 'comment.update', comment, { body: 'Look at both' }).events, [{ data: { attachment_ids: [body?.id, link.id] } }]);
});

t.test('COMMENT2 only the author attaches to a comment; the author and owners delete its files, members those of cards', async (t) => {
  const { scenario, card, comment } = withComment();
  for (const user of [ann, ben]) {
    t.strictSame(scenario.ask(user, 'commentFile.begin', comment, {}).error, NOT_AUTHOR);
    t.strictSame(attach(scenario, comment, user).error, NOT_AUTHOR);
    t.strictSame(scenario.ask(user, 'commentFile.link', comment, { url: 'https://example.org/', title: null }).error, NOT_AUTHOR);
  }
  const [own, another] = [attach(scenario, comment).body?.id ?? '', attach(scenario, comment).body?.id ?? ''];
  const ofCard = scenario.must(ben, 'attachment.create', card, newFile('plan.png')).id;
  t.strictSame(scenario.ask(ben, 'attachment.delete', own, {}).error, NOT_AUTHOR_OR_OWNER, 'a member is neither');
  like(t, scenario.ask(cleo, 'attachment.delete', ofCard, {}).error, { code: 'forbidden', detail: /Your role on this board is commenter/ });
  t.strictSame(scenario.ask(cleo, 'attachment.delete', own, {}).eventTypes, ['attachment.deleted']);
  t.strictSame(scenario.ask(ann, 'attachment.delete', another, {}).eventTypes, ['attachment.deleted']);
  t.equal(scenario.ask(ben, 'attachment.delete', ofCard, {}).error, null);
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: cleo.id, role: 'viewer' });
  like(t, attach(scenario, comment).error, { code: 'forbidden', detail: /Your role on this board is viewer/ });
  t.match(scenario.ask(ann, 'commentFile.begin', card, {}).error, { code: 'not_found', detail: 'Comment not found' });
});

t.test('UNDO1 a commenter takes back the deletion of a file of their own comment, and no other deletion', async (t) => {
  const { scenario, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  scenario.must(cleo, 'attachment.delete', file, {});
  const undo = (seq: number | null = null): Result => scenario.ask(cleo, 'board.undo', BOARD_ID, { seq });
  like(t, undo().events, [{ type: 'attachment.created', user_id: cleo.id, data: { id: file, comment_id: comment } }]);
  like(t, undo(scenario.state.seq).events, [{ type: 'attachment.deleted', data: { id: file } }], 'and deletes it again');
  const deletion = scenario.state.seq;

  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: cleo.id, role: 'viewer' });
  like(t, undo(deletion).error, { code: 'forbidden' }, 'not without the role');
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: cleo.id, role: 'commenter' });
  for (let n = 0; n < MAX_ON_ONE.files; n += 1) attach(scenario, comment);
  like(t, undo(deletion).error, { code: 'forbidden', detail: /Your role on this board is commenter/ }, 'not as a file of the card');
  const [other] = scenario.state.entities().attachment;
  scenario.must(cleo, 'attachment.delete', other?.id ?? '', {});
  like(t, undo(deletion).events, [{ type: 'attachment.created', data: { comment_id: comment } }]);
});

t.test('UNDO1 a commenter does not take back the deletion of a card or column with a file of their own comment', async (t) => {
  for (const op of ['card.delete', 'column.delete'] as const) {
    const { scenario, column, card, comment } = withComment();
    attach(scenario, comment);
    scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: cleo.id, role: 'member' });
    scenario.must(cleo, op, op === 'card.delete' ? card : column, {});
    scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: cleo.id, role: 'commenter' });
    const { error } = scenario.ask(cleo, 'board.undo', BOARD_ID, { seq: null });
    like(t, error, { code: 'forbidden', detail: /Your role on this board is commenter/ }, op);
  }
});

t.test('COMMENT2 a file that comes back to a comment with 20 others is a file of the card', async (t) => {
  const { scenario, card, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  scenario.must(cleo, 'attachment.delete', file, {});
  for (let n = 0; n < MAX_ON_ONE.files; n += 1) attach(scenario, comment);
  const { events } = scenario.ask(ann, 'trash.restore', BOARD_ID, { entry_id: file, column_id: null });
  like(t, events, [{ type: 'attachment.created', data: { id: file, card_id: card, comment_id: null } }]);
});

t.test('COMMENT2 a deleted comment takes its files to the trash, from where they come back as files of the card', async (t) => {
  const { scenario, card, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  const other = scenario.must(ben, 'attachment.create', card, newFile('plan.png')).id;
  scenario.must(ben, 'card.update', card, { cover: { attachment_id: file } });
  t.strictSame(scenario.ask(cleo, 'comment.delete', comment, {}).eventTypes, ['attachment.deleted', 'card.updated', 'comment.deleted']);
  like(t, scenario.must(ann, 'card.get', card, {}), { cover: null, comment_count: 0, attachments: [{ id: other }] });
  const { events } = scenario.ask(ben, 'trash.restore', BOARD_ID, { entry_id: file, column_id: null });
  like(t, events, [{ type: 'attachment.created', data: { id: file, comment_id: null } }]);
});

t.test('COMMENT2 a file that was deleted alone comes back to its comment, and a card with both', async (t) => {
  const { scenario, card, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  scenario.must(cleo, 'attachment.delete', file, {});
  scenario.must(ann, 'trash.restore', BOARD_ID, { entry_id: file, column_id: null });
  like(t, commentsOf(scenario, card), [{ attachment_ids: [file] }]);
  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'trash.restore', BOARD_ID, { entry_id: card, column_id: null });
  like(t, commentsOf(scenario, card), [{ id: comment, attachment_ids: [file] }]);
});

t.test('COMMENT2 in the archive a comment has its files, and their deletion is refused in the order of all checks', async (t) => {
  const { scenario, card, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  scenario.must(ann, 'card.archive', card, {});
  like(t, commentsOf(scenario, card), [{ id: comment, attachment_ids: [file] }]);
  t.strictSame(scenario.ask(ben, 'attachment.delete', file, {}).error, NOT_AUTHOR_OR_OWNER);
  like(t, scenario.ask(cleo, 'attachment.delete', file, {}).error, { code: 'conflict', detail: /The card is archived/ });
  like(t, attach(scenario, comment).error, { code: 'conflict', detail: /The card is archived/ });
  scenario.must(ann, 'card.restore', card, { column_id: null, position: null });
  like(t, commentsOf(scenario, card), [{ id: comment, attachment_ids: [file] }]);
});

t.test('COMMENT2 a comment has at most 20 files', async (t) => {
  const { scenario, card, comment } = withComment();
  for (let n = 0; n < MAX_ON_ONE.files; n += 1) attach(scenario, comment);
  const refused = { code: 'limit', detail: 'A comment can have at most 20 files' };
  t.strictSame(scenario.ask(cleo, 'commentFile.begin', comment, {}).error, refused);
  t.strictSame(attach(scenario, comment).error, refused);
  const another = scenario.must(cleo, 'comment.create', card, { body: 'More' }).id;
  t.equal(attach(scenario, another).error, null);
});

t.test('COMMENT2 further files of an imported comment are files of its card', async (t) => {
  const scenario = Scenario.withoutBoard();
  const count = MAX_ON_ONE.files + 3;
  const link = { id: null, mime_type: 'text/uri-list', size: 0, digest: null, url: 'https://example.org/' };
  const said = { created_by: null, author_name: 'cleo' };
  const card = {
    ...{ title: 'Write', description: null, ...UNDATED, labels: [], assignee_ids: [], checklists: [] },
    comments: [
      { ...said, body: 'Look' },
      { ...said, body: 'More' },
    ],
    attachments: [...Array.from({ length: count }, (_, n) => ({ ...link, name: `link ${n}`, comment: 0 })), { ...link, name: 'last', comment: 1 }],
  };
  scenario.must(ann, 'board.import', BOARD_ID, {
    ...{ title: 'Imported', description: null, importer: ann, members: [], labels: [], rules: [] },
    columns: [{ title: 'To do', color: '#fff', is_done_column: false, cards: [card] }],
  });
  const id = scenario.full.columns[0]?.cards[0]?.id ?? '';
  const { attachments } = scenario.must(ann, 'card.get', id, {}) as unknown as { attachments: Array<{ name: string; comment_id: string | null }> };
  t.strictSame(attachments.flatMap(({ name, comment_id }) => (comment_id === null ? [name] : [])).sort(), ['link 20', 'link 21', 'link 22']);
  const lists = commentsOf(scenario, id) as Array<{ body: string; attachment_ids: string[] }>;
  t.strictSame(lists.map(({ body, attachment_ids }) => [body, attachment_ids.length]).sort(), [
    ['Look', MAX_ON_ONE.files],
    ['More', 1],
  ]);
});

t.test('COMMENT2 the copy of a card has the files of its comments with them, else as its own', async (t) => {
  const { scenario, card, comment } = withComment();
  const file = attach(scenario, comment).body?.id ?? '';
  const copy = (comments: boolean): string => {
    const files = [{ from: file, to: newFile().id }];
    return scenario.must(ben, 'card.copy', card, { column_id: null, position: null, comments, files }).id;
  };
  const full = copy(true);
  const [copied] = commentsOf(scenario, full) as Array<{ id: string; attachment_ids: string[] }>;
  t.equal(copied?.attachment_ids.length, 1);
  like(t, scenario.must(ann, 'card.get', full, {}), { attachments: [{ id: copied?.attachment_ids[0], comment_id: copied?.id }] });
  like(t, scenario.must(ann, 'card.get', copy(false), {}), { attachments: [{ name: 'shot.png', comment_id: null }] });
});

t.test('COMMENT2 while a program of an earlier schema runs, nothing is attached to comments', async (t) => {
  const { scenario, card, comment } = withComment();
  scenario.schema = 25;
  like(t, attach(scenario, comment).error, { code: 'unavailable', detail: /older version/ });
  t.equal(scenario.ask(ben, 'attachment.create', card, newFile()).error, null);
});
