import { partsOf, type ArchiveOnDisk } from '../../../src/domain/board/archive/archiveOnDisk.js';
import type { Archived } from '../../../src/domain/model.js';

/** The archive of a board without a disk. */
export function memoryArchive(all: () => readonly Archived[]): ArchiveOnDisk {
  return {
    find: (id) => all().find((row) => row.id === id),
    holderOf: (id) => all().find((row) => partsOf(row).some((part) => part.id === id)),
    page(kind, before, limit, maxCharacters) {
      const place = (row: Archived): string => `${row.archived_at} ${row.id}`;
      const earlier = all()
        .filter((row) => !row.with_column && (kind === null || row.archived_kind === kind))
        .filter((row) => before === null || place(row) < `${before.created_at} ${before.id}`)
        .sort((a, b) => (place(a) < place(b) ? 1 : -1));
      let characters = 0;
      const fits = earlier.findIndex((row, index) => {
        characters += JSON.stringify(row.content).length;
        return index > 0 && characters > maxCharacters;
      });
      return earlier.slice(0, Math.min(limit, fits < 0 ? earlier.length : fits));
    },
    cardsOf: (column) => all().filter((row) => row.with_column && row.column_id === column),
    index: () => all().map(({ id, archived_kind, column_id }) => ({ id, archived_kind, column_id })),
  };
}
