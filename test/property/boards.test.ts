import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Outcome, ShardCommand } from '../../src/partitions/messages.js';
import { MAX_AT_ONCE } from '../../src/domain/slices.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import type { BoardEvent } from '../../src/domain/events.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { Replica } from '../domain/replica.js';
import type { WireBoard, WireEvent } from '../domain/wire.js';
import { BoardModel, type ModelBoard, type ModelComment, type ModelledCommand } from '../support/board/boardModel.js';
import { MAX_VERSIONS } from '../../src/domain/board/versions/versionsOnDisk.js';
import { firstVersion, rewritten, type ModelVersions } from '../support/board/modelTexts.js';
import { batches, commandOf, type Batch } from '../support/board/boardModelCommands.js';
import {
  byId,
  copiesOf,
  ranksOf,
  toModel,
  type ReadApart,
  type ShownArchive,
  type ShownBoard,
  type ShownCard,
  type ShownRule,
} from '../support/board/boardModelProjection.js';
import { temporaryFolder } from '../support/store/folder.js';
import { rowsOf, ShardFollower } from '../support/store/shardFollower.js';
import { ann, ben, bodyOf, command, ids, TestPartition, toBoardOutcome } from '../support/store/faultyStorePartition.js';
import { timeForRuns } from '../support/timeForRuns.js';

const BOARDS = 3;
const RUNS = 120;
const FOLLOWED_RUNS = 40;
/** Longer than anything in these tests. */
const LATER = '2100-01-01T00:00:00.000Z';
/** Enough for all runs on a slow machine; under load there are fewer runs. */
const MAX_MS = 18_000;
/** Each halves the gap of 65,536 ranks between the first two cards. */
const CROWD = 17;
const CONTENT = Uint8Array.of(1, 2, 3);

/** One board in one run: its expected state, and its state before the first command. */
interface Subject {
  readonly model: BoardModel;
  readonly before: WireBoard;
  readonly seqBefore: number;
}

interface OwnerCounts {
  accepted: number;
  refused: number;
  byRules: number;
  batches: { ok: number; refused: number };
  /** Edits of an earlier version of a text. */
  edits: { merged: number; refused: number };
}

function newCounts(): OwnerCounts {
  return { accepted: 0, refused: 0, byRules: 0, batches: { ok: 0, refused: 0 }, edits: { merged: 0, refused: 0 } };
}

t.test('under random commands memory, disk, events and the rules of the contract agree', async (t) => {
  const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
  t.comment(`PROPERTY_SEED=${seed} runs this again`);
  const partition = new TestPartition(t);
  const counts = newCounts();
  const isTime = timeForRuns(MAX_MS);
  await fc.assert(
    fc.asyncProperty(batches(BOARDS), async (run) => {
      if (!isTime()) return;
      const subjects = await newSubjects(partition);
      partition.notices.length = 0;
      for (const batch of run) await play(partition, batch, subjects, counts);
      for (const subject of subjects) await check(partition, subject, counts);
    }),
    { seed, numRuns: RUNS },
  );
  const { batches: batched, edits } = counts;
  t.comment(`${counts.accepted} commands accepted, ${counts.refused} refused, ${counts.byRules} events by rules`);
  t.comment(`${batched.ok} batches accepted, ${batched.refused} refused`);
  t.comment(`${edits.merged} edits merged, ${edits.refused} refused`);
  t.ok(counts.accepted > counts.refused, 'most commands did something');
  t.ok(counts.refused > 0, 'some were refused');
  t.ok(counts.byRules > 0, 'automation rules ran');
  t.ok(batched.ok > 0 && batched.refused > 0, 'batches were carried out and refused');
  t.ok(edits.merged > 0 && edits.refused > 0, 'edits of earlier texts were merged and refused');
});

