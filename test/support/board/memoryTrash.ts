import { addTotals, NOTHING_TRASHED, partsOfContent, type TrashOnDisk } from '../../../src/domain/board/trash/trashOnDisk.js';
import type { Trashed, TrashTotals } from '../../../src/domain/model.js';

/** The trash of a board without a disk. */
export function memoryTrash(all: () => readonly Trashed[]): TrashOnDisk {
  const place = ({ created_at, id }: Pick<Trashed, 'created_at' | 'id'>): string => `${created_at} ${id}`;
  const age = ({ created_at, entry_id, part }: Trashed): string => `${created_at} ${entry_id} ${String(part).padStart(9, '0')}`;
  return {
    find: (id) => all().find((row) => row.id === id),
    holderOf: (id) => all().find(({ content }) => partsOfContent(content).some((part) => part.id === id))?.id,
    page: (since, before, limit) =>
      all()
        .filter((row) => row.part === 0 && row.created_at >= since && (before === null || place(row) < place(before)))
        .sort((a, b) => (place(a) < place(b) ? 1 : -1))
        .slice(0, limit),
    rest: (entry, limit) =>
      all()
        .filter((row) => row.entry_id === entry && row.part > 0)
        .sort((a, b) => b.part - a.part)
        .slice(0, limit),
    oldest: (limit) => [...all()].sort((a, b) => (age(a) < age(b) ? -1 : 1)).slice(0, limit),
    totals: () => all().reduce((sum: TrashTotals, row) => addTotals(sum, row, 1), NOTHING_TRASHED),
  };
}
