/**
 * The service as a next version: it has one additional board operation, `POST /cards/{card_id}/shout`. It changes the
 * tables of the program in memory, so it must run with SHARD_THREADS=0: a thread would load its own tables.
 */
import { Card } from '../../../src/api/schemas/resources.js';
import { boardOperation } from '../../../src/api/operation/boardOperation.js';
import { operations } from '../../../src/api/operations/table.js';
import type { BoardOperation } from '../../../src/domain/commands/commands.js';
import { HANDLERS } from '../../../src/domain/commands/table.js';
import type { Operation } from '../../../src/api/operation/operation.js';

/** This version does not have the operation. */
const SHOUT = 'card.shout' as BoardOperation;

Object.assign(HANDLERS, {
  [SHOUT]: {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft: Parameters<(typeof HANDLERS)['card.update']['run']>[0], card: never) => {
      const { title } = card as { title: string };
      return HANDLERS['card.update'].run(draft, card, { title: title.toUpperCase() });
    },
  },
});
(operations as Operation[]).push(
  boardOperation({
    op: SHOUT,
    method: 'POST',
    path: '/cards/{card_id}/shout',
    tag: 'Cards',
    summary: 'Write the title of a card in capitals',
    success: { status: 200, description: 'The card', schema: Card },
  }),
);

await import('../../../src/main.js');
