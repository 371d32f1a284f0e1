/**
 * A board to play on. Every accepted command is applied to memory and, as a store would do it, to a plain copy of the
 * records; after each one memory must render exactly what a fresh load of that copy renders. So each test that uses a
 * scenario also tests that changes are complete and that nothing outdated is kept.
 */
import assert from 'node:assert/strict';
import { BoardState, type LoadedBoard } from '../../src/domain/board/board.js';
import type { Caller, BoardCommands, BoardOperation, RefusedInput } from '../../src/domain/commands/commands.js';
import type { RuleFields } from '../../src/domain/model.js';
import { decide, type Decision } from '../../src/domain/commands/decide.js';
import type { Context } from '../../src/domain/board/draft.js';
import { LeavingMembers } from '../../src/domain/board/leavingMembers.js';
import type { ErrorData } from '../../src/domain/errors.js';
import type { Idempotency, KeptAnswer, KeyedCreate } from '../../src/domain/idempotency.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import type { BoardLimits } from '../../src/domain/limits.js';
import { HELD_KINDS, KINDS, type Change, type Entities, type Kind } from '../../src/domain/model.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { bytesOfComment } from '../../src/domain/board/comments/commentsOnDisk.js';
import { partsOfContent, totalsOfContent } from '../../src/domain/board/trash/trashOnDisk.js';
import { everyCard, list } from '../../src/domain/board/view.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { partsOf, sumOfTotals, totalsOf } from '../../src/domain/board/archive/archiveOnDisk.js';
import { memoryVersions } from '../support/board/memoryVersions.js';
import type { MovesOnDisk } from '../../src/domain/board/moves/movesOnDisk.js';
import { memoryWatches } from '../support/board/memoryWatches.js';
import { memoryTrash } from '../support/board/memoryTrash.js';
import { memoryArchive } from '../support/board/memoryArchive.js';
import { MemoryActivity } from '../support/board/memoryActivity.js';
import { memoryComments } from '../support/board/memoryComments.js';
import { publicUser } from '../support/publicUser.js';
import type { WireBoard, WireEvent, WireResource } from './wire.js';

export const BOARD_ID = 'b0a2db0a-2d00-4000-8000-000000000000';
const BOARD_KEY = boardKeyOf(BOARD_ID);
/** An unknown id. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-00000000dead';

export const ann = userNamed('ann', 1);
export const ben = userNamed('ben', 2);
export const cleo = userNamed('cleo', 3);

/** A rule that never runs. */
export const idleRule: RuleFields = {
  name: 'rule',
  trigger_type: 'CARD_CREATED',
  trigger_column_id: null,
  trigger_label_id: null,
  action_type: 'ASSIGN_MEMBER',
  action_column_id: null,
  action_user_id: ben.id,
  is_enabled: true,
};

export interface Result {
  readonly decision: Decision;
  /** The parsed answer, null without a body. Empty if the command was refused. */
  readonly body: WireResource | null;
  readonly json: string | null;
  readonly error: ErrorData | null;
  readonly events: readonly WireEvent[];
  readonly eventTypes: readonly string[];
}

type Records = { [K in Kind]: Map<Uuid, Entities[K]> };

