import { versionId, type VersionsOnDisk } from '../../../src/domain/board/versions/versionsOnDisk.js';
import type { Version } from '../../../src/domain/model.js';

/** Versions of the texts of a board without a disk. */
export function memoryVersions(all: () => readonly Version[]): VersionsOnDisk {
  return {
    find: (id) => all().find((version) => version.id === id),
    page(text, before, limit, maxCharacters) {
      const [from, to] = [versionId(text, 0), versionId(text, before)];
      const older = all()
        .filter(({ id }) => id >= from && id < to)
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      let characters = 0;
      const fits = older.findIndex((version, index) => (characters += version.text?.length ?? 0) > maxCharacters && index > 0);
      return older.slice(0, fits < 0 ? limit : Math.min(fits, limit));
    },
  };
}
