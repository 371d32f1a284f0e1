/**
 * The maximum size of a board. A command that would exceed it is refused with `limit`; a command that keeps or reduces
 * a measure is not, so a board from before the limits can be read, changed and shrunk.
 */
import type { BoardState } from './board/board.js';
import { BoardSize } from './board/boardSize.js';
import { MAX_CARD_COMMENT_BYTES } from './board/comments/commentsOnDisk.js';
import { AppError } from './errors.js';
import type { Uuid } from './ids.js';
import { isHeldKind, type Change, type Entities, type Kind, type TrashTotals } from './model.js';
import type { BoardView } from './board/view.js';

/** The maximum of each measure; settings of the service. */
export interface BoardLimits {
  /** Of the board's JSON. */
  readonly bytes: number;
  readonly cards: number;
  readonly columns: number;
  readonly labels: number;
  readonly members: number;
  readonly rules: number;
  /** Checklists, their items and attachments together. */
  readonly items: number;
  /** Of all files together. */
  readonly attachmentBytes: number;
  /** Of all comments together, which are not in the board's JSON. */
  readonly commentBytes: number;
}

/** For one card, checklist or item. Every event of a card carries the whole card, so these bound an event. */
export const MAX_ON_ONE = {
  labels: 100,
  /** Everyone in a company of a thousand can be asked to read something. */
  assignees: 1_000,
  checklists: 100,
  /** In one checklist. */
  items: 1_000,
  attachments: 500,
  /** In one comment. */
  mentions: 100,
  /** Of one comment. They go with it in one command. */
  files: 20,
} as const;

export type BoardMeasure = keyof BoardLimits;

interface LimitText {
  /** The setting that an operator can change. */
  readonly setting: string;
  /** The counted things, in the words of a refusal. */
  readonly things: string;
}

export const LIMIT_TEXTS: Readonly<Record<BoardMeasure, LimitText>> = {
  bytes: { setting: 'MAX_BOARD_BYTES', things: 'bytes' },
  cards: { setting: 'MAX_BOARD_CARDS', things: 'cards' },
  columns: { setting: 'MAX_BOARD_COLUMNS', things: 'columns' },
  labels: { setting: 'MAX_BOARD_LABELS', things: 'labels' },
  members: { setting: 'MAX_BOARD_MEMBERS', things: 'members' },
  rules: { setting: 'MAX_BOARD_RULES', things: 'automation rules' },
  items: { setting: 'MAX_BOARD_ITEMS', things: 'checklists, items and attachments' },
  attachmentBytes: { setting: 'MAX_BOARD_ATTACHMENT_BYTES', things: 'bytes of attachments' },
  commentBytes: { setting: 'MAX_BOARD_COMMENT_BYTES', things: 'bytes of comments' },
};

const MEASURES: { readonly [M in BoardMeasure]: (size: BoardSize) => number } = {
  // What is in the archive counts, so that archiving makes no room.
  cards: (size) => size.count('card') + (size.archived?.cards ?? 0),
  columns: (size) => size.count('column') + (size.archived?.columns ?? 0),
  labels: (size) => size.count('label'),
  members: (size) => size.count('member'),
  rules: (size) => size.count('rule'),
  items: (size) => size.count('checklist') + size.count('item') + size.count('attachment') + (size.archived?.items ?? 0),
  attachmentBytes: (size) => size.attachmentBytes + (size.archived?.attachment_bytes ?? 0),
  commentBytes: (size) => size.commentBytes + (size.archived?.comment_bytes ?? 0),
  // Last: if a count is at its limit too, that is the clearer message.
  bytes: (size) => size.bytes + (size.archived?.bytes ?? 0),
};

/** What the trash takes of a measure, besides the board. It refuses nothing. */
export const TRASH_MEASURES: { readonly [M in BoardMeasure]: (totals: TrashTotals) => number } = {
  cards: ({ cards }) => cards,
  columns: ({ columns }) => columns,
  labels: ({ labels }) => labels,
  members: () => 0,
  rules: () => 0,
  items: ({ items }) => items,
  attachmentBytes: ({ attachment_bytes }) => attachment_bytes,
  commentBytes: ({ comment_bytes }) => comment_bytes,
  bytes: ({ bytes }) => bytes,
};

/** What a board has of a measure. */
export function measure(size: BoardSize, name: BoardMeasure): number {
  return MEASURES[name](size);
}

const MEASURE_NAMES = Object.keys(MEASURES) as BoardMeasure[];