export class Scenario {
  board: BoardState | null;
  /** The limits of the following commands. */
  limits: BoardLimits = DEFAULT_LIMITS;
  /** That of the oldest program that runs; null for this one. */
  schema: number | null = null;
  readonly #records: Records = emptyRecords();
  readonly #archive = memoryArchive(() => [...this.#records.archived.values()]);
  readonly #comments = memoryComments(() => [...this.#records.comment.values()]);
  readonly #activity = new MemoryActivity();
  readonly #trash = memoryTrash(() => [...this.#records.trashed.values()]);
  readonly #versions = memoryVersions(() => [...this.#records.version.values()]);
  readonly #watches = memoryWatches(() => [...this.#records.watch.values()]);
  readonly #moves: MovesOnDisk = {
    find: (id) => this.#records.moved.get(id),
    leaving: () => [...this.#records.moved.values()].flatMap(({ id, state }) => (state === 'leaving' ? [id] : [])),
    reminderDue: (card) => this.#reminders.get(card) ?? null,
  };
  /** When those of its cards are due. */
  readonly #reminders = new Map<Uuid, number | null>();
  readonly #onDisk = {
    comments: this.#comments,
    archive: this.#archive,
    activity: this.#activity,
    trash: this.#trash,
    versions: this.#versions,
    watches: this.#watches,
    moves: this.#moves,
  };
  /** Of the following commands. */
  trashDays = 30;
  /** Kept answers by user and key, as a store keeps them. */
  readonly #answers = new Map<string, KeptAnswer>();
  /** By id, as a store keeps them. */
  readonly #creates = new Map<Uuid, KeyedCreate>();
  /** Ids of what was removed; a store forgets them some time. */
  readonly #used = new Set<Uuid>();
  readonly #leaving = new LeavingMembers();
  /** What the board showed after the last command: also what it must show before the next one. Rendering it is what tests that use scenarios do most. */
  #shown: { readonly board: BoardState; readonly snapshot: string } | null = null;
  /** Milliseconds from one command to the next. */
  #pace = 1000;
  #now = Date.UTC(2030, 0, 1);
  /** Shared with copies: an id is never made twice, as with random ones. */
  #ids = { last: 0, step: 1 };

  private constructor(board: BoardState | null) {
    this.board = board;
  }

  static withoutBoard(): Scenario {
    return new Scenario(null);
  }

  /** Ann owns the board, Ben is a member, Cleo is neither. */
  static withBoard(): Scenario {
    const scenario = new Scenario(null);
    scenario.must(ann, 'board.create', BOARD_ID, { title: 'Plans', description: null, creator: ann });
    scenario.must(ann, 'member.add', BOARD_ID, { user_id: ben.id, user: ben });
    return scenario;
  }

  static loaded(board: LoadedBoard): Scenario {
    const scenario = new Scenario(null);
    scenario.board = BoardState.load(board, scenario.#onDisk);
    for (const kind of HELD_KINDS) scenario.#keep(kind, board.entities[kind]);
    return scenario;
  }

  /** As after a day: the service keeps keys for that long. */
  forgetAnswers(): void {
    this.#answers.clear();
  }

  /** Another scenario with the same records and kept answers. */
  copy(epoch: string): Scenario {
    const { state } = this;
    const copy = Scenario.loaded({ epoch, seq: state.seq, entities: state.entities() });
    copy.#ids = this.#ids;
    for (const [key, answer] of this.#answers) copy.#answers.set(key, answer);
    copy.#keep('comment', [...this.#records.comment.values()]);
    copy.#keep('version', [...this.#records.version.values()]);
    copy.#keep('watch', [...this.#records.watch.values()]);
    copy.#keep('moved', [...this.#records.moved.values()]);
    copy.#keep('archived', [...this.#records.archived.values()]);
    copy.#keep('trashed', [...this.#records.trashed.values()]);
    return copy;
  }

  get state(): BoardState {
    if (this.board === null) throw new Error('the scenario has no board');
    return this.board;
  }

  /** From here on time passes this slowly, or backwards, and new ids decrease: neither gives the order of creation. */
  disorder({ pace }: { readonly pace: number }): void {
    this.#pace = pace;
    this.#ids = { last: 0xffff_ffff, step: -1 };
  }

  /** In milliseconds since the epoch, of the last command. */
  get time(): number {
    return this.#now;
  }

  /** They have been given. */
  dropReminders(): void {
    this.#reminders.clear();
  }

  /** Time passes without a command. */
  wait(ms: number): void {
    this.#now += ms;
  }

  /** The full board as a client would read it. */
  get full(): WireBoard {
    return JSON.parse(renderFull(this.state)) as WireBoard;
  }

  ask<Op extends BoardOperation>(user: PublicUser, op: Op, target: Uuid, input: BoardCommands[Op]): Result {
    return this.askAs({ user_id: user.id }, op, target, input);
  }

  /** The same; a refusal is a fault of the test. */
  must<Op extends BoardOperation>(user: PublicUser, op: Op, target: Uuid, input: BoardCommands[Op]): WireResource {
    const { error, body } = this.ask(user, op, target, input);
    if (error !== null) throw new Error(`${op} was refused: ${error.detail}`);
    return body ?? ({} as WireResource);
  }

  addColumn(title: string, position: number | null = null): Uuid {
    const fields = { title, color: '#fff', is_done_column: false };
    return this.must(ann, 'column.create', BOARD_ID, { ...fields, position }).id;
  }

  addCard(column_id: Uuid, title: string, position: number | null = null): Uuid {
    return this.must(ann, 'card.create', BOARD_ID, { column_id, title, description: null, position }).id;
  }

  addLabel(name: string): Uuid {
    return this.must(ann, 'label.create', BOARD_ID, { name, color: 'red' }).id;
  }

  addChecklist(card: Uuid, title: string): Uuid {
    return this.must(ann, 'checklist.create', card, { title }).id;
  }

  addItem(checklist: Uuid, content: string): Uuid {
    return this.must(ann, 'item.create', checklist, { content }).id;
  }

  /** A request with a key. */
  askOnce<Op extends BoardOperation>(
    user: PublicUser,
    idempotency: Idempotency,
    op: Op,
    target: Uuid,
    input: BoardCommands[Op] | RefusedInput,
  ): Result {
    return this.askAs({ user_id: user.id }, op, target, input, idempotency);
  }

  askAs<Op extends BoardOperation>(caller: Caller, op: Op, target: Uuid, input: BoardCommands[Op] | RefusedInput, idempotency?: Idempotency): Result {
    const before = this.board === null ? null : this.#before(this.board);
    const context: Context = {
      now: this.#tick(),
      limits: this.limits,
      trashDays: this.trashDays,
      ...(this.schema === null ? {} : { schema: this.schema }),
      newId: () => this.#newId(),
      isLeaving: (user) => this.#leaving.has(BOARD_KEY, user, this.#now),
      wasUsed: (id) => this.#used.has(id),
      findCreate: (id) => this.#creates.get(id) ?? null,
      findAnswer: (user, key) => this.#answers.get(`${user} ${key}`) ?? null,
    };
    const command = { op, caller, target, input };
    const at = context.now;
    const decision = decide(this.board, idempotency === undefined ? command : { ...command, idempotency }, context);
    if (this.board !== null) assert.equal(snapshot(this.board), before, `deciding ${op} must not change the board`);
    if (decision.activity !== null) this.#activity.add(decision.activity, at);
    this.#accept(decision);
    return resultOf(decision);
  }

  #before(board: BoardState): string {
    return this.#shown?.board === board ? this.#shown.snapshot : snapshot(board);
  }

  #accept(decision: Decision): void {
    const { changes, events, seq, outcome, boardDeleted } = decision;
    const first = this.board?.seq ?? 0;
    assert.deepEqual(
      events.map((event) => event.seq),
      events.map((_event, index) => first + index + 1),
      'event numbers have no gap',
    );
    assert.equal(seq, first + events.length);
    if (!outcome.ok) assert.equal(changes.length + events.length + (decision.activity === null ? 0 : 1), 0, 'a refused command leaves no trace');
    if (decision.keep !== null) {
      this.#answers.set(`${decision.keep.scope} ${decision.keep.key}`, { ...decision.keep, outboxId: null });
    }
    for (const { kind, target, due } of decision.timers) if (kind === 'reminder') this.#reminders.set(target, due);
    for (const create of decision.creates) this.#creates.set(create.id, create);
    if (decision.leaving !== null) this.#leaving.noteStep(BOARD_KEY, decision.leaving, this.#now);
    for (const user of decision.removedUsers) this.#leaving.delete(BOARD_KEY, user);
    if (changes.length === 0 && events.length === 0) return;
    if (boardDeleted) {
      this.board = null;
      return;
    }
    this.board ??= BoardState.empty(BOARD_ID, this.#onDisk);
    this.#shown = null;
    this.board.apply(changes, seq);
    for (const change of changes) this.#store(change);
    // Until a removal is finished its rest is there and is not shown.
    if (this.board.unfinished.length === 0) this.#checkAgainstFreshLoad(this.board);
  }

  /** Further changes of a removal that takes several commits. */
  applyRows(changes: readonly Change[]): void {
    this.#shown = null;
    this.state.apply(changes, this.state.seq);
    for (const change of changes) this.#store(change);
  }

  #checkAgainstFreshLoad(board: BoardState): void {
    const inAnyOrder = HELD_KINDS.map((kind) => [kind, [...this.#records[kind].values()].reverse()]);
    const entities = Object.fromEntries(inAnyOrder) as LoadedBoard['entities'];
    const fresh = BoardState.load({ epoch: '0', seq: board.seq, entities }, this.#onDisk);
    const full = renderFull(board);
    const rules = board.render.list('rule', board.id);
    const shown = snapshotOf(board, full, rules);
    assert.equal(shown, snapshot(fresh), 'memory shows what a fresh load shows');
    this.#shown = { board, snapshot: shown };
    assert.equal(board.bytes, fresh.bytes, 'memory is counted the same way');
    assert.equal(board.size.bytes, fresh.size.bytes, 'and so is its JSON');
    this.#checkComments(board);
    this.#checkArchive(board);
    this.#checkTrash(board);
    const rendered = Buffer.byteLength(full) + Buffer.byteLength(rules);
    assert.ok(board.size.bytes >= rendered, `the estimate of ${board.size.bytes} bytes bounds the ${rendered} of the JSON`);
    checkRanks(board);
  }

  #checkComments(board: BoardState): void {
    let bytes = 0;
    for (const card of everyCard(board)) {
      const comments = this.#comments.page(card.id, null, Infinity, Infinity);
      const sum = comments.reduce((total, comment) => total + bytesOfComment(comment), 0);
      assert.deepEqual([card.comment_count, card.comment_bytes], [comments.length, sum], 'a card counts its comments');
      bytes += sum;
    }
    assert.equal(board.size.commentBytes, bytes, 'and a board those of its cards');
  }

  #checkArchive(board: BoardState): void {
    const rows = [...this.#records.archived.values()];
    assert.deepEqual(board.size.archived, sumOfTotals(null, rows.map(totalsOf), 1), 'a board counts what is in its archive');
    const taken = rows.flatMap(partsOf).filter(({ kind, id }) => board.get(kind, id) !== undefined);
    assert.deepEqual(taken, [], 'what is archived is not on the board');
  }

  #checkTrash(board: BoardState): void {
    const rows = [...this.#records.trashed.values()];
    for (const { content, ...row } of rows) assert.deepEqual({ ...row, ...totalsOfContent(content) }, row, 'a row counts what is in it');
    const taken = rows.flatMap(({ content }) => partsOfContent(content)).filter(({ kind, id }) => board.get(kind, id) !== undefined);
    assert.deepEqual(taken, [], 'what is in the trash is not on the board');
  }

  #store(change: Change): void {
    if ('put' in change) this.#keep(change.kind, [change.put]);
    else if (this.#records[change.kind].delete(change.remove)) this.#used.add(change.remove);
  }

  #keep<K extends Kind>(kind: K, records: readonly Entities[K][]): void {
    for (const record of records) this.#records[kind].set(record.id, record);
  }

  #tick(): string {
    this.#now += this.#pace;
    return new Date(this.#now).toISOString();
  }

  #newId(): Uuid {
    this.#ids.last += this.#ids.step;
    return `b0a2db0a-2d00-4000-8000-${this.#ids.last.toString(16).padStart(12, '0')}`;
  }
}

