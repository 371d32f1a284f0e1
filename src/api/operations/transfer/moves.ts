/** Moves of cards: within their board, to other boards, and the way from the old id of a card to the new one. */
import * as v from 'valibot';
import { isForBoard, requireBoard } from '../../../domain/account/apiKey.js';
import type { PublicUser } from '../../../domain/account/user.js';
import { keyOfMove, MOVED_DAYS } from '../../../domain/board/moves/movesOnDisk.js';
import type { CopiedFile, MoveState } from '../../../domain/commands/commands.js';
import { COPY_BOUNDS } from '../../../domain/commands/steps/copying.js';
import { AppError } from '../../../domain/errors.js';
import { boardKeyOf, type Uuid } from '../../../domain/ids.js';
import { textOf } from '../../../domain/ports/boardsPort.js';
import { askBoard, boardOperation, keyIn, requireCaller, toAnswer } from '../../operation/boardOperation.js';
import type { Operation, OperationAnswer, RawCall, Services } from '../../operation/operation.js';
import { documentedCheck, position, uuid } from '../../schemas/fields.js';
import { Card, MovedCard } from '../../schemas/resources.js';

const tag = 'Cards';

/** How long a request waits for the other board. */
const PATIENCE_MS = 20_000;
/** Where an answer does not wait for the delivery, because the board has just moved to another instance. */
const ASK_AGAIN_MS = 50;
const RETRY_AFTER_SECONDS = 2;
/** Of a user under way at once, in this process. */
export const MAX_MOVES_PER_USER = 4;

const CardMove = v.pipe(
  v.object({
    board_id: v.optional(v.pipe(v.nullable(uuid()), v.description('Another board that the card goes to'))),
    column_id: v.optional(v.nullable(uuid())),
    position: v.optional(position()),
  }),
  documentedCheck(({ column_id, position: place }) => (column_id ?? place ?? null) !== null, 'needs column_id, position or both', {
    anyOf: [
      { properties: { column_id: { type: 'string' } }, required: ['column_id'] },
      { properties: { board_id: { type: 'null' } }, required: ['position'] },
    ],
  }),
  documentedCheck(({ board_id, column_id }) => (board_id ?? null) === null || (column_id ?? null) !== null, 'board_id: needs column_id', {}),
);

const within = boardOperation({
  op: 'card.move',
  method: 'POST',
  path: '/cards/{card_id}/move',
  tag,
  summary: 'Move a card',
  description:
    'The body needs `column_id`, `position` or both. Without a position the card goes last. The position refers to the list after the move. With the `board_id` ' +
    'of another board, of which the caller is a member too, it goes there into the column `column_id`, with everything on it: checklists, dates, cover, files, ' +
    'links, and comments with their authors and times. The answer is the card there, and `Board-Position` that of its board. It gets a new `id` and `number` there, also for all of its parts. Labels go by name and colour, and one that is not there is created. ' +
    'Who cannot be assigned there is dropped, see `dropped_people`. Rules there see a new card. History, versions of texts and watches stay, and nothing is put in the trash. ' +
    'Until the other board has the card nothing can change it (409); it exists on one of both at any time, also if the service is stopped meanwhile. ' +
    `For a year \`GET\` of the old id leads to the new one. At most ${COPY_BOUNDS} can move at once. Such a move cannot be undone and cannot be part of a batch.`,
  body: { kind: 'json', schema: CardMove },
  success: { status: 200, description: 'The card. After a move to another board: the card there', schema: MovedCard },
  errors: {
    403: 'The caller is not a member of one of the boards',
    404: 'No such card, no such board, or no such column on its board',
    409: 'The card is on its way to another board, or too much for such a move',
    429: `More than ${MAX_MOVES_PER_USER} moves to other boards of this user are under way; try again after \`Retry-After\` seconds`,
    503: 'The other board cannot be reached: the card is still on its way, and arrives when it can. The same request with the same key waits for it again',
  },
  input: ({ body: { column_id = null, position: place = null, board_id = null } }) => ({
    column_id,
    position: place,
    ...(board_id === null ? {} : { board_id }),
  }),
});

export const moveCard: Operation = {
  ...within,
  invoke(call, services) {
    const wanted = otherBoardIn(call);
    return wanted === null ? within.invoke(call, services) : withinLimit(services, requireCaller(call).id, () => moveAway(call, services, wanted));
  },
  toCommand(call, services) {
    const wanted = otherBoardIn(call);
    const refused = { code: 'conflict', detail: 'board_id: a batch cannot move a card to another board' } as const;
    if (wanted !== null) return { op: 'card.move', target: call.params['card_id'] ?? '', input: { refused, path: {} } };
    if (within.toCommand === undefined) throw new Error('a move within a board is one command');
    return within.toCommand(call, services);
  },
};

const get = boardOperation({
  op: 'card.get',
  method: 'GET',
  path: '/cards/{card_id}',
  tag,
  summary: 'Get a card',
  description: `For ${MOVED_DAYS} days after a move to another board the old id leads to the card there, for those who may read both boards.`,
  success: { status: 200, description: 'The card', schema: Card },
  errors: { 308: 'The card moved to another board: `Location` has its address there' },
  errorHeaders: { 308: { Location: 'The path of the card on the other board' } },
});