t.test('a copy of a shard that only applies its commits has the same rows after every operation', async (t) => {
  const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
  t.comment(`PROPERTY_SEED=${seed} runs this again`);
  const follower = new ShardFollower(t, await temporaryFolder(t));
  const retention = { events: 100, days: 7 };
  const partition = new TestPartition(t, { onCommit: follower.apply, retention });
  const counts = newCounts();
  const isTime = timeForRuns(MAX_MS / 3);
  await fc.assert(
    fc.asyncProperty(batches(BOARDS), async (run) => {
      if (!isTime()) return;
      const subjects = await newSubjects(partition);
      for (const batch of run) await play(partition, batch, subjects, counts);
    }),
    { seed, numRuns: FOLLOWED_RUNS, endOnFailure: true },
  );
  await fillAndEmpty(partition);
  const { store } = partition;
  const transaction = (work: () => void): void => {
    store.begin();
    work();
    store.commit();
  };
  while (!store.orphans.isSwept(() => false)) transaction(() => store.orphans.sweep(() => false, LATER));
  transaction(() => store.events.pruneOlderThan(LATER, 100));
  transaction(() => store.content.dropUploadsBefore(LATER));
  transaction(() => store.answers.removeOlderThan(LATER, 100));
  t.comment(`${follower.number} commits of ${Math.round(follower.bytes / follower.number)} bytes`);
  t.ok(follower.number > 100);
  t.strictSame(rowsOf(follower.dataDir), rowsOf(partition.dataDir));
});

/** What random commands do not do: a removal in several commits, and uploads that end otherwise. */
async function fillAndEmpty(partition: TestPartition): Promise<void> {
  const board = await partition.newBoard();
  const column_id = await partition.newColumn(board);
  const fields = { column_id, title: 'one of many', description: null, position: null };
  await partition.askAll(Array.from({ length: 3 * MAX_AT_ONCE }, () => command('card.create', board, fields)));
  await partition.must('column.delete', column_id, {});
  await partition.must('board.update', board, { title: 'Empty' });
  const [dropped, left] = [ids.onBoard(boardKeyOf(board)), ids.onBoard(boardKeyOf(board))];
  for (const id of [dropped, left]) {
    await partition.send([
      { kind: 'upload.start', id },
      { kind: 'upload.append', id, n: 0, bytes: CONTENT },
    ]);
  }
  await partition.send([{ kind: 'upload.drop', id: dropped }]);
  partition.restart();
  await partition.must('board.delete', board, {});
}

async function newSubjects(partition: TestPartition): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (let n = 0; n < BOARDS; n += 1) {
    const id = await populatedBoard(partition);
    if (n === 0) await editOften(partition, id);
    const full = await partition.ask('board.get', id, {});
    const shown = JSON.parse(bodyOf(full)) as ShownBoard & WireBoard;
    const [versions, comments] = [await versionsOf(partition, shown, ann), await commentsOfAnn(partition, shown)];
    const apart: ReadApart = { comments: (card) => comments.get(card) ?? [], versions: ({ id: card }) => versions.get(card) ?? firstVersion() };
    const model = new BoardModel(toModel(shown, await rulesOf(partition, id, ann), apart, highestNumber(shown)));
    subjects.push({ model, before: shown, seqBefore: full.ok ? Number(full.position) : 0 });
  }
  return subjects;
}

async function commentsOfAnn(partition: TestPartition, { columns }: ShownBoard): Promise<ReadonlyMap<Uuid, ModelComment[]>> {
  const found = new Map<Uuid, ModelComment[]>();
  for (const card of columns.flatMap(({ cards }) => cards)) {
    const { comments } = await commentPage(partition, card.id, ann);
    found.set(
      card.id,
      comments.map(({ id, body }) => ({ id, author: ann.id, body, versions: firstVersion() })),
    );
  }
  return found;
}

async function commentPage(partition: TestPartition, card: Uuid, user: PublicUser): Promise<CommentPage> {
  return JSON.parse(bodyOf(await partition.ask('comment.list', card, { before: null, limit: Infinity }, user))) as CommentPage;
}

