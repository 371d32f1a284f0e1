/** What handlers of the directory read and write: a port, with the file behind it in the service. */
import type { AuditPosition } from '../audit.js';
import type { DeletedBoard, DirectoryCommands } from '../commands/directoryCommands.js';
import type { AnswerToKeep, KeptAnswer } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { Page } from '../table.js';
import type { DirectoryRowTypes, TableName, TableWrite, UserRow } from './tables.js';

export type UserSearch = Omit<DirectoryCommands['user.search']['input'], 'with'>;
export type AuditSearch = DirectoryCommands['audit.list']['input'];
export type NotificationSearch = DirectoryCommands['notification.list']['input'];
export type AuditShareOf = AuditPosition & Pick<DirectoryRowTypes['audit'], 'user_id' | 'kind'>;

/** Reads see the writes before them. What a refused command has written is undone. */
export interface DirectoryRows {
  /** A row with these values, or null. */
  get<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): DirectoryRowTypes[Name] | null;
  list<Name extends TableName>(
    table: Name,
    where: Partial<DirectoryRowTypes[Name]>,
    page: Page<DirectoryRowTypes[Name]>,
  ): Array<DirectoryRowTypes[Name]>;
  count<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): number;
  /**
   * Takes effect at once, and is part of the commit if it changed something. Refused with `unavailable` while a program that
   * does not know the write must be able to read the commits.
   */
  write(write: TableWrite): void;
  readonly answers: KeptAnswers;

  /** By username. `keys` are the folded forms of the search. */
  searchUsers(search: UserSearch, keys: { readonly part: string; readonly folded: string }): UserRow[];
  /** Whether a user is a superuser now, active or not. */
  hasSuperuser(): boolean;
  /** Whether the two are on a common board; with `boards`, on one of these. */
  sharesBoard(user: Uuid, other: Uuid, boards?: readonly Uuid[]): boolean;
  /** Memberships of the user, in order of joining. */
  boardsAmong(user: Uuid, boards: readonly Uuid[]): Uuid[];
  /** Boards that the user reserved before this time and that have no member. */
  unmadeBoards(user: Uuid, before: string): Uuid[];
  /** The latest first. */
  auditPage(search: AuditSearch): Array<DirectoryRowTypes['audit']>;
  auditShares(): Iterable<AuditShareOf>;
  /** The latest first. */
  notificationPage(search: NotificationSearch): Array<DirectoryRowTypes['notification']>;
  /** The latest first. */
  trashPage(search: DirectoryCommands['trash.list']['input']): DeletedBoard[];
  /** Of an entry of the outbox, also if it is gone; 0 if there was none. */
  latestPendingId(): number;
  stats(): DirectoryCommands['stats']['output'];
}

/** The kept answers of requests with a key. */
export interface KeptAnswers {
  /** Null if there is none, or if it is too old. */
  find(scope: string, key: string, now: string): KeptAnswer | null;
  /** Replaces an answer that is too old, and removes the oldest of the same scope if there are too many. */
  keep(answer: AnswerToKeep, at: string): void;
  /** At most `limit`. */
  removeOlderThan(at: string, limit: number): void;
  /** The user's own answers and those that show the user. */
  removeAbout(userId: Uuid): void;
}
