/** What the caller watches: boards, columns and cards, and all of them in one list. Each board is asked, as for the caller's cards. */
import * as v from 'valibot';
import type { CommentPlace } from '../../../domain/board/comments/commentsOnDisk.js';
import { MAX_WATCHES_OF_BOARD, MAX_WATCHES_OF_USER } from '../../../domain/board/watching/watchesOnDisk.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { WATCHED_KINDS, type WatchedKind } from '../../../domain/model.js';
import { textOf, type BoardsPort } from '../../../domain/ports/boardsPort.js';
import { boardOperation } from '../../operation/boardOperation.js';
import { operation, type Operation } from '../../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../../operation/paging.js';
import { id } from '../../schemas/basics.js';
import { membershipsOf } from '../memberships.js';

const tag = 'Notifications';

/** Boards asked at the same time. */
const BOARDS_AT_ONCE = 32;
/** Memberships read at once. */
const MEMBERSHIPS = 1_000;

const state = v.object({ watching: v.pipe(v.boolean(), v.description('Whether the caller watches it now')) });

const DEFAULTS =
  'Without a choice one watches the cards that one made, is assigned to or has commented. A choice about a card counts more than ' +
  'one about its column, and that more than one about the board.';

/** The three operations on what can be watched. */
function operationsOn(kind: WatchedKind, ops: { readonly get: GetOp; readonly watch: ChangeOp; readonly end: ChangeOp }): readonly Operation[] {
  const path = `/${kind}s/{${kind}_id}/watch`;
  return [
    boardOperation({
      op: ops.get,
      method: 'GET',
      path,
      tag,
      summary: `Get whether the caller watches a ${kind}`,
      success: { status: 200, description: 'Whether the caller watches it', schema: state },
    }),
    boardOperation({
      op: ops.watch,
      method: 'PUT',
      path,
      tag,
      summary: `Watch a ${kind}`,
      description:
        `For the caller alone, and also for viewers: notices of comments, of moves to another column and of dates. ${DEFAULTS} It ends with ` +
        `the membership. A user watches at most ${MAX_WATCHES_OF_USER} things on a board, and all users together ${MAX_WATCHES_OF_BOARD}.`,
      success: { status: 200, description: 'The caller watches it', schema: state },
    }),
    boardOperation({
      op: ops.end,
      method: 'DELETE',
      path,
      tag,
      summary: `Watch a ${kind} no longer`,
      description: `It counts like \`PUT\`, also against what is watched without a choice. ${DEFAULTS}`,
      success: { status: 200, description: 'The caller does not watch it', schema: state },
    }),
  ];
}

type GetOp = 'watch.getBoard' | 'watch.getColumn' | 'watch.getCard';
type ChangeOp = 'watch.board' | 'watch.column' | 'watch.card' | 'watch.endBoard' | 'watch.endColumn' | 'watch.endCard';

interface Listed {
  /** Orders the list: see `writePlace`. */
  readonly place: string;
  readonly kind: WatchedKind;
  readonly id: Uuid;
  readonly board_id: Uuid;
}

const listWatching = operation({
  name: 'watch.mine',
  method: 'GET',
  path: '/me/watching',
  access: 'user',
  isForAnyKey: true,
  tag,
  summary: 'List what the caller watches',
  description:
    'What the caller has chosen to watch, by `PUT …/watch` or by a comment: the latest choice first. Cards that are watched because the ' +
    'caller made them or is assigned to them are not in it.',
  query: { before: beforePlace, limit: pageLimit('things') },
  success: {
    status: 200,
    description: 'A page of what the caller watches',
    schema: v.object({ watching: v.array(v.object({ kind: v.picklist(WATCHED_KINDS), id: id(), board_id: id() })), next: nextPlace }),
  },
  errors: {
    429: 'The caller has too many lists under way; try again after `Retry-After` seconds',
    503: 'One of the boards is out of reach, so the list would be incomplete; try again after `Retry-After` seconds',
  },
  async handle({ caller, key, query: { before = null, limit } }, { directory, boards, lists }) {
    return lists.small(caller.id, async () => {
      let first: Listed[] = [];
      for (let offset = 0; ; offset += MEMBERSHIPS) {
        const ids = await membershipsOf(directory, caller.id, key, { limit: MEMBERSHIPS, offset });
        for (let at = 0; at < ids.length; at += BOARDS_AT_ONCE) {
          // One more shows whether there is a next page.
          const asked = ids.slice(at, at + BOARDS_AT_ONCE).map((board) => watchedOn(board, caller.id, boards, before, limit + 1));
          const found = (await Promise.all(asked)).flat();
          first = [...first, ...found].sort((a, b) => (a.place < b.place ? 1 : -1)).slice(0, limit + 1);
        }
        if (ids.length < MEMBERSHIPS) break;
      }
      const shown = first.slice(0, limit);
      const watching = shown.map(({ place: _place, ...each }) => each);
      return { json: JSON.stringify({ watching, next: first.length > limit ? (shown.at(-1)?.place ?? null) : null }) };
    });
  },
});

/** None if the board is gone or the caller has left it since the directory answered. */
async function watchedOn(target: Uuid, user_id: Uuid, boards: BoardsPort, before: CommentPlace | null, limit: number): Promise<Listed[]> {
  const outcome = await boards.ask({ op: 'watch.list', caller: { user_id }, target, input: { before, limit } });
  if (outcome.ok) return JSON.parse(textOf(outcome) ?? '[]') as Listed[];
  if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return [];
  throw AppError.from(outcome.error);
}

export const watchOperations: readonly Operation[] = [
  ...operationsOn('board', { get: 'watch.getBoard', watch: 'watch.board', end: 'watch.endBoard' }),
  ...operationsOn('column', { get: 'watch.getColumn', watch: 'watch.column', end: 'watch.endColumn' }),
  ...operationsOn('card', { get: 'watch.getCard', watch: 'watch.card', end: 'watch.endCard' }),
  listWatching,
];
