import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import type { Journal } from '../sqlite/journal.js';

export type ShardJournal = Journal<ShardWrite>;
