/** The boards of a caller. */
import { isForBoard, type KeyRights } from '../../domain/account/apiKey.js';
import type { Uuid } from '../../domain/ids.js';
import type { Services } from '../operation/operation.js';

/** In order of joining. With an API key of some boards, only these. */
export async function membershipsOf(
  directory: Services['directory'],
  user_id: Uuid,
  key: KeyRights | null,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Uuid[]> {
  if (key === null || key.boards === null) return directory.ask('membership.list', { user_id, limit, offset });
  // An older owner of the directory does not know `boards` and returns all.
  const own = await directory.ask('membership.list', { user_id, boards: [...key.boards.values()] });
  return own.filter((id) => isForBoard(key, id)).slice(offset, offset + limit);
}