function highestNumber({ columns }: ShownBoard): number {
  return columns.flatMap(({ cards }) => cards).reduce((highest, { number }) => Math.max(highest, number), 0);
}

/** Some records that commands need, so that the first commands succeed. */
async function populatedBoard(partition: TestPartition): Promise<Uuid> {
  const id = await partition.newBoard();
  await partition.must('member.add', id, { user_id: ben.id, user: ben });
  const label = await partition.must('label.create', id, { name: 'urgent', color: 'red' });
  const columns = [await partition.newColumn(id), await partition.newColumn(id), await partition.newColumn(id)];
  for (const column_id of columns) {
    const card = await partition.must('card.create', id, { column_id, title: 'a', description: rewritten(null, 0, 'first'), position: 0 });
    await partition.must('comment.create', card.id, { body: rewritten(null, 0, 'first') });
    const checklist = await partition.must('checklist.create', card.id, { title: 'Steps' });
    await partition.must('item.create', checklist.id, { content: 'first' });
  }
  const [start = null, middle = null, end = null] = columns;
  await crowd(partition, id, columns[0] ?? assert.fail('a board was given columns'));
  const whenMoved = { trigger_type: 'CARD_MOVED', trigger_column_id: middle, trigger_label_id: null } as const;
  const whenLabelled = { trigger_type: 'LABEL_ADDED', trigger_column_id: null, trigger_label_id: label.id } as const;
  const assign = { action_type: 'ASSIGN_MEMBER', action_column_id: null, action_user_id: ben.id } as const;
  const moveTo = (action_column_id: Uuid | null) => ({ action_type: 'MOVE_TO_COLUMN', action_column_id, action_user_id: null }) as const;
  for (const rule of [
    { ...whenMoved, ...assign },
    { ...whenMoved, ...moveTo(end) },
    { ...whenLabelled, ...moveTo(middle) },
    { ...whenLabelled, ...moveTo(start) },
  ]) {
    await partition.must('rule.create', id, { name: 'a rule', is_enabled: true, ...rule });
  }
  return id;
}

/** Fills the gap after a column's first card, so that a card placed there makes siblings move. */
async function crowd(partition: TestPartition, board: Uuid, column_id: Uuid): Promise<void> {
  const fields = { column_id, title: 'one of many', description: null, position: 1 };
  await partition.askAll(Array.from({ length: CROWD }, () => command('card.create', board, fields)));
}

/** So that edits push out earlier versions. */
async function editOften(partition: TestPartition, board: Uuid): Promise<void> {
  const { columns } = JSON.parse(bodyOf(await partition.ask('board.get', board, {}))) as ShownBoard;
  const card = columns[0]?.cards[0] ?? assert.fail('the first column has a card');
  let { description } = card;
  const edits = Array.from({ length: MAX_VERSIONS }, (_, n) => (description = rewritten(description, 2 ** (n % 6), `edit${n}`)));
  await partition.askAll(edits.map((edit) => command('card.update', card.id, { description: edit })));
}

async function rulesOf(partition: TestPartition, board: Uuid, user: PublicUser): Promise<ShownRule[]> {
  return JSON.parse(bodyOf(await partition.ask('rule.list', board, {}, user))) as ShownRule[];
}

/** As a page shows them; the author is null if they are not on the board. */
interface CommentPage {
  readonly comments: ReadonlyArray<{
    readonly id: Uuid;
    readonly body: string;
    readonly author: PublicUser | null;
    readonly text_version: number;
  }>;
  readonly next: string | null;
}

interface VersionPage {
  readonly versions: ReadonlyArray<{ readonly version: number; readonly text: string | null }>;
  readonly next: number | null;
}

