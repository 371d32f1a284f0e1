/** What a client with pending changes must show, by the domain's own code. */
import type { FullBoard } from '../../src/client/index.js';
import { BoardState, type LoadedBoard } from '../../src/domain/board/board.js';
import { decide } from '../../src/domain/commands/decide.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { BOARD_ID } from '../domain/scenario.js';
import { domainCommand, type CallBody, type CallPath } from './domainCommands.js';
import type { RandomChange } from './randomChanges.js';

/** Later than any time of the tests. */
const NOW = '2050-01-01T00:00:00.000Z';
/** Clients do not predict these. The order of lists shows the ranks. */
const UNPREDICTED = ['number', 'comment_count', 'text_version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'rank'];

export interface ExpectedChange {
  readonly change: RandomChange;
  /** The id of what it creates. */
  readonly id: string;
}

/** The board after these changes, as far as each of them is possible; rules do not run. */
export function expectedBoard(at: LoadedBoard, changes: readonly ExpectedChange[]): unknown {
  const board = BoardState.load({ ...at, entities: { ...at.entities, rule: [] } });
  for (const { change, id } of changes) {
    if (isOn(board, id)) continue;
    const [path, body = {}] = change.args as unknown as [CallPath, CallBody?];
    const command = domainCommand(change.name, path, body);
    const context = { now: NOW, limits: DEFAULT_LIMITS, newId: () => id };
    const { changes: effects, seq } = decide(board, { ...command, caller: 'system' }, context);
    board.apply(effects, seq);
  }
  const record = board.get('board', BOARD_ID);
  if (record === undefined) throw new Error('the board has no record');
  return essence(JSON.parse(board.render.fullBoard(record)) as FullBoard);
}

/** The board without the fields that are not predicted. Of the time at which a card was completed only that there is one. */
export function essence(board: FullBoard): unknown {
  return JSON.parse(
    JSON.stringify(board, (key, value: unknown) => {
      if (UNPREDICTED.includes(key)) return undefined;
      return key === 'completed_at' ? value !== null : value;
    }),
  );
}

function isOn(board: BoardState, id: string): boolean {
  return (['column', 'card', 'label', 'checklist', 'item', 'attachment'] as const).some((kind) => board.get(kind, id) !== undefined);
}
