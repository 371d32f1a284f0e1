/** Operations on boards as a whole. */
import * as v from 'valibot';
import type { BoardCommand } from '../../../domain/commands/commands.js';
import { AppError } from '../../../domain/errors.js';
import type { BoardAnswer } from '../../../domain/ports/boardsPort.js';
import type { Uuid } from '../../../domain/ids.js';
import { FIRST_EPOCH, POSITION_PATTERN, readPosition, type Position } from '../../../domain/position.js';
import { givenFields } from '../../../domain/givenFields.js';
import { audited } from '../../operation/audited.js';
import { boardAnswer, boardOperation, requireCaller } from '../../operation/boardOperation.js';
import type { RequestKey } from '../../operation/requestKey.js';
import { findBoardOfRequest, replayOf, tryAgain } from './boardOfRequest.js';
import { withinBoardQuota } from './boardQuota.js';
import { gatherLarge, gatherSmall, PAGE_BYTES, type Summaries } from './boardSummaries.js';
import { membershipsOf } from '../memberships.js';
import { color, emoji, longText, positionText, title, type ChangesOf } from '../../schemas/fields.js';
import { integerParameter } from '../../operation/queryParameters.js';
import { operation, type Operation, type OperationAnswer, type Services } from '../../operation/operation.js';
import { Board, BoardSummary, EventPage, FullBoard } from '../../schemas/resources.js';

const tag = 'Boards';

/** Two boards that draw the same 48-bit key are rare; twice in a row means another fault. */
const MAX_DRAWS = 3;

/** Only a user with many invitations has a second page. */
const BOARDS_PER_PAGE = 1_000;
const MIB = 1024 * 1024;

const optionalFields = () => ({
  description: v.optional(v.nullable(longText())),
  color: v.optional(v.nullable(color())),
  icon: v.optional(v.nullable(emoji())),
});

const createBoard = operation({
  name: 'board.create',
  method: 'POST',
  path: '/boards',
  access: 'user',
  tag,
  summary: 'Create a board',
  description: 'The caller becomes the owner of the board.',
  body: {
    kind: 'json',
    schema: v.object({ title: title(), ...optionalFields() }),
  },
  success: { status: 201, description: 'The new board', schema: Board },
  errors: { 409: 'The caller has created as many boards as `MAX_BOARDS_PER_USER` allows' },
  async handle({ caller, body, idempotency }, services) {
    const { boards, ids } = services;
    const { title, description = null, color = null, icon = null } = body;
    const input = { title, description, color, icon, creator: caller };
    const creator = { user_id: caller.id };
    if (idempotency !== null) return createOnce(services, { op: 'board.create', caller: creator, input }, idempotency);
    for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
      const target = ids.fresh();
      const outcome = await withinBoardQuota(services, caller.id, target, async () => {
        return boards.ask({ op: 'board.create', caller: creator, target, input });
      });
      if (outcome.ok) return boardAnswer(outcome);
      if (outcome.error.code !== 'conflict') throw AppError.from(outcome.error);
    }
    throw new Error('no free board key was found');
  },
});

/** Carries out a request with a key. */
async function createOnce(
  services: Services,
  command: Pick<BoardCommand<'board.create'>, 'op' | 'input'> & { readonly caller: { readonly user_id: Uuid } },
  key: RequestKey,
): Promise<OperationAnswer> {
  const { user_id } = command.caller;
  const { boardId: target, kept, isMade } = await findBoardOfRequest(services, user_id, key.key);
  if (kept !== null) return replayOf(kept, key);
  const idempotency = { key: key.key, fingerprint: key.fingerprint() };
  const ask = async (): Promise<BoardAnswer> => services.boards.ask({ ...command, target, idempotency });
  const outcome = isMade ? await ask() : await withinBoardQuota(services, user_id, target, ask);
  if (outcome.ok) return boardAnswer(outcome);
  throw outcome.error.code === 'conflict' ? tryAgain() : AppError.from(outcome.error);
}

