/** The deleted boards that users may restore. */
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';

export const trashHandlers: DirectoryHandlersOf<'trash'> = {
  'trash.list': { effect: 'read', run: (rows, search) => ({ value: rows.trashPage(search) }) },
  'trash.find': {
    effect: 'read',
    run(rows, { user_id, board_id }) {
      const trashed = rows.get('trashed_board', { board_id });
      if (trashed === null || rows.get('trashed_owner', { user_id, board_id }) === null) return { value: null };
      const { creator_id } = trashed;
      const isThere = creator_id !== null && findUser(rows, creator_id) !== null;
      const known = rows.list('membership', { board_id }, { order: ['user_id'] });
      const isErasing = known.some(
        ({ user_id: id }) => rows.get('deleted_user', { id }) !== null && rows.get('pending_profile', { user_id: id }) !== null,
      );
      return { value: { creator_id: isThere ? creator_id : null, isErasing } };
    },
  },
};
