import type { WatchesOnDisk } from '../../../src/domain/board/watching/watchesOnDisk.js';
import type { Watch } from '../../../src/domain/model.js';

/** What users watch on a board without a disk. */
export function memoryWatches(all: () => readonly Watch[]): WatchesOnDisk {
  const placeOf = ({ created_at, target_id }: Watch): string => `${created_at}_${target_id}`;
  return {
    any: () => all().length > 0,
    find: (id) => all().find((watch) => watch.id === id),
    of: (targets) => all().filter(({ target_id }) => targets.includes(target_id)),
    page: (user, before, limit) =>
      all()
        .filter((each) => each.user_id === user && each.is_on && (before === null || placeOf(each) < `${before.created_at}_${before.id}`))
        .sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
        .slice(0, limit),
    idsOf: (user) =>
      all()
        .filter(({ user_id }) => user_id === user)
        .map(({ id }) => id),
    count: () => all().length,
  };
}