/** Of every card, whose count must agree, and the versions of descriptions and comments. */
async function readApart(
  partition: TestPartition,
  { columns, archived, members }: ShownBoard & { readonly archived: ShownBoard['columns'] },
  model: ModelBoard,
  user: PublicUser,
): Promise<ReadApart> {
  const strays = model.archive.cards.map(({ card }) => card);
  const everyCard = [...[...model.columns, ...model.archive.columns].flatMap(({ cards }) => cards), ...strays];
  const known = new Map(everyCard.flatMap(({ comments }) => comments.map((comment) => [comment.id, comment])));
  const found = new Map<Uuid, ModelComment[]>();
  const isArchived = new Set(archived.flatMap(({ cards }) => cards.map(({ id }) => id)));
  for (const { id, comment_count } of [...columns, ...archived].flatMap(({ cards }) => cards)) {
    const page = await commentPage(partition, id, user);
    assert.deepEqual([page.comments.length, page.next], [comment_count, null], 'a card counts its comments');
    const comments: ModelComment[] = [];
    for (const comment of page.comments) {
      const { author = null, versions } = known.get(comment.id) ?? {};
      const isThere = members.some(({ user_id }) => user_id === author);
      assert.equal(comment.author?.id ?? null, isThere ? author : null, 'an author on the board is named');
      // Earlier ones of comments in the archive are not shown.
      const shown = isArchived.has(id) ? versions : await versionsOfText(partition, 'version.ofComment', comment, user);
      comments.push({ id: comment.id, author, body: comment.body, versions: shown ?? firstVersion() });
    }
    found.set(id, comments);
  }
  const versions = await versionsOf(partition, { columns: [...columns, ...archived] }, user);
  return { comments: (card) => found.get(card) ?? [], versions: ({ id }) => versions.get(id) ?? firstVersion() };
}

async function versionsOf(
  partition: TestPartition,
  { columns }: Pick<ShownBoard, 'columns'>,
  user: PublicUser,
): Promise<ReadonlyMap<Uuid, ModelVersions>> {
  const found = new Map<Uuid, ModelVersions>();
  for (const card of columns.flatMap(({ cards }) => cards)) found.set(card.id, await versionsOfText(partition, 'version.ofCard', card, user));
  return found;
}

async function versionsOfText(
  partition: TestPartition,
  op: 'version.ofCard' | 'version.ofComment',
  { id, text_version }: { readonly id: Uuid; readonly text_version: number },
  user: PublicUser,
): Promise<ModelVersions> {
  if (text_version === 1) return firstVersion();
  const { versions, next } = JSON.parse(bodyOf(await partition.ask(op, id, { before: null, limit: 100 }, user))) as VersionPage;
  const [current, ...earlier] = versions.map(({ version, text }) => ({ version, text }));
  assert.deepEqual([current?.version, next], [text_version, null], 'the current version is the first');
  return { version: text_version, earlier };
}

/** The whole archive, with the cards of columns in the order of the model. */
async function archiveOf(partition: TestPartition, id: Uuid, model: ModelBoard, user: PublicUser): Promise<ShownArchive> {
  const all = { kind: null, before: null, limit: Infinity };
  const { cards, columns } = JSON.parse(bodyOf(await partition.ask('archive.list', id, all, user))) as ShownArchive;
  const whole: Array<ShownArchive['columns'][number]> = [];
  for (const column of columns) {
    const within: ShownCard[] = [];
    for (const card of model.archive.columns.find((each) => each.id === column.id)?.cards ?? []) {
      within.push(JSON.parse(bodyOf(await partition.ask('card.get', card.id, {}, user))) as ShownCard);
    }
    assert.equal((column as { card_count?: number }).card_count, within.length, 'an archived column counts its cards');
    whole.push({ ...column, cards: within });
  }
  return { cards, columns: whole };
}

/** All cards of the archive, as of columns. */
function columnsIn({ cards, columns }: ShownArchive): ShownBoard['columns'] {
  return [...columns, { id: '', rank: 0, title: '', is_done_column: false, cards }];
}

