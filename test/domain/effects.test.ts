import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { BoardOperation } from '../../src/domain/commands/commands.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import { everyCard } from '../../src/domain/board/view.js';
import { DEFAULT_LIMITS, sizeAsLimits } from '../support/board/boardLimits.js';
import { crowdedBoard } from './fullBoard.js';
import { PLANNED, play, steps } from './randomCommands.js';
import { ann, BOARD_ID, idleRule, Scenario, type Result } from './scenario.js';
import type { WireEvent } from './wire.js';

const ALL = Object.keys(HANDLERS) as BoardOperation[];
const isMove = (op: BoardOperation): boolean => op.startsWith('move.');
/**
 * What random commands leave out. `board.create` and `board.import` make a board, `board.delete` ends the series, and `board.restore` is for what
 * it leaves. A move of a card needs two boards: see `moves.test.ts`.
 */
const UNPLANNED = ['board.create', 'board.delete', 'board.import', 'board.restore', 'member.erase', 'member.refresh', ...ALL.filter(isMove)];

/** With versions of texts, shorter ones last: few random commands edit a comment that is there. */
function crowded(): Scenario {
  const scenario = Scenario.loaded(crowdedBoard({ columns: 3, cards: 6, items: 4 }));
  const [card] = everyCard(scenario.state);
  assert.ok(card !== undefined);
  const comment = scenario.must(ann, 'comment.create', card.id, { body: 'what it said first' });
  scenario.must(ann, 'comment.update', comment.id, { body: 'later' });
  for (const description of ['what it said first', 'later']) scenario.must(ann, 'card.update', card.id, { description });
  return scenario;
}

function isSilent({ decision: { changes, events } }: Result): boolean {
  return changes.length === 0 && events.length === 0;
}

interface Effects {
  readonly changing: ReadonlySet<BoardOperation>;
  /** Whose changes are in the activity. */
  readonly recorded: ReadonlySet<BoardOperation>;
}

let observed: Effects | null = null;

/** Of random commands, each read and each idempotent operation judged. Played once for two tests. */
function effects(): Effects {
  if (observed !== null) return observed;
  const [changing, recorded] = [new Set<BoardOperation>(), new Set<BoardOperation>()];
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = crowded();
      for (const [n, step] of series.entries()) {
        const { effect } = HANDLERS[step.op];
        const result = play(scenario, step, n);
        if (effect === 'read') assert.ok(isSilent(result), step.op);
        if (effect === 'idempotent') assert.ok(isSilent(play(scenario, step, n)), step.op);
        if (!isSilent(result)) changing.add(step.op);
        if ((result.decision.activity?.facts.length ?? 0) > 0) recorded.add(step.op);
      }
    }),
    { numRuns: 700, seed: 20_261_115 },
  );
  observed = { changing, recorded };
  return observed;
}

t.test('EFFECT1 on any board, a read changes nothing, and an idempotent operation nothing the second time', async (t) => {
  const { changing } = effects();
  const declared = PLANNED.filter((op) => HANDLERS[op].effect !== 'read');
  t.strictSame([...changing].sort(), declared.sort(), 'every operation that is declared as a write changes something');
});

t.test('EFFECT1 the random commands cover every other operation', async (t) => {
  t.strictSame(ALL.filter((op) => !PLANNED.some((planned) => planned === op)).sort(), UNPLANNED.sort());
  for (const op of ['board.create', 'board.delete', 'board.import'] as const) t.equal(HANDLERS[op].effect, 'write', op);
});

/** Changes that the activity of a board leaves out. */
const UNRECORDED: { readonly [Op in BoardOperation]?: string } = {
  'board.create': 'the activity begins with it',
  'board.import': 'the activity begins with it',
  'board.delete': 'nobody reads it any more',
  'board.restore': 'the board is as it was',
  'board.star': 'concerns its user alone',
  'board.unstar': 'concerns its user alone',
  'watch.board': 'concerns its user alone',
  'watch.column': 'concerns its user alone',
  'watch.card': 'concerns its user alone',
  'watch.endBoard': 'concerns its user alone',
  'watch.endColumn': 'concerns its user alone',
  'watch.endCard': 'concerns its user alone',
  'trash.delete': 'its deletion is recorded, and nothing of it may be left',
  'version.deleteOfCard': 'the text of the card stays, and nothing of the version may be left',
  'version.deleteOfComment': 'the text of the comment stays, and nothing of the version may be left',
  'member.refresh': 'the profile is that of the account',
  'member.erase': 'nothing may name a deleted user',
  'move.out': 'the card is there until the other board has it',
  'move.refuse': 'the card never was there',
};
/** By a test of their own: MOVE1. */
const RECORDED_ON_MOVES: readonly BoardOperation[] = ['move.in', 'move.end'];

