/**
 * Full boards as they were last sent, kept where requests are served. Whether the caller may see the board, and whether
 * it changed, is asked every time; only its body need not travel, or be encoded, again.
 */
import type { BoardAnswer, BoardsPort } from '../domain/boardsPort.js';
import type { BoardCommand, BoardCommands } from '../domain/commands.js';
import type { Uuid } from '../domain/ids.js';

/** A board of 500 cards takes 300 KB: this holds a few hundred of them. */
const BUDGET_BYTES = 128 * 1024 * 1024;

interface Kept {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

export class CachedBoards implements BoardsPort {
  readonly #boards: BoardsPort;
  readonly #budgetBytes: number;
  /** A map keeps the order of insertion; whoever is used is inserted anew once room gets short. */
  readonly #kept = new Map<Uuid, Kept>();
  #bytes = 0;

  constructor(boards: BoardsPort, budgetBytes = BUDGET_BYTES) {
    this.#boards = boards;
    this.#budgetBytes = budgetBytes;
  }

  ask(command: BoardCommand): Promise<BoardAnswer> {
    return command.op === 'board.get' && !('refused' in command.input)
      ? this.#askForBoard(command, command.input as BoardCommands['board.get'])
      : this.#boards.ask(command);
  }

  async #askForBoard(command: BoardCommand, { known_seq }: BoardCommands['board.get']): Promise<BoardAnswer> {
    const kept = this.#kept.get(command.target);
    const answer = await this.#boards.ask(kept === undefined ? command : { ...command, input: { known_seq: kept.seq } });
    if (!answer.ok || answer.etagSeq === undefined) return answer;
    const { json, etagSeq } = answer;
    // Without a body it is as it was kept, whatever was kept or dropped since; with nothing kept, as the caller has it.
    const current = json === null ? kept : { seq: etagSeq, bytes: Buffer.from(json) };
    if (current === undefined) return answer;
    if (json !== null || this.#mustCountUse()) this.#keep(command.target, current);
    if (etagSeq === known_seq) return { ok: true, json: null, etagSeq };
    return { ok: true, json, etagSeq, bytes: current.bytes };
  }

  /** With half of the room free it makes no difference yet who was used last. */
  #mustCountUse(): boolean {
    return this.#bytes > this.#budgetBytes / 2;
  }

  #keep(id: Uuid, kept: Kept): void {
    this.#drop(id);
    this.#kept.set(id, kept);
    this.#bytes += kept.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(id: Uuid): void {
    this.#bytes -= this.#kept.get(id)?.bytes.length ?? 0;
    this.#kept.delete(id);
  }
}
