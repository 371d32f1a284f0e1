import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import type { Journal } from '../transactions/transactions.js';

export type ShardJournal = Journal<ShardWrite>;