t.test('ACTIVITY1 every operation that changes what others see of a board is recorded', async (t) => {
  const { recorded } = effects();
  const expected = ALL.filter((op) => HANDLERS[op].effect !== 'read' && !Object.hasOwn(UNRECORDED, op) && !RECORDED_ON_MOVES.includes(op));
  t.strictSame([...recorded].sort(), expected.sort());
});

t.test('EFFECT1 a profile that is delivered twice changes the board once', async (t) => {
  t.equal(HANDLERS['member.refresh'].effect, 'idempotent');
  const scenario = Scenario.withBoard();
  const refresh = (): Result => scenario.askAs('system', 'member.refresh', BOARD_ID, { user: { ...ann, firstname: 'Anna' } });
  t.strictSame([isSilent(refresh()), isSilent(refresh())], [false, true]);
});

t.test('QUOTA6 the limits of a full board refuse only operations that are declared to grow it', async (t) => {
  const refused = new Set<BoardOperation>();
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = crowded();
      for (const [n, step] of series.entries()) {
        scenario.limits = sizeAsLimits(scenario.state.size);
        const { error } = play(scenario, step, n);
        if (error?.code === 'limit') refused.add(step.op);
        scenario.limits = DEFAULT_LIMITS;
        if (error?.code === 'limit') play(scenario, step, n);
      }
    }),
    { numRuns: 200, seed: 20_261_115 },
  );
  // A read, but it refuses an upload that has no room.
  for (const op of ['attachment.begin', 'commentFile.begin'] as const) refused.delete(op);
  // The same for the files of a copy.
  refused.delete('card.beginCopy');
  // Refused if the other checklist is full, which takes more items than random commands create.
  refused.add('item.move');
  // Refused if a label or member of the restored cards has a longer name since.
  for (const op of ['card.restore', 'column.restore'] as const) refused.add(op);
  t.strictSame([...refused].sort(), PLANNED.filter(isGrowing).sort());
});

t.test('answers and events list the kinds that are declared', async (t) => {
  const found = new Map<BoardOperation, Set<string>>(PLANNED.map((op) => [op, new Set()]));
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = crowded();
      scenario.must(ann, 'rule.create', BOARD_ID, idleRule);
      for (const [n, step] of series.entries()) {
        const { body, events } = play(scenario, step, n);
        // A page of the archive has a bound of its own.
        if (step.op === 'archive.list') continue;
        // A change of one column can give others a new rank, with an event for each.
        const isOther = ({ data }: WireEvent): boolean => body?.['cards'] !== undefined && data.id !== body.id;
        for (const shown of [body, ...events.filter((event) => !isOther(event)).map(({ data }) => data)]) {
          for (const kind of kindsListedIn(shown)) found.get(step.op)?.add(kind);
        }
        const isLarge = kindsListedIn(body).includes('card');
        if (isLarge) assert.ok(HANDLERS[step.op].lists?.isAnswerLarge, step.op);
      }
    }),
    { numRuns: 200, seed: 20_261_115 },
  );
  // Its operations show what each of them declares, within a bound of its own.
  found.delete('board.batch');
  // They bound the cards of a column themselves, too.
  found.delete('board.undo');
  found.delete('trash.restore');
  for (const [op, kinds] of found) t.strictSame([...kinds].sort(), [...(HANDLERS[op].lists?.kinds ?? [])].sort(), op);
});

/** A card shows labels and members too, but only its own. */
function kindsListedIn(shown: unknown): string[] {
  if (typeof shown !== 'object' || shown === null || 'column_id' in shown) return [];
  if (Array.isArray(shown)) return shown.slice(0, 1).flatMap(kindOf);
  const { labels, members, columns, cards } = shown as Record<string, unknown>;
  const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
  const hasCards = isFilled(cards) || (Array.isArray(columns) && columns.some((column) => isFilled(column.cards)));
  return [isFilled(labels) ? 'label' : [], isFilled(members) ? 'member' : [], hasCards ? 'card' : []].flat();
}

/** Of a record in a list. The statistics of a label are not the label. */
function kindOf(record: object): string[] {
  if ('trigger_type' in record) return ['rule'];
  if ('role' in record) return ['member'];
  return 'color' in record && !('card_count' in record) ? ['label'] : [];
}

function isGrowing(op: BoardOperation): boolean {
  const handler = HANDLERS[op];
  return handler.effect === 'write' && handler.grows;
}
