import type { Database } from 'better-sqlite3';
import type { DirectoryCommands, UserChanges } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { looksDeleted, toPublicUser, type PublicUser, type User } from '../../../domain/account/user.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

type NewUser = Omit<DirectoryCommands['user.create']['input'], 'invitation'> & { readonly is_verified?: boolean };
type UserSearch = Omit<DirectoryCommands['user.search']['input'], 'with'>;

interface UserRow extends Omit<User, 'is_active' | 'is_verified' | 'is_superuser'> {
  readonly is_active: number;
  readonly is_verified: number;
  readonly is_superuser: number;
}

const FIELDS = {
  id: true,
  email: true,
  username: true,
  hashed_password: true,
  firstname: true,
  lastname: true,
  is_active: true,
  is_verified: true,
  is_superuser: true,
  created_at: true,
  updated_at: true,
  revoked_at: true,
} as const satisfies Record<keyof User, true>;

const COLUMNS = Object.keys(FIELDS).join(', ');

/** The users of the directory. Called within a transaction of the directory. */
export class UserTable {
  readonly #journal: DirectoryJournal;
  readonly #byId;
  readonly #byEmail;
  readonly #byUsername;
  readonly #page;
  readonly #matchingPage;
  readonly #visiblePage;
  readonly #insert;
  readonly #update;
  readonly #remove;
  readonly #keys;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byId = db.prepare<[Uuid], UserRow>(`SELECT ${COLUMNS} FROM user WHERE id = ?`);
    this.#byEmail = db.prepare<[string], UserRow>(`SELECT ${COLUMNS} FROM user WHERE email_key = ?`);
    this.#byUsername = db.prepare<[string], UserRow>(`SELECT ${COLUMNS} FROM user WHERE username_key = ?`);
    this.#page = db.prepare<[number, number], UserRow>(`SELECT ${COLUMNS} FROM user ORDER BY username_key, id LIMIT ? OFFSET ?`);
    // `instr`, because LIKE would need its wildcards escaped and limits the pattern length.
    this.#matchingPage = db.prepare<{ part: string; folded: string; limit: number; offset: number }, UserRow>(
      `SELECT ${COLUMNS} FROM user WHERE instr(username_key, @part) > 0 OR instr(email_key, @part) > 0
         OR (@folded <> @part AND instr(username_key, @folded) > 0)
       ORDER BY username_key, id LIMIT @limit OFFSET @offset`,
    );
    this.#visiblePage = db.prepare<{ user: Uuid; boards: string | null; part: string; folded: string; limit: number; offset: number }, UserRow>(
      `SELECT ${COLUMNS} FROM user
       WHERE (@part = '' OR instr(username_key, @part) > 0 OR instr(email_key, @part) > 0 OR instr(username_key, @folded) > 0)
         AND (id = @user OR email_key = @part OR username_key = @part OR username_key = @folded
           OR id IN (SELECT other.user_id FROM membership AS own JOIN membership AS other ON other.board_id = own.board_id
                     WHERE own.user_id = @user AND own.position IS NOT NULL AND other.position IS NOT NULL
                       AND (@boards IS NULL OR own.board_id IN (SELECT value FROM json_each(@boards)))))
       ORDER BY username_key, id LIMIT @limit OFFSET @offset`,
    );
    this.#insert = prepareWrite<[UserRow & { email_key: string; username_key: string }]>(
      db,
      `INSERT INTO user (${COLUMNS}, email_key, username_key)
       VALUES (@id, @email, @username, @hashed_password, @firstname, @lastname, @is_active, @is_verified,
         @is_superuser, @created_at, @updated_at, @revoked_at, @email_key, @username_key)`,
    );
    this.#update = prepareWrite<[UserRow]>(
      db,
      `UPDATE user SET firstname = @firstname, lastname = @lastname, hashed_password = @hashed_password,
         is_active = @is_active, is_superuser = @is_superuser, is_verified = @is_verified, updated_at = @updated_at,
         revoked_at = @revoked_at
       WHERE id = @id`,
    );
    this.#remove = prepareWrite<[Uuid]>(db, 'DELETE FROM user WHERE id = ?');
    this.#keys = db.prepare<[Uuid], { email_key: string; username_key: string }>('SELECT email_key, username_key FROM user WHERE id = ?');
  }

  create({ now, is_verified = false, ...fields }: NewUser): PublicUser {
    const email_key = foldCase(fields.email);
    const username_key = foldLookAlikes(fields.username);
    if (looksDeleted(email_key, username_key)) throw new AppError('conflict', 'This name is reserved for deleted users');
    if (this.#byEmail.get(email_key)) {
      throw new AppError('conflict', 'A user with this e-mail address is already registered');
    }
    if (this.findByUsername(fields.username)) throw new AppError('conflict', 'This username is already taken');
    // Both name an account at login, so one user's e-mail address cannot be another's username or the reverse.
    if (this.findByUsername(fields.email)) {
      throw new AppError('conflict', 'This e-mail address is the username of another user');
    }
    if (this.findByEmail(fields.username)) {
      throw new AppError('conflict', 'This username is the e-mail address of another user');
    }
    const user: User = { ...fields, is_active: true, is_verified, created_at: now, updated_at: now, revoked_at: null };
    this.insert(user, email_key, username_key);
    return toPublicUser(user);
  }

  insert(user: User, email_key: string, username_key: string): void {
    this.#insert({ ...toRow(user), email_key, username_key });
    this.#journal.note({ op: 'user.insert', user, email_key, username_key });
  }

  replace(user: User): void {
    this.#update(toRow(user));
    this.#journal.note({ op: 'user.update', user });
  }

  remove(id: Uuid): void {
    if (this.#remove(id).changes > 0) this.#journal.note({ op: 'user.remove', id });
  }

  /** What makes e-mail and username unique. */
  keysOf(id: Uuid): { readonly email_key: string | null; readonly username_key: string | null } {
    return this.#keys.get(id) ?? { email_key: null, username_key: null };
  }

  get(id: Uuid): User | null {
    return toUser(this.#byId.get(id));
  }

  /** Throws `not_found`. */
  require(id: Uuid): User {
    const user = this.get(id);
    if (user === null) throw new AppError('not_found', 'User not found');
    return user;
  }

  /** An e-mail address takes precedence over a username that looks like one. */
  findForLogin(login: string): User | null {
    return this.findByEmail(login) ?? this.findByUsername(login);
  }

  /** Users who registered before look-alike names were equal keep their older key, which is tried first. */
  findByUsername(username: string): User | null {
    return toUser(this.#byUsername.get(foldCase(username)) ?? this.#byUsername.get(foldLookAlikes(username)));
  }

  findByEmail(email: string): User | null {
    return toUser(this.#byEmail.get(foldCase(email)));
  }

  /** Whether `create` accepts it as the username of a new user. */
  isFree(username: string): boolean {
    if (looksDeleted('', foldLookAlikes(username))) return false;
    return this.findByUsername(username) === null && this.findByEmail(username) === null;
  }

  /** Whether `create` accepts it as the e-mail address of a new user. */
  isFreeEmail(email: string): boolean {
    if (looksDeleted(foldCase(email), '')) return false;
    return this.findByEmail(email) === null && this.findByUsername(email) === null;
  }

  search({ search, limit, offset, visibleTo, boards }: UserSearch): PublicUser[] {
    const page = { part: foldCase(search ?? ''), folded: foldLookAlikes(search ?? ''), limit, offset };
    const rows =
      visibleTo !== undefined
        ? this.#visiblePage.all({ user: visibleTo, boards: boards === undefined ? null : JSON.stringify(boards), ...page })
        : search === null
          ? this.#page.all(limit, offset)
          : this.#matchingPage.all(page);
    return rows.map((row) => toPublicUser(fromRow(row)));
  }

  update(before: User, changes: UserChanges & Partial<Pick<User, 'revoked_at'>>, now: string): { user: User; changed: boolean } {
    const after = { ...before, ...changes };
    const fields = Object.keys(changes) as (keyof typeof changes)[];
    if (fields.every((field) => before[field] === after[field])) return { user: before, changed: false };
    const user = { ...after, updated_at: now };
    this.replace(user);
    return { user, changed: true };
  }

  /** Tokens without a session that were issued before are invalid. */
  revoke(user: User, at: string): void {
    if (user.revoked_at !== at) this.replace({ ...user, revoked_at: at });
  }
}

/** Composed first, so that both encodings of an accented letter are equal. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Letters that differ only in form are equal too: full-width, ligatures, mathematical letters. */
export function foldLookAlikes(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}

function toRow(user: User): UserRow {
  return {
    ...user,
    is_active: Number(user.is_active),
    is_verified: Number(user.is_verified),
    is_superuser: Number(user.is_superuser),
    // Absent in commits of programs without sessions.
    revoked_at: (user as Partial<User>).revoked_at ?? null,
  };
}

function fromRow(row: UserRow): User {
  return {
    ...row,
    is_active: row.is_active === 1,
    is_verified: row.is_verified === 1,
    is_superuser: row.is_superuser === 1,
  };
}

function toUser(row: UserRow | undefined): User | null {
  return row ? fromRow(row) : null;
}