const listBoards = operation({
  name: 'board.list',
  method: 'GET',
  path: '/boards',
  access: 'user',
  isForAnyKey: true,
  tag,
  summary: 'List the caller’s boards',
  description:
    'Each board has the caller’s role and no columns. One answer lists all boards, unless there are more than ' +
    `${BOARDS_PER_PAGE} or they take more than ${PAGE_BYTES / MIB} MiB: then \`Link\` leads to the next page.`,
  query: {
    limit: integerParameter('The maximum number of boards in the answer', { min: 1, max: BOARDS_PER_PAGE, absent: BOARDS_PER_PAGE }),
    offset: integerParameter('The number of boards to skip', { min: 0, absent: 0 }),
  },
  success: {
    status: 200,
    description: 'Boards, in the order in which the caller joined them',
    schema: v.array(BoardSummary),
    headers: { Link: 'If there are more boards: `<?limit=…&offset=…>; rel="next"`' },
  },
  // A list cannot mark a gap: a client would assume that the caller has left a board that is missing.
  errors: {
    429: 'The caller has too many lists under way, or too many answers unread; try again after `Retry-After` seconds',
    503: 'One of the boards is out of reach, so the list would be incomplete; try again after `Retry-After` seconds',
  },
  async handle({ caller, key, query: { limit, offset } }, { directory, boards, lists }) {
    // One more shows whether there is a next page. Read again for a large list: memberships may end while it waits.
    const memberships = (): Promise<Uuid[]> => membershipsOf(directory, caller.id, key, { limit: limit + 1, offset });
    const page = (ids: readonly Uuid[], { json, seen }: Summaries): OperationAnswer => {
      if (seen >= ids.length) return { json };
      return { json, headers: [['Link', `<?limit=${limit}&offset=${offset + seen}>; rel="next"`]] };
    };
    const makeSmall = async (): Promise<OperationAnswer | null> => {
      const ids = await memberships();
      const summaries = await gatherSmall(ids.slice(0, limit), caller.id, boards);
      return summaries && page(ids, summaries);
    };
    const makeLarge = async (): Promise<OperationAnswer> => {
      const ids = await memberships();
      return page(ids, await gatherLarge(ids.slice(0, limit), caller.id, boards));
    };
    return lists.sized(caller.id, makeSmall, makeLarge);
  },
});

const getBoard = boardOperation({
  op: 'board.get',
  method: 'GET',
  path: '/boards/{board_id}',
  tag,
  summary: 'Get a board with everything on it',
  description:
    'The `ETag` is the position of the board’s latest event: its number, or `<epoch>-<number>` if the board’s history ' +
    'may have been cut, for example by the restore of a backup. Send it in `If-None-Match` to get 304 if nothing ' +
    'changed, or as `since` to the WebSocket to get all later events.',
  success: {
    status: 200,
    description: 'The board with its columns, their cards, its labels and its members',
    schema: FullBoard,
    headers: { ETag: 'The position of the board’s latest event, in quotes: `"<number>"` or `"<epoch>-<number>"`' },
  },
  requestHeaders: { 'If-None-Match': 'The `ETag` of the caller’s copy of the board' },
  errors: { 304: 'The board has not changed since the event in `If-None-Match`' },
  input: ({ ifNoneMatch }) => knownPositions(ifNoneMatch),
  answer: ({ json, bytes, position }) => ({
    json: bytes ?? json,
    status: bytes === undefined && json === null ? 304 : 200,
    headers: [
      ['ETag', `"${position ?? 0}"`],
      ['Cache-Control', 'private, no-cache'],
    ],
  }),
});

const updateBoard = boardOperation({
  op: 'board.update',
  method: 'PATCH',
  path: '/boards/{board_id}',
  tag,
  summary: 'Change a board’s title, description, colour or icon',
  body: {
    kind: 'json',
    schema: v.object({ title: v.optional(title()), ...optionalFields() } satisfies ChangesOf<'board'>),
  },
  success: { status: 200, description: 'The board', schema: Board },
  input: ({ body }) => givenFields(body),
});

const deleteBoard = boardOperation({
  op: 'board.delete',
  method: 'DELETE',
  path: '/boards/{board_id}',
  tag,
  summary: 'Delete a board and everything on it',
  success: { status: 204, description: 'Deleted' },
  errors: { 429: 'The caller has deleted as many boards within an hour as a user can have, see `MAX_BOARDS_PER_USER`' },
});

const starBoard = boardOperation({
  op: 'board.star',
  method: 'PUT',
  path: '/boards/{board_id}/star',
  tag,
  summary: 'Star a board',
  description: 'For the caller alone: only their list of boards shows it. A star ends with the membership.',
  success: { status: 204, description: 'The board has a star in the caller’s list' },
});

