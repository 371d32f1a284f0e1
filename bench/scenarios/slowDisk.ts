/** Creates where a flush takes time: whether commits of many boards share a flush as those of one board do. */
import { slowDisk } from '../processes/slowDisk.js';
import { Account } from './account.js';
import { createLane, insertLane, type Writer } from './creates.js';
import type { Group } from './scenario.js';

/** Of a common SSD without a battery-backed cache. */
const FLUSH_MS = 2;
const BOARDS = [1, 64];
/** A 99th percentile needs hundreds of creates, also of a contestant that makes one a flush. */
const LEAST_SECONDS = 1;

export const slowFlushes: Group = {
  name: 'slowdisk',
  summary: `create cards on 1 and 64 boards where every flush takes ${FLUSH_MS} ms`,
  async prepare(stage) {
    const disk = await slowDisk(FLUSH_MS);
    if ('missing' in disk) {
      stage.note(`no scenarios with a slow disk: ${disk.missing}`);
      return [];
    }
    stage.onClear(() => disk.remove());
    const [limit, service, fastify] = await Promise.all([
      stage.start('limit', disk.settings),
      stage.start('switchboard', disk.settings),
      stage.start('fastify', disk.settings),
    ]);
    const ours: Writer = { contestant: service, account: await Account.open(service.url) };
    const theirs: Writer = { contestant: fastify, account: await Account.open(fastify.url) };
    const load = stage.load('http');
    const creating = BOARDS.flatMap((boards) => [ours, theirs].map((writer) => createLane(writer, load, boards)));
    return [
      {
        name: 'create',
        title: `create card, flushes of ${FLUSH_MS} ms`,
        operation: 'card',
        note: 'A flush only waits, in every contestant. Every round begins with empty boards.',
        speedBy: 'rate',
        leastSeconds: LEAST_SECONDS,
        lanes: [await insertLane(limit, ours, load), ...creating],
      },
    ];
  },
};
