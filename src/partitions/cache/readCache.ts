/** What the I/O thread keeps of boards, within its share of `BOARD_MEMORY_BYTES`. */
import type { Metric } from '../../metrics/prometheus.js';
import { AnswerCache } from './answerCache.js';
import { BodyCache } from './bodyCache.js';

/** Of the memory for boards; the rest is for the boards themselves. */
const CACHE_SHARE = 1 / 4;
/** Of the cache: full boards are large, and answers small. Boards in lists have as much as other answers. */
const ANSWERS_SHARE = 1 / 5;

/** How much of `BOARD_MEMORY_BYTES` the boards of all shards may take. */
export function shardMemory(boardMemoryBytes: number): number {
  return boardMemoryBytes * (1 - CACHE_SHARE);
}

export class ReadCache {
  /** Small answers of the boards owned here. */
  readonly answers: AnswerCache;
  /** Full boards, wherever they are owned. */
  readonly bodies: BodyCache;

  constructor(boardMemoryBytes: number) {
    const bytes = boardMemoryBytes * CACHE_SHARE;
    this.answers = new AnswerCache(bytes * ANSWERS_SHARE);
    this.bodies = new BodyCache(bytes * (1 - 2 * ANSWERS_SHARE));
  }

  metrics(): Metric[] {
    return [
      {
        kind: 'gauge',
        name: 'switchboard_read_cache_bytes',
        help: 'Estimated memory of the read cache: small answers, boards in lists, and full boards as bytes.',
        samples: [
          { labels: { part: 'answers' }, value: this.answers.bytes },
          { labels: { part: 'lists' }, value: this.answers.summaries.bytes },
          { labels: { part: 'boards' }, value: this.bodies.bytes },
        ],
      },
    ];
  }
}
