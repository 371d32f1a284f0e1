import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { BoardOperation } from '../../src/domain/commands/commands.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import { crowdedBoard } from './crowdedBoard.js';
import { PLANNED, play, steps } from './randomCommands.js';
import { ann, BOARD_ID, Scenario, type Result } from './scenario.js';

const ALL = Object.keys(HANDLERS) as BoardOperation[];
/** What random commands leave out. `board.create` and `board.import` make a board, `board.delete` ends the series. */
const UNPLANNED = ['board.create', 'board.delete', 'board.import', 'member.refresh'];

function isSilent({ decision: { changes, events } }: Result): boolean {
  return changes.length === 0 && events.length === 0;
}

t.test('EFFECT1 on any board, a read changes nothing, and an idempotent operation nothing the second time', async (t) => {
  const changing = new Set<BoardOperation>();
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = Scenario.loaded(crowdedBoard({ columns: 3, cards: 6, items: 4 }));
      for (const [n, step] of series.entries()) {
        const { effect } = HANDLERS[step.op];
        const result = play(scenario, step, n);
        if (effect === 'read') assert.ok(isSilent(result), step.op);
        if (effect === 'idempotent') assert.ok(isSilent(play(scenario, step, n)), step.op);
        if (!isSilent(result)) changing.add(step.op);
      }
    }),
    { numRuns: 500, seed: 20_261_115 },
  );
  const declared = PLANNED.filter((op) => HANDLERS[op].effect !== 'read');
  t.strictSame([...changing].sort(), declared.sort(), 'every operation that is declared as a write changes something');
});

t.test('EFFECT1 the random commands cover every other operation', async (t) => {
  t.strictSame(ALL.filter((op) => !PLANNED.some((planned) => planned === op)).sort(), UNPLANNED);
  for (const op of ['board.create', 'board.delete', 'board.import'] as const) t.equal(HANDLERS[op].effect, 'write', op);
});

t.test('EFFECT1 a profile that is delivered twice changes the board once', async (t) => {
  t.equal(HANDLERS['member.refresh'].effect, 'idempotent');
  const scenario = Scenario.withBoard();
  const refresh = (): Result => scenario.askAs('system', 'member.refresh', BOARD_ID, { user: { ...ann, firstname: 'Anna' } });
  t.strictSame([isSilent(refresh()), isSilent(refresh())], [false, true]);
});