export const getCard: Operation = {
  ...get,
  invoke(call, services) {
    const answer = get.invoke(call, services);
    return answer instanceof Promise ? answer.catch((error: unknown) => leadOn(call, services, error)) : answer;
  },
};

interface Wanted {
  readonly board_id: Uuid;
  readonly column_id: Uuid;
  readonly position: number | null;
}

/** Null for a move within the board, and for a request that its board refuses. */
function otherBoardIn({ body, params, idempotency }: RawCall): Wanted | null {
  if (!body.ok || !idempotency.ok) return null;
  const { board_id = null, column_id = null, position: place = null } = body.value as v.InferOutput<typeof CardMove>;
  if (board_id === null || column_id === null || boardKeyOf(board_id) === boardKeyOf(params['card_id'] ?? '')) return null;
  return { board_id, column_id, position: place };
}

async function withinLimit(services: Services, user: Uuid, move: () => Promise<OperationAnswer>): Promise<OperationAnswer> {
  const { movesUnderWay } = services;
  if (movesUnderWay.of(user) >= MAX_MOVES_PER_USER) {
    const detail = `Too many moves to other boards at once: a user may have ${MAX_MOVES_PER_USER} under way`;
    throw new AppError('too_many', detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
  movesUnderWay.add(user, 1);
  try {
    return await move();
  } finally {
    movesUnderWay.add(user, -1);
  }
}

async function moveAway(call: RawCall, services: Services, { board_id, column_id, position: place }: Wanted): Promise<OperationAnswer> {
  const caller = requireCaller(call);
  const target = call.params['card_id'] ?? '';
  const begun = await askBoard(services, caller, { op: 'move.beginOut', target, input: {}, ...keyIn(call) });
  if (call.key !== null) requireBoard(call.key, board_id);
  const drawn = services.ids.onBoard(boardKeyOf(board_id));
  if (begun.replayed !== true) {
    // What the other board refuses anyway is refused before anything is written.
    const files = JSON.parse(textOf(begun) ?? '[]') as readonly CopiedFile[];
    await askBoard(services, caller, { op: 'move.beginIn', target: board_id, input: { id: drawn, column_id, files } });
  }
  const input = { new_id: drawn, target_board_id: board_id, column_id, position: place };
  const left = await askBoard(services, caller, { op: 'move.out', target, input, ...keyIn(call) });
  const { new_id } = JSON.parse(textOf(left) ?? '') as Pick<MoveState, 'new_id'>;
  await untilThere(services, caller, target, { new_id, board_id });
  const arrived = await askBoard(services, caller, { op: 'move.arrived', target: new_id, input: {}, idempotency: keyOfMove(new_id, target) });
  const { replayed } = left;
  return toAnswer(textOf(arrived), {
    ...(arrived.position === undefined ? {} : { position: arrived.position }),
    ...(replayed === undefined ? {} : { replayed }),
  });
}

async function untilThere(
  services: Services,
  caller: PublicUser,
  target: Uuid,
  { new_id, board_id }: { readonly new_id: Uuid; readonly board_id: Uuid },
): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; ;) {
    const state = await stateOf(services, caller, target, board_id);
    // It stayed, and was moved again since.
    if (state.new_id !== new_id) throw new AppError('conflict', 'The card was not moved');
    if (state.state === 'gone') return;
    if (state.refusal !== null) throw AppError.from(state.refusal);
    if (performance.now() >= end) {
      throw new AppError('unavailable', 'The card is still on its way to the other board', { retryAfter: RETRY_AFTER_SECONDS });
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

async function stateOf(services: Services, caller: PublicUser, target: Uuid, awaited: Uuid | null): Promise<MoveState> {
  return JSON.parse(textOf(await askBoard(services, caller, { op: 'move.state', target, input: { awaited } })) ?? '') as MoveState;
}

/** Of a card that is not there. Who may not read both boards gets the answer for one that never was. */
async function leadOn(call: RawCall, services: Services, error: unknown): Promise<OperationAnswer> {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  const caller = requireCaller(call);
  const stateIfAllowed = async (id: Uuid): Promise<MoveState | null> => stateOf(services, caller, id, null).catch(refusedAsNull);
  const moved = await stateIfAllowed(call.params['card_id'] ?? '');
  if (moved?.state !== 'gone' || !isForBoard(call.key, moved.target_board_id)) throw error;
  const { new_id: target } = moved;
  const isThere = (await Promise.resolve(askBoard(services, caller, { op: 'card.get', target, input: {} })).catch(refusedAsNull)) !== null;
  // It may have moved on.
  if (!isThere && (await stateIfAllowed(target))?.state !== 'gone') throw error;
  return { json: JSON.stringify({ detail: 'The card moved to another board' }), status: 308, headers: [['Location', `/cards/${target}`]] };
}

function refusedAsNull(error: unknown): null {
  if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden')) return null;
  throw error;
}