const unstarBoard = boardOperation({
  op: 'board.unstar',
  method: 'DELETE',
  path: '/boards/{board_id}/star',
  tag,
  summary: 'Remove the star of a board',
  success: { status: 204, description: 'The board has none in the caller’s list' },
});

/** Before the first event. */
const START: Position = { epoch: FIRST_EPOCH, seq: 0 };

const pageOfEvents = boardOperation({
  op: 'board.events',
  method: 'GET',
  path: '/boards/{board_id}/events',
  tag,
  summary: 'List the events of a board',
  description:
    'Returns the events after the given position, oldest first, some hundreds at a time. Repeat the request with the ' +
    'position of the last event until its number is `seq`. If the events after the position are no longer kept, or ' +
    'the position is of another epoch, `resync` is true: read the board again.\n\n' +
    'With `Accept: text/event-stream` the answer is a stream of server-sent events that does not end: the events after ' +
    '`Last-Event-ID` or else `since`, or without both only later ones, then every event as it happens. The `id` is the ' +
    'position, `event` the type and `data` the event. An event `resync` means that events are no longer kept: read the ' +
    'board again. An event `closed` gives a close code and the reason, as on a WebSocket. The stream counts as a socket of ' +
    'its user, gives no presence, and ends when the token expires.',
  requestHeaders: {
    Accept: '`text/event-stream` for a stream',
    'Last-Event-ID': 'For a stream: the position of the last known event. Browsers send it when they reconnect',
  },
  query: {
    since: {
      schema: v.optional(positionText()),
      description: 'The position of the last known event, as in the `ETag`; 0 for all events that are kept',
      document: {
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: POSITION_PATTERN },
        ],
        default: 0,
      },
    },
  },
  success: { status: 200, description: 'Events with their numbers', schema: EventPage, contentType: 'text/event-stream' },
  errors: { 429: 'Too many sockets and streams' },
  input: ({ query }) => ({ since: query.since ?? START }),
});

/** The same address gives a page of events, or a stream of them. */
const listEvents: Operation = {
  ...pageOfEvents,
  async invoke(call, services) {
    if (!isStreamWanted(call.accept) || !call.query.ok) return pageOfEvents.invoke(call, services);
    const { since = null } = call.query.value as { since?: Position };
    const last = call.lastEventId === '' ? since : readPosition(call.lastEventId);
    // The board refuses it, after access.
    if (call.lastEventId !== '' && last === null) return pageOfEvents.invoke({ ...call, query: INVALID_LAST_EVENT }, services);
    const live = await services.eventStreams.open({
      caller: requireCaller(call),
      boardId: call.params['board_id'] ?? '',
      since: last,
      token: call.token,
    });
    return { json: null, live, headers: STREAM_HEADERS };
  },
};

const INVALID_LAST_EVENT = {
  ok: false,
  error: { code: 'invalid', detail: 'Last-Event-ID: must be a number, or an epoch, a dash and a number' },
} as const;

const STREAM_HEADERS = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-store'],
  // A proxy that collects the answer would keep it for ever.
  ['X-Accel-Buffering', 'no'],
] as const;

function isStreamWanted(accept: string): boolean {
  return accept.toLowerCase().includes('text/event-stream');
}

export const boardOperations: readonly Operation[] = [
  createBoard,
  listBoards,
  getBoard,
  updateBoard,
  audited(deleteBoard, 'board.deleted', ({ params }) => ({ subject: { id: params['board_id'] ?? '' } })),
  starBoard,
  unstarBoard,
  listEvents,
];

/** The maximum number of tags in a header that are compared. */
const MAX_TAGS = 16;

/** Our own tags in the list, weak or strong. Other entries match nothing. */
function knownPositions(ifNoneMatch: string): { known?: readonly string[] } {
  if (ifNoneMatch === '') return {};
  const tags = [...ifNoneMatch.matchAll(/(?:^|,)\s*(?:W\/)?"([0-9a-z-]{1,24})"/g)].map(([, tag = '']) => tag);
  const known = tags.filter((tag) => readPosition(tag) !== null).slice(0, MAX_TAGS);
  return known.length === 0 ? {} : { known };
}
