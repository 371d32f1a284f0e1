/** Personal API keys: a user's own rights, or fewer, for a program. */
import { AppError } from '../errors.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../ids.js';
import { notMember } from '../refusals.js';

/** `write` includes `read`. `admin` is needed besides, for what only superusers may do. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ApiKey extends FoundKey {
  readonly name: string;
  /** The beginning of the key, to recognise it by. */
  readonly prefix: string;
  readonly created_at: string;
  /** At most a minute old; null if it was never used. */
  readonly last_used: string | null;
}

export interface StoredKey extends ApiKey {
  /** The key is random, so a plain hash of it reveals nothing. */
  readonly token_hash: string;
}

/** What a key stands for. */
export interface FoundKey {
  readonly id: Uuid;
  readonly user_id: Uuid;
  readonly scopes: readonly Scope[];
  /** Null for all boards of the user. */
  readonly board_ids: readonly Uuid[] | null;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

/** Of one user; expired ones do not count. */
export const MAX_KEYS_PER_USER = 100;
export const MAX_BOARDS_PER_KEY = 100;

/** What a request with a key may do, at most. A request without one has null instead. */
export interface KeyRights {
  readonly id: Uuid;
  readonly scopes: ReadonlySet<Scope>;
  /** Null for all boards of the user. */
  readonly boards: ReadonlyMap<BoardKey, Uuid> | null;
}

export function rightsOf({ id, scopes, board_ids }: FoundKey): KeyRights {
  return {
    id,
    scopes: new Set<Scope>(scopes.includes('write') ? ['read', ...scopes] : scopes),
    boards: board_ids && new Map(board_ids.map((id) => [boardKeyOf(id), id])),
  };
}

export function requireScope(key: KeyRights | null, scope: Scope): void {
  if (key !== null && !key.scopes.has(scope)) throw new AppError('forbidden', `The API key lacks the scope "${scope}"`);
}

/** Whether the key is for the board that this id names, or on which the named thing is. */
export function isForBoard(key: KeyRights | null, id: Uuid): boolean {
  return key === null || key.boards === null || key.boards.has(boardKeyOf(id));
}

/** For another board the user of the key counts as no member. */
export function requireBoard(key: KeyRights | null, id: Uuid): void {
  if (!isForBoard(key, id)) throw notMember();
}

/** Whether a superuser has the rights of one in this request. */
export function actsAsSuperuser(user: { readonly is_superuser: boolean }, key: KeyRights | null): boolean {
  return user.is_superuser && (key === null || key.scopes.has('admin'));
}
