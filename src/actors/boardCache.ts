/**
 * Full boards as they were last sent, kept where requests are served. Whether the caller may see the board, and whether
 * it changed, is asked every time; only its body need not travel, or be encoded, again.
 */
import { bodyOf, type BoardAnswer, type BoardsPort } from '../domain/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands.js';
import type { Uuid } from '../domain/ids.js';
import { FairLanes } from './fairLanes.js';

/** A board of 500 cards takes 300 KB: this holds a few hundred of them. */
const BUDGET_BYTES = 128 * 1024 * 1024;

interface Kept {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A board whose body is larger than this is only asked for in turn. */
const LARGE_BYTES = 512 * 1024;
/**
 * Answers of these may be of several megabytes, and each is made anew. A few are under way at once, so that a crowd of
 * requests does not become a crowd of bodies in memory; those for a board that is kept are told so, and are over at
 * once.
 */
const LARGE_READS: ReadonlySet<BoardOperation> = new Set(['board.get', 'board.export', 'board.events']);
const MAX_LARGE_READS = 8;
const MAX_LARGE_READS_EACH = 2;

export class CachedBoards implements BoardsPort {
  readonly #boards: BoardsPort;
  readonly #budgetBytes: number;
  readonly #largeReads = new FairLanes(MAX_LARGE_READS, MAX_LARGE_READS_EACH);
  /** A map keeps the order of insertion; whoever is used is inserted anew once room gets short. */
  readonly #kept = new Map<Uuid, Kept>();
  #bytes = 0;

  constructor(boards: BoardsPort, budgetBytes = BUDGET_BYTES) {
    this.#boards = boards;
    this.#budgetBytes = budgetBytes;
  }

  ask(command: BoardCommand): Promise<BoardAnswer> {
    const { op, asker, input } = command;
    if (!LARGE_READS.has(op) || asker === 'system' || 'refused' in input) return this.#boards.ask(command);
    if (op !== 'board.get') return this.#largeReads.run(asker.user_id, () => this.#boards.ask(command));
    const ask = (): Promise<BoardAnswer> => this.#askForBoard(command, input as BoardCommands['board.get']);
    return this.#isSmall(command.target) ? ask() : this.#largeReads.run(asker.user_id, ask);
  }

  /** Of a board that is not kept nothing is known: it may be large. */
  #isSmall(id: Uuid): boolean {
    const kept = this.#kept.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  async #askForBoard(command: BoardCommand, { known_seq }: BoardCommands['board.get']): Promise<BoardAnswer> {
    const kept = this.#kept.get(command.target);
    const answer = await this.#boards.ask(kept === undefined ? command : { ...command, input: { known_seq: kept.seq } });
    if (!answer.ok || answer.etagSeq === undefined) return answer;
    const { etagSeq } = answer;
    const body = bodyOf(answer);
    // Without a body it is as it was kept, whatever was kept or dropped since; with nothing kept, as the caller has it.
    const current = body === null ? kept : { seq: etagSeq, bytes: typeof body === 'string' ? Buffer.from(body) : body };
    if (current === undefined) return answer;
    if (body !== null || this.#mustCountUse()) this.#keep(command.target, current);
    if (etagSeq === known_seq) return { ok: true, json: null, etagSeq };
    return { ok: true, json: null, etagSeq, bytes: current.bytes };
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
