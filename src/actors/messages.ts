/** What travels between the I/O thread and a store thread. Everything here is plain data. */
import type { ErrorData } from '../domain/errors.js';
import type { PublicUser } from '../domain/user.js';

/** Something that owns a database file and is asked about it: the directory, or one shard of the boards. */
export type StationName = 'directory';

export interface Ask {
  readonly id: number;
  readonly station: StationName;
  readonly command: unknown;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorData };

export interface Reply {
  readonly id: number;
  readonly outcome: Outcome;
}

/** News of something committed, for whoever keeps a copy. */
export type Notice = { readonly kind: 'user.changed'; readonly user: PublicUser };

export type ToThread =
  | { readonly kind: 'open'; readonly id: number; readonly station: StationName }
  | { readonly kind: 'asks'; readonly asks: readonly Ask[] }
  /** Finishes what is waiting, closes every file and answers `closed`. */
  | { readonly kind: 'close' };

export type FromThread =
  /** Notices come before the replies of the same commits: who reads a reply has already heard the news. */
  | { readonly kind: 'settled'; readonly notices: readonly Notice[]; readonly replies: readonly Reply[] }
  | { readonly kind: 'trouble'; readonly error: unknown }
  | { readonly kind: 'closed' };