/** Refuses changes that make the board larger than its limits. `after` is the board with the changes. Returns its size. */
export function refuseGrowth(before: BoardState, after: BoardView, changes: readonly Change[], limits: BoardLimits): BoardSize {
  const replaced = changes.map((change): Replacement => {
    const id = 'put' in change ? change.put.id : change.remove;
    // Of what is on disk alone nothing is counted here, so it is not read.
    return { kind: change.kind, id, before: isHeldKind(change.kind) ? before.get(change.kind, id) : undefined };
  });
  const growth = new Growth(before, after, limits);
  growth.refuse(replaced);
  return growth.size;
}

/** A record as it was before one step of a command. */
export interface Replacement<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: Uuid;
  readonly before: Entities[K] | undefined;
}

/** Adds up what the steps of a command change. `after` is the board with the changes so far. */
export class Growth {
  readonly #before: BoardState;
  readonly #after: BoardView;
  readonly #limits: BoardLimits;
  readonly #size: BoardSize;

  constructor(before: BoardState, after: BoardView, limits: BoardLimits) {
    this.#before = before;
    this.#after = after;
    this.#limits = limits;
    this.#size = new BoardSize(before.size);
  }

  /** With the changes so far. */
  get size(): BoardSize {
    return this.#size;
  }

  /** Called after each step with the records that it replaced, each once. */
  refuse(replaced: readonly Replacement[]): void {
    for (const each of replaced) this.#replace(each);
    for (const measure of MEASURE_NAMES) {
      const now = MEASURES[measure](this.#size);
      if (now > this.#limits[measure] && now > MEASURES[measure](this.#before.size)) throw boardLimit(measure, this.#limits);
    }
    for (const { kind, id } of replaced) {
      const put = this.#after.get(kind, id);
      if (put !== undefined) refuseExcess(this.#before, this.#after, { kind, put } as Put);
    }
  }

  /** What comments take is counted on their cards, and the archive in the record of the board. The trash refuses nothing. */
  #replace({ kind, id, before }: Replacement): void {
    if (isHeldKind(kind)) this.#size.replace(kind, before as Entities[typeof kind] | undefined, this.#after.get(kind, id));
  }
}

/** Kind and record agree. */
type Put = Extract<Change, { put: unknown }>;

/** Limits of one card, item or checklist. */
function refuseExcess(before: BoardState, after: BoardView, { kind, put }: Put): void {
  switch (kind) {
    case 'card': {
      const was = before.get('card', put.id);
      requireRoom('card', 'labels', put.label_ids.length, was?.label_ids.length ?? 0);
      requireRoomForComments(put.comment_bytes, was?.comment_bytes ?? 0);
      return requireRoom('card', 'assignees', put.assignee_ids.length, was?.assignee_ids.length ?? 0);
    }
    case 'item':
      requireRoom('item', 'assignees', put.assignee_ids.length, before.get('item', put.id)?.assignee_ids.length ?? 0);
      return requireRoomBelow(before, after, 'checklist', 'items', put.checklist_id);
    case 'checklist':
      return requireRoomBelow(before, after, 'card', 'checklists', put.card_id);
    case 'attachment':
      return requireRoomBelow(before, after, 'card', 'attachments', put.card_id);
  }
}

const CHILD_KIND = { checklists: 'checklist', items: 'item', attachments: 'attachment' } as const satisfies Partial<
  Record<keyof typeof MAX_ON_ONE, Kind>
>;

function requireRoomBelow(before: BoardView, after: BoardView, parent: 'card' | 'checklist', things: keyof typeof CHILD_KIND, id: Uuid): void {
  const kind = CHILD_KIND[things];
  requireRoom(parent, things, after.children(kind, id).size, before.children(kind, id).size);
}

/** Refuses more things on one card, checklist or item than the maximum, unless there were as many before. */
export function requireRoom(parent: 'card' | 'checklist' | 'item' | 'comment', things: keyof typeof MAX_ON_ONE, now: number, before: number): void {
  const most = MAX_ON_ONE[things];
  if (now > most && now > before) throw new AppError('limit', `A ${parent} can have at most ${most} ${things}`);
}

/** Of one card, unless they took as much before. */
export function requireRoomForComments(bytes: number, before: number): void {
  if (bytes > MAX_CARD_COMMENT_BYTES && bytes > before) {
    throw new AppError('limit', `A card can have at most ${MAX_CARD_COMMENT_BYTES} bytes of comments`);
  }
}

export function boardLimit(measure: BoardMeasure, limits: BoardLimits): AppError {
  const { setting, things } = LIMIT_TEXTS[measure];
  return new AppError('limit', `A board can have at most ${limits[measure]} ${things} (${setting})`);
}