function renderFull(board: BoardState): string {
  const record = board.get('board', board.id);
  if (record === undefined) throw new Error('the board has no record');
  return board.render.fullBoard(record);
}

/** Everything visible of a board. */
function snapshot(board: BoardState): string {
  return snapshotOf(board, renderFull(board), board.render.list('rule', board.id));
}

function snapshotOf({ seq }: BoardState, full: string, rules: string): string {
  return `${seq} ${full} ${rules}`;
}

function checkRanks(board: BoardState): void {
  const strictlyRising = (siblings: readonly { rank: number }[]): void => {
    siblings.reduce((last, { rank }) => {
      assert.ok(Number.isSafeInteger(rank) && rank > last, 'ranks rise strictly');
      return rank;
    }, -Infinity);
  };
  const columns = list(board, 'column', board.id);
  const cards = columns.flatMap(({ id }) => list(board, 'card', id));
  const checklists = cards.flatMap(({ id }) => list(board, 'checklist', id));
  strictlyRising(columns);
  for (const { id } of columns) strictlyRising(list(board, 'card', id));
  for (const { id } of cards) strictlyRising(list(board, 'checklist', id));
  for (const { id } of checklists) strictlyRising(list(board, 'item', id));
}

function resultOf(decision: Decision): Result {
  const { outcome } = decision;
  const json = outcome.ok ? outcome.json : null;
  const events = decision.events.map((event) => JSON.parse(event.json) as WireEvent);
  return {
    decision,
    json,
    body: json === null ? null : (JSON.parse(json) as WireResource),
    error: outcome.ok ? null : outcome.error,
    events,
    eventTypes: events.map(({ type }) => type),
  };
}

function emptyRecords(): Records {
  return Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as Records;
}

function userNamed(username: string, n: number): PublicUser {
  return publicUser(username, { id: `aaaaaaaa-0000-4000-8000-00000000000${n}`, email: `${username}@example.com` });
}
