/**
 * What the boards owned here answered to those who only looked, given again until the board is heard to have changed.
 * A board tells of a change in the same message as it answers whoever made it, and before; so nobody who may know of a
 * change is given an answer from before it.
 */
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../domain/ids.js';
import type { BoardReply, StationCommand, StationName } from './messages.js';

/** Some 20,000 cards. What was forgotten is asked for again. */
const BUDGET_BYTES = 32 * 1024 * 1024;
/** Full boards are larger, and kept elsewhere, encoded. */
const MOST_CHARACTERS = 16 * 1024;
/** What an answer takes besides its text: the question, and its places in the maps. */
const OVERHEAD_BYTES = 400;

/** What is said in them follows from the board alone. Events are on disk, and files are too large. */
const LOOKING: ReadonlySet<BoardOperation> = new Set<BoardOperation>([
  'board.get',
  'board.summary',
  'member.list',
  'card.get',
  'label.list',
  'label.stats',
  'attachment.begin',
  'attachment.get',
  'rule.list',
]);

interface Remembered {
  readonly station: StationName;
  readonly answers: Map<string, BoardReply>;
  bytes: number;
}

export class RememberedAnswers {
  /** The oldest first: they are the first to go. */
  readonly #boards = new Map<BoardKey, Remembered>();
  #bytes = 0;

  /** The answer, remembered or by asking. */
  async answer(station: StationName, command: StationCommand, ask: () => Promise<unknown>): Promise<unknown> {
    const question = questionIn(command);
    if (question === null) return ask();
    const { key, text } = question;
    const known = this.#boards.get(key)?.answers.get(text);
    if (known !== undefined) return known;
    const board = this.#boardAt(station, key);
    const reply = (await ask()) as BoardReply;
    // Whatever was heard of the board since it was asked has put another in the place of this one, or none.
    if (this.#boards.get(key) === board) this.#remember(board, text, reply);
    return reply;
  }

  /** Something on the board is not as it was. */
  forget(boardId: Uuid): void {
    const key = boardKeyOf(boardId);
    const board = this.#boards.get(key);
    if (board !== undefined) this.#drop(key, board);
  }

  /** Its boards may change unheard from now on. */
  forgetStation(station: StationName): void {
    for (const [key, board] of this.#boards) if (board.station === station) this.#drop(key, board);
  }

  #boardAt(station: StationName, key: BoardKey): Remembered {
    const known = this.#boards.get(key);
    if (known !== undefined) return known;
    const board: Remembered = { station, answers: new Map(), bytes: 0 };
    this.#boards.set(key, board);
    this.#grow(board, OVERHEAD_BYTES);
    return board;
  }

  #remember(board: Remembered, text: string, reply: BoardReply): void {
    const { outcome } = reply;
    if (!outcome.ok || (outcome.json?.length ?? 0) > MOST_CHARACTERS || board.answers.has(text)) return;
    board.answers.set(text, reply);
    this.#grow(board, OVERHEAD_BYTES + 2 * (outcome.json?.length ?? 0));
  }

  #grow(board: Remembered, bytes: number): void {
    board.bytes += bytes;
    this.#bytes += bytes;
    for (const [key, oldest] of this.#boards) {
      if (this.#bytes <= BUDGET_BYTES) return;
      this.#drop(key, oldest);
    }
  }

  #drop(key: BoardKey, board: Remembered): void {
    this.#boards.delete(key);
    this.#bytes -= board.bytes;
  }
}

/** Null for whatever must reach the station. Who asks is part of it: members see a board that others may not. */
function questionIn(command: StationCommand): { readonly key: BoardKey; readonly text: string } | null {
  if (!('kind' in command) || command.kind !== 'board') return null;
  const { op, asker, target, input } = command.command as BoardCommand;
  if (asker === 'system' || !LOOKING.has(op) || 'refused' in input) return null;
  const { known_seq } = input as BoardCommands['board.get'];
  return { key: boardKeyOf(target), text: `${op} ${target} ${asker.user_id} ${asker.role} ${known_seq ?? ''}` };
}
