/**
 * A create that is repeated after its answer was forgotten. The id of what it made follows from its key, so it is found, and is
 * shown to its creator. Its creator and the parent under which it was made are kept beside it, see `KeyedCreate`.
 */
import { partsOf } from '../../board/archive/archiveOnDisk.js';
import { filesByComment } from '../../board/comments/commentFiles.js';
import type { Draft } from '../../board/draft.js';
import type { CreatedKind, KeyedCreate } from '../../idempotency.js';
import type { Uuid } from '../../ids.js';
import type { Entities } from '../../model.js';
import type { Access, BoardCommand, BoardOperation } from '../commands.js';
import { denial } from '../handler.js';

interface Create {
  readonly kind: CreatedKind;
  /** What it is made in: the board, the target of the command, or the column that its input names. */
  readonly parent: 'board' | 'target' | 'column';
}

/** The operations that give their key's id to what they make. */
export const CREATES = {
  'column.create': { kind: 'column', parent: 'board' },
  'card.create': { kind: 'card', parent: 'column' },
  // The original is what the copy is made from, wherever it goes.
  'card.copy': { kind: 'card', parent: 'target' },
  'column.copy': { kind: 'column', parent: 'target' },
  'label.create': { kind: 'label', parent: 'board' },
  'checklist.create': { kind: 'checklist', parent: 'target' },
  'item.create': { kind: 'item', parent: 'target' },
  'attachment.create': { kind: 'attachment', parent: 'target' },
  'attachment.link': { kind: 'attachment', parent: 'target' },
  'commentFile.create': { kind: 'attachment', parent: 'target' },
  'commentFile.link': { kind: 'attachment', parent: 'target' },
  'comment.create': { kind: 'comment', parent: 'target' },
  'rule.create': { kind: 'rule', parent: 'board' },
} as const satisfies Partial<Record<BoardOperation, Create>>;

/** What a read prepares. */
const BEGUN = {
  'attachment.begin': 'attachment.create',
  'commentFile.begin': 'commentFile.create',
  'card.beginCopy': 'card.copy',
} as const satisfies Partial<Record<BoardOperation, BoardOperation>>;

/** A command, or one operation of a batch, and the id of what it makes. */
interface Step extends Pick<BoardCommand, 'op' | 'target'> {
  readonly input: object;
  readonly id: Uuid | null;
}

/** What a command with a key has made, to be kept in its commit. */
export function keyedCreates(draft: Draft, { op, caller, target, input, idempotency }: BoardCommand, wishedId: Uuid | null): KeyedCreate[] {
  if (caller === 'system' || idempotency === undefined || !draft.keepsCreates) return [];
  const steps: readonly Step[] = op === 'board.batch' && 'operations' in input ? input.operations : [{ op, target, input, id: wishedId }];
  return steps.flatMap((step) => {
    const create = createOf(step.op);
    // An upload whose id was taken gets another one.
    if (create === null || step.id === null || !draft.hasWritten(create.kind, step.id)) return [];
    return [{ id: step.id, kind: create.kind, parent: parentOf(create, step), created_by: caller.user_id }];
  });
}

/**
 * What the command made earlier, as it is now; null if it made nothing, or if another one made it: then the command goes its way,
 * and is refused where the id is given. It is found before its parent, which may be gone: cards and items move.
 */
export function lateAnswer(draft: Draft, command: BoardCommand, access: Access, wishedId: Uuid | null): string | null {
  const { op, caller, input, target } = command;
  if (caller === 'system' || 'refused' in input) return null;
  if (op === 'board.create') return boardOf(draft, command);
  if (wishedId === null) return null;
  const step: Step = { op: BEGUN[op as keyof typeof BEGUN] ?? op, target, input, id: wishedId };
  return denial(draft, caller, access, input) === null ? madeBy(draft, step) : null;
}

/** What one operation of a batch made earlier, or null as above. */
export function madeBy(draft: Draft, step: Step): string | null {
  const create = createOf(step.op);
  if (create === null || step.id === null) return null;
  const found = find(draft, create.kind, step.id);
  return found !== null && isSame(draft, create, step, found.record) ? found.json() : null;
}

/** The id of a board follows from its user and the key, so the key tells whose board it is. */
function boardOf(draft: Draft, { caller, idempotency }: BoardCommand): string | null {
  const board = draft.get('board', draft.id);
  if (board === undefined || idempotency === undefined || caller === 'system' || board.created_by !== caller.user_id) return null;
  const denied = denial(draft, caller, 'viewer', {});
  if (denied !== null) throw denied;
  return draft.render.board(board);
}

export function createOf(op: BoardOperation): Create | null {
  return Object.hasOwn(CREATES, op) ? CREATES[op as keyof typeof CREATES] : null;
}

function parentOf({ parent }: Create, { target, input }: Step): Uuid | null {
  if (parent === 'board') return null;
  return parent === 'column' && 'column_id' in input ? String(input.column_id) : target;
}

/** Of something that an older program made, its own fields have to tell; of labels, checklists, items, files and rules they do not. */
function isSame(draft: Draft, create: Create, step: Step, record: Entities[CreatedKind]): boolean {
  const kept = draft.createOf(record.id);
  const parent = parentOf(create, step);
  if (kept !== null) return kept.kind === create.kind && kept.parent === parent && kept.created_by === draft.caller;
  const isOwn = 'created_by' in record && record.created_by === draft.caller;
  return isOwn && (create.kind !== 'comment' || !('card_id' in record) || record.card_id === parent);
}

interface Found {
  readonly record: Entities[CreatedKind];
  json(): string;
}

/** On the board or in the archive. */
function find(draft: Draft, kind: CreatedKind, id: Uuid): Found | null {
  const record = draft.get(kind, id);
  if (record !== undefined) return { record, json: () => draft.render.record(kind, record) };
  const comment = kind === 'comment' ? draft.comments.find(id) : undefined;
  const archived = draft.archivedWith(comment?.card_id ?? id);
  if (archived === undefined) return null;
  if (comment !== undefined) {
    const files = filesByComment(archived.content.attachments ?? []);
    return { record: comment, json: () => draft.render.comment(comment, files) };
  }
  if (!partsOf(archived).some((part) => part.id === id && part.kind === kind)) return null;
  const { card, column, checklists = [], items = [], attachments = [] } = archived.content;
  const part = [card, column, ...checklists, ...items, ...attachments].find((each) => each?.id === id);
  return part === undefined ? null : { record: part, json: () => JSON.stringify(partOf(JSON.parse(draft.render.archived(archived)) as Shown, id)) };
}

/** A card or column in the archive as it is shown, with its parts. */
interface Shown {
  readonly id: Uuid;
  readonly checklists?: readonly Shown[];
  readonly items?: readonly Shown[];
  readonly attachments?: readonly Shown[];
}

function partOf(shown: Shown, id: Uuid): Shown | undefined {
  if (shown.id === id) return shown;
  for (const part of [...(shown.checklists ?? []), ...(shown.items ?? []), ...(shown.attachments ?? [])]) {
    const found = partOf(part, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
