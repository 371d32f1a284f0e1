/**
 * What a change was based on. The service keeps the key of a change for a day; one that is sent later might be made a second
 * time, or undo what others did since. So it is compared with the board first.
 */
import { find, findAttachment, findCard, findChecklist, findItem } from '../board/finding.js';
import { predict, type ChangeName } from '../board/predictions.js';
import { createdId } from '../calls/idempotencyKey.js';
import type { FullBoard } from '../resources.js';
import type { KeptChange } from './changeStore.js';

type Fields = Readonly<Record<string, unknown>>;

/** `open`: send it. `made`: the board is as if it had been made. `stale`: what it was based on has changed, or may have. */
export type Verdict = 'open' | 'made' | 'stale';

/** Null for what creates something, and for what the board does not contain. */
export function basisOf(board: FullBoard, name: ChangeName, args: readonly unknown[]): string | null {
  const [kind = '', verb = ''] = name.split('.');
  const [path, input] = args as readonly [Fields, Fields | undefined];
  if (verb === 'create' || kind === 'comment') return null;
  const target = findTarget(board, kind, String(path[`${kind}_id`]));
  return target === undefined ? null : written(concerned(board, target, kind, verb, path, input ?? {}));
}

export function verdictOn(board: FullBoard, { key, boardId, name, args, madeAt, basis }: KeptChange): Verdict {
  const id = createdId(boardId, key);
  const [kind = '', verb = ''] = name.split('.');
  // No board has its comments, so it is unknown whether an older text may be replaced. What a late create has made, the service knows.
  if (kind === 'comment') return verb === 'create' || hasBase(args) ? 'open' : 'stale';
  if (verb === 'create') return findTarget(board, kind, id) === undefined ? 'open' : 'made';
  // What others wrote meanwhile is merged, or the service refuses.
  if (hasBase(args)) return 'open';
  const now = basisOf(board, name, args);
  // Another user deleted or archived it: that is what was wanted, or the service says so.
  if (now === null) return verb === 'delete' || verb === 'archive' ? 'made' : 'open';
  if (now === basis) return 'open';
  const after = predict(board, name, { id, at: new Date(madeAt).toISOString(), by: null }, args);
  return verb !== 'delete' && verb !== 'move' && basisOf(after, name, args) === now ? 'made' : 'stale';
}

/** Whether it is an edit of a text alone, which names the version that it was written on. */
function hasBase(args: readonly unknown[]): boolean {
  const { base, body: _body, description: _description, ...others } = (args[1] ?? {}) as Fields;
  return base !== undefined && Object.keys(others).length === 0;
}

/** Of a thing, what the change is about. Times and ranks are left out: a prediction has others than the service. */
function concerned(board: FullBoard, target: Fields, kind: string, verb: string, path: Fields, input: Fields): unknown {
  switch (verb) {
    case 'update':
      return Object.keys(input)
        .sort()
        .map((name) => target[name]);
    // It takes nothing from anybody: what is archived can come back.
    case 'archive':
      return true;
    case 'move':
      return placeOf(board, kind, String(target['id']));
    case 'assign':
    case 'unassign': {
      const userIds = verb === 'assign' ? (input['user_ids'] as readonly string[]) : [String(path['user_id'])];
      return userIds.map((id) => find(target['assignees'] as ReadonlyArray<{ id: string }>, id) !== undefined);
    }
    case 'addLabel':
    case 'removeLabel':
      return find(target['labels'] as ReadonlyArray<{ id: string }>, String(path['label_id'])) !== undefined;
    default:
      return target;
  }
}

/** Its list, and what stands before it there. */
function placeOf(board: FullBoard, kind: string, id: string): unknown {
  const cards = board.columns.flatMap((column) => column.cards);
  const parents: ReadonlyArray<{ readonly id: string; readonly children: ReadonlyArray<{ readonly id: string }> }> =
    kind === 'column'
      ? [{ id: board.id, children: board.columns }]
      : kind === 'card'
        ? board.columns.map((column) => ({ id: column.id, children: column.cards }))
        : kind === 'checklist'
          ? cards.map((card) => ({ id: card.id, children: card.checklists }))
          : cards.flatMap(({ checklists }) => checklists.map((checklist) => ({ id: checklist.id, children: checklist.items })));
  const parent = parents.find(({ children }) => find(children, id) !== undefined);
  const at = parent?.children.findIndex((child) => child.id === id) ?? 0;
  return [parent?.id, parent?.children[at - 1]?.id];
}

const LEFT_OUT: readonly string[] = ['rank', 'created_at', 'updated_at', 'created_by', 'updated_by'];
/** Longer ones are replaced by a digest: a deleted column may hold a thousand cards. */
const MAX_CHARACTERS = 2_000;

function written(value: unknown): string {
  const text = JSON.stringify(value, (name, part: unknown) => (LEFT_OUT.includes(name) ? undefined : part));
  return text.length <= MAX_CHARACTERS ? text : `${text.length} ${digest(text)}`;
}

/** Two independent 32-bit sums. They tell states apart, and protect nothing. */
function digest(text: string): string {
  let [one, two] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
  }
  return `${(one >>> 0).toString(36)}-${(two >>> 0).toString(36)}`;
}

function findTarget(board: FullBoard, kind: string, id: string): Fields | undefined {
  switch (kind) {
    case 'board':
      return { ...board };
    case 'column':
      return spread(find(board.columns, id));
    case 'card':
      return spread(findCard(board, id));
    case 'label':
      return spread(find(board.labels, id));
    case 'checklist':
      return spread(findChecklist(board, id));
    case 'item':
      return spread(findItem(board, id));
    default:
      return spread(findAttachment(board, id));
  }
}

function spread(found: object | undefined): Fields | undefined {
  return found === undefined ? undefined : { ...found };
}