/** Sends a batch and applies it to the model, command by command. */
async function play(partition: TestPartition, batch: Batch, subjects: readonly Subject[], counts: OwnerCounts): Promise<void> {
  const commands = batch.steps.map((step) =>
    commandOf(
      step,
      subjects.map(({ model }) => model),
    ),
  );
  if (batch.weather === 'fair, after a restart') partition.restart();
  if (batch.weather === 'fair, after a sleep') await partition.sleep();
  if (batch.weather === 'the first commit fails') {
    partition.store.plant({ at: 'commit', error: new Error('a failing disk'), times: 1 });
  }
  const before = partition.notices.length;
  const asks = commands.map((command, index) => withUpload(index % 2 === 0 ? command : withKey(command)));
  const outcomes = await partition.send(asks.flat());
  partition.store.repair();

  let [next, accepted] = [0, 0];
  for (const [index, command] of commands.entries()) {
    next += asks[index]?.length ?? 0;
    const outcome = toBoardOutcome(outcomes[next - 1] ?? assert.fail('an ask was not answered'));
    const verdict = outcome.ok ? 'ok' : outcome.error.code;
    const model = subjects.find(({ model }) => boardKeyOf(model.id) === boardKeyOf(command.target))?.model;
    const expected = model?.perform(command, outcome.ok ? idIn(outcome.json) : '') ?? 'not_found';
    assert.equal(verdict, expected, `${command.op} ${JSON.stringify(command)}`);
    if (!outcome.ok && outcome.error.code === 'conflict') {
      assert.deepEqual(outcome.error.fields ?? null, model?.conflict ?? null, 'a conflict shows the current text');
    }
    if (outcome.ok ? isMerged(command, outcome.json) : model?.conflict != null) counts.edits[outcome.ok ? 'merged' : 'refused'] += 1;
    if (outcome.ok) accepted += 1;
    if (command.op === 'board.batch') counts.batches[outcome.ok ? 'ok' : 'refused'] += 1;
  }
  await repeat(partition, asks, outcomes, subjects);
  counts.accepted += accepted;
  counts.refused += commands.length - accepted;
  if (accepted === 0) assert.equal(partition.notices.length, before, 'a refused command emits no event');
}

/** Whether the text that came of an edit is another one than the edit's. */
function isMerged({ op, input }: ModelledCommand, json: string | null): boolean {
  if (!('base' in input) || json === null) return false;
  const { description, body } = JSON.parse(json) as { readonly description?: string | null; readonly body?: string };
  return op === 'card.update' && 'description' in input ? description !== input.description : 'body' in input && body !== input.body;
}

let keys = 0;

function withKey(command: ModelledCommand): ModelledCommand {
  if (command.caller === 'system' || HANDLERS[command.op].effect !== 'write') return command;
  keys += 1;
  return { ...command, idempotency: { key: `key ${keys}`, fingerprint: 'a' } };
}

/** A command with a key that was accepted is sent again: it gets the same answer, unless its caller has lost access. */
async function repeat(
  partition: TestPartition,
  asks: readonly ShardCommand[][],
  outcomes: readonly Outcome[],
  subjects: readonly Subject[],
): Promise<void> {
  const kept = asks.flat().flatMap((ask, index) => {
    const outcome = ask.kind === 'keyed' ? toBoardOutcome(outcomes[index] ?? assert.fail('no answer')) : null;
    return ask.kind === 'keyed' && outcome?.ok === true ? [{ ask, outcome }] : [];
  });
  const published = partition.notices.length;
  const again = await partition.send(kept.map(({ ask }) => ask));
  for (const [index, { ask, outcome }] of kept.entries()) {
    const repeated = toBoardOutcome(again[index] ?? assert.fail('no answer'));
    if (repeated.ok) assert.deepEqual(repeated, { ...outcome, replayed: true });
    else assert.ok(!isOwner(ask.command, subjects), `an owner got ${repeated.error.code}`);
  }
  assert.equal(partition.notices.length, published, 'a repetition emits no event');
}

