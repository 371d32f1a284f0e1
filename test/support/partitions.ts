import { Boards, type BoardsOptions } from '../../src/partitions/boards.js';
import { Partitions } from '../../src/partitions/partitions.js';
import type { LocalPartitions } from '../../src/partitions/thread/localPartitions.js';

/** The layers above the threads of one process. `shards`: how many there are. */
export function boardsOf(local: LocalPartitions, cache: BoardsOptions['cache'], shards = 1): Boards {
  const partitions = new Partitions({
    local,
    deliveries: { delivered: async () => undefined },
    isReplicated: false,
    peers: null,
    gate: null,
  });
  return new Boards({ partitions, shards, cache, local });
}
