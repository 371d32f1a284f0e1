/** What of one board is in no board's memory: its handlers read it from the file, in the turn in which they decide. */
import { upToDate, type ArchiveOnDisk } from '../../domain/board/archive/archiveOnDisk.js';
import type { BoardOnDisk } from '../../domain/board/board.js';
import type { CommentsOnDisk } from '../../domain/board/comments/commentsOnDisk.js';
import type { MovesOnDisk } from '../../domain/board/moves/movesOnDisk.js';
import type { TrashOnDisk } from '../../domain/board/trash/trashOnDisk.js';
import type { VersionsOnDisk } from '../../domain/board/versions/versionsOnDisk.js';
import type { WatchesOnDisk } from '../../domain/board/watching/watchesOnDisk.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Archived } from '../../domain/model.js';
import type { EntityTables } from './entityTables.js';
import type { ActivityTable } from './tables/activityTable.js';
import type { ArchiveTable } from './tables/archiveTable.js';
import type { CommentTable } from './tables/commentTable.js';
import type { MoveTable } from './tables/moveTable.js';
import type { TimerTable } from './tables/timerTable.js';
import type { TrashTable } from './tables/trashTable.js';
import type { VersionTable } from './tables/versionTable.js';
import type { WatchTable } from './tables/watchTable.js';

export interface TablesOnDisk {
  /** The table, once the file has what its log has. Before every read: the file may have fallen behind since the last one. */
  current<Table>(table: Table): Table;
  requireCurrent(): void;
  readonly tables: EntityTables;
  readonly activity: ActivityTable;
  readonly archive: ArchiveTable;
  readonly comments: CommentTable;
  readonly moves: MoveTable;
  readonly timers: TimerTable;
  readonly trash: TrashTable;
  readonly versions: VersionTable;
  readonly watches: WatchTable;
}

export function boardOnDisk(key: BoardKey, file: TablesOnDisk): BoardOnDisk {
  return {
    comments: commentsOf(key, file),
    versions: versionsOf(key, file),
    watches: watchesOf(key, file),
    moves: movesOf(key, file),
    archive: archiveOf(key, file),
    activity: file.activity.of(key, () => file.requireCurrent()),
    trash: trashOf(key, file),
  };
}

function commentsOf(key: BoardKey, file: TablesOnDisk): CommentsOnDisk {
  const table = (): CommentTable => file.current(file.comments);
  return {
    find: (id) => file.current(file.tables).find(key, 'comment', id) ?? undefined,
    page: (card, before, limit, maxCharacters) => table().page(key, card, before, limit, maxCharacters),
    byAuthor: (user, limit) => table().byAuthor(key, user, limit),
  };
}

function versionsOf(key: BoardKey, file: TablesOnDisk): VersionsOnDisk {
  return {
    find: (id) => file.current(file.tables).find(key, 'version', id) ?? undefined,
    page: (text, before, limit, maxCharacters) => file.current(file.versions).page(key, text, before, limit, maxCharacters),
  };
}

function watchesOf(key: BoardKey, file: TablesOnDisk): WatchesOnDisk {
  const table = (): WatchTable => file.current(file.watches);
  return {
    any: () => table().any(key),
    find: (id) => file.current(file.tables).find(key, 'watch', id) ?? undefined,
    of: (targets) => table().of(key, targets),
    page: (user, before, limit) => table().page(key, user, before, limit),
    idsOf: (user) => table().idsOf(key, user),
    count: () => table().count(key),
  };
}

function movesOf(key: BoardKey, file: TablesOnDisk): MovesOnDisk {
  return {
    find: (id) => file.current(file.tables).find(key, 'moved', id) ?? undefined,
    leaving: () => file.current(file.moves).leaving(key),
    reminderDue: (card) => file.current(file.timers).reminderDue(key, card),
  };
}

function archiveOf(key: BoardKey, file: TablesOnDisk): ArchiveOnDisk {
  const table = (): ArchiveTable => file.current(file.archive);
  const find = (id: Uuid): Archived | undefined => {
    const row = file.current(file.tables).find(key, 'archived', id);
    return row === null ? undefined : upToDate(row);
  };
  return {
    find,
    holderOf: (id) => {
      const holder = table().holderOf(key, id);
      return holder === undefined ? undefined : find(holder);
    },
    page: (kind, before, limit, maxCharacters) => table().page(key, kind, before, limit, maxCharacters).map(upToDate),
    cardsOf: (column) => table().cardsOf(key, column).map(upToDate),
    index: () => table().index(key),
  };
}

function trashOf(key: BoardKey, file: TablesOnDisk): TrashOnDisk {
  const table = (): TrashTable => file.current(file.trash);
  return {
    find: (id) => file.current(file.tables).find(key, 'trashed', id) ?? undefined,
    holderOf: (id) => table().holderOf(key, id),
    page: (since, before, limit) => table().page(key, since, before, limit),
    rest: (entry, limit) => table().rest(key, entry, limit),
    oldest: (limit) => table().oldest(key, limit),
    totals: () => table().totals(key),
  };
}
