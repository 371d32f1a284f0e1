import { requireBoard } from '../../domain/account/apiKey.js';
import { AppError } from '../../domain/errors.js';
import { answer, operation, type Operation } from '../operation/operation.js';
import { Presence } from '../schemas/resources.js';

const getPresence = operation({
  name: 'presence.get',
  method: 'GET',
  path: '/ws/boards/{board_id}/presence',
  access: 'user',
  isForAnyKey: true,
  tag: 'Presence',
  summary: 'List the online users of a board',
  description:
    'Returns the users with at least one open WebSocket on the board, on any instance, in the order in which they ' +
    'connected. The WebSocket itself is at `/ws/boards/{board_id}?token=…`.',
  success: { status: 200, description: 'The users', schema: Presence },
  errors: {
    404: 'No such board',
    429: 'The caller has too many lists under way; try again after `Retry-After` seconds',
  },
  async handle({ caller, params, key }, { presence, lists }) {
    const board_id = params['board_id'] ?? '';
    requireBoard(key, board_id);
    return lists.small(caller.id, async () => {
      const online_users = await presence.list(board_id);
      if (online_users === null) throw new AppError('not_found', 'Board not found');
      return answer({ board_id, online_users });
    });
  },
});

export const presenceOperations: readonly Operation[] = [getPresence];