/** Whether the caller has all rights on the board, or there is no board any more. */
function isOwner({ caller, target }: BoardCommand, subjects: readonly Subject[]): boolean {
  const board = subjects.find(({ model }) => boardKeyOf(model.id) === boardKeyOf(target))?.model.board ?? null;
  const member = board?.members.find(({ user }) => caller !== 'system' && user.id === caller.user_id);
  return board === null || member?.role === 'owner';
}

/** The content of an attachment is there before its record. */
function withUpload(command: ModelledCommand): ShardCommand[] {
  const ask: ShardCommand = { kind: command.idempotency === undefined ? 'board' : 'keyed', command };
  if (command.op !== 'attachment.create' || !('id' in command.input)) return [ask];
  const { id } = command.input as { id: Uuid };
  return [{ kind: 'upload.start', id }, { kind: 'upload.append', id, n: 0, bytes: CONTENT }, ask];
}

function idIn(json: string | null): Uuid {
  return json === null ? '' : ((JSON.parse(json) as { id?: Uuid }).id ?? '');
}

async function check(partition: TestPartition, subject: Subject, counts: OwnerCounts): Promise<void> {
  const { id, board } = subject.model;
  const events = partition.eventsOf(id);
  if (board === null) {
    const gone = await partition.ask('board.get', id, {});
    assert.equal(gone.ok ? 'ok' : gone.error.code, 'not_found');
    assert.equal(events.at(-1)?.type, 'board.deleted');
    return;
  }
  const owner = board.members.find(({ role }) => role === 'owner')?.user ?? assert.fail('a board has an owner');
  const inMemory = await partition.look(id, owner);
  const full = await partition.ask('board.get', id, {}, owner);
  const shown = JSON.parse(bodyOf(full)) as ShownBoard & WireBoard;

  const archive = await archiveOf(partition, id, board, owner);
  const apart = await readApart(partition, { ...shown, archived: columnsIn(archive) }, board, owner);
  const columns = byId(board.archive.columns, (column) => column.id);
  const cards = byId(
    board.archive.cards.map(({ card, column }) => ({ card, column })),
    ({ card }) => card.id,
  );
  assert.deepEqual(
    toModel(shown, await rulesOf(partition, id, owner), apart, board.last_number, archive),
    { ...board, archive: { cards, columns } },
    'the model agrees',
  );
  const { shown: copies, actual } = copiesOf(shown);
  assert.deepEqual(copies, actual, 'cards show the current labels and users');
  for (const ranks of ranksOf(shown)) assert.ok(ranks.every((rank, n) => n === 0 || rank > (ranks[n - 1] ?? rank)));
  checkEvents(subject, events, full.ok ? Number(full.position) : 0, shown);
  await checkContent(partition, shown);
  counts.byRules += events.filter(({ json }) => (JSON.parse(json) as WireEvent).user_id === null).length;

  assert.equal(await partition.lookAtDisk(id, owner), inMemory, 'a fresh load shows what memory showed');
}

function checkEvents(subject: Subject, events: readonly BoardEvent[], seq: number, shown: WireBoard): void {
  const { before, seqBefore } = subject;
  const expected = Array.from({ length: seq - seqBefore }, (_, n) => seqBefore + n + 1);
  assert.deepEqual(
    events.map((event) => event.seq),
    expected,
    'event numbers have no gap',
  );
  const replica = new Replica(before);
  for (const { json } of events) replica.apply(JSON.parse(json) as WireEvent);
  assert.deepEqual(replica.board, shown, 'the events lead from the state before to the state after');
}

async function checkContent(partition: TestPartition, shown: ShownBoard): Promise<void> {
  const cards = shown.columns.flatMap((column) => column.cards);
  for (const { id } of cards.flatMap(({ attachments }) => attachments.filter(({ url }) => url === null))) {
    const [content] = await partition.send([{ kind: 'content.read', id, from: 0, to: CONTENT.length }]);
    assert.deepEqual(content, { ok: true, value: Buffer.from(CONTENT) });
  }
}
