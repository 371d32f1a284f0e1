/**
 * Caches read-only answers of locally owned boards until the board reports a change. The notice of a change precedes
 * the reply to its caller in the same message, so a client that may know of a change never gets an older answer.
 */
import type { Answer } from '../../domain/answer.js';
import { bodyOf } from '../../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../../domain/commands/commands.js';
import { HANDLERS } from '../../domain/commands/table.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import type { BoardReply, PartitionName } from '../messages.js';
import { SummaryCache } from './summaryCache.js';

const MAX_CHARACTERS = 16 * 1024;
/** Memory of an answer besides its text: the question and the map entries. */
const OVERHEAD_BYTES = 400;
/** After this time the board is asked again; otherwise it would count as idle and sleep while it is in use. */
const LIFETIME_MS = 1_000;

interface CachedAnswers {
  readonly partition: PartitionName;
  readonly answers: Map<string, BoardReply>;
  readonly endsAt: number;
  bytes: number;
}

interface Question {
  readonly key: BoardKey;
  readonly text: string;
  /** Longer answers are not cached. */
  readonly maxCharacters: number;
}

export class AnswerCache {
  /** The oldest first; they are evicted first. */
  readonly #boards = new Map<BoardKey, CachedAnswers>();
  readonly #budgetBytes: number;
  readonly #now: () => number;
  /** Of boards in lists, with a budget of the same size. */
  readonly summaries: SummaryCache;
  #bytes = 0;

  /** `now` in milliseconds, from a clock that is never set. */
  constructor(budgetBytes: number, now: () => number = () => performance.now()) {
    this.#budgetBytes = budgetBytes;
    this.#now = now;
    this.summaries = new SummaryCache(budgetBytes, now);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Answers from the cache, or asks and caches the answer. For commands without an idempotency key. */
  answer(partition: PartitionName, command: BoardCommand, ask: () => Promise<unknown>): Answer<unknown> {
    if (command.op === 'board.summary') return this.summaries.answer(partition, command, ask);
    const question = questionIn(command);
    if (question === null) return ask();
    const board = this.#boardOf(partition, question.key);
    const known = board.answers.get(question.text);
    return known ?? this.#askFor(question, board, ask);
  }

  /** The board has changed. */
  forget(boardId: Uuid): void {
    const key = boardKeyOf(boardId);
    this.summaries.forget(key);
    const board = this.#boards.get(key);
    if (board !== undefined) this.#drop(key, board);
  }

  /** The partition is about to get another owner, whose changes are not reported here. */
  forgetPartition(partition: PartitionName): void {
    this.summaries.forgetPartition(partition);
    for (const [key, board] of this.#boards) if (board.partition === partition) this.#drop(key, board);
  }

  async #askFor(question: Question, board: CachedAnswers, ask: () => Promise<unknown>): Promise<unknown> {
    const { key } = question;
    // A change reported during the ask drops or replaces this entry.
    const isCurrent = (): boolean => this.#boards.get(key) === board;
    try {
      const reply = (await ask()) as BoardReply;
      if (isCurrent()) this.#keep(question, board, reply);
      return reply;
    } finally {
      // Otherwise requests for missing boards would evict cached ones.
      if (board.answers.size === 0 && isCurrent()) this.#drop(key, board);
    }
  }

  #boardOf(partition: PartitionName, key: BoardKey): CachedAnswers {
    const known = this.#boards.get(key);
    if (known !== undefined && this.#now() < known.endsAt) return known;
    if (known !== undefined) this.#drop(key, known);
    const board: CachedAnswers = { partition, answers: new Map(), endsAt: this.#now() + LIFETIME_MS, bytes: 0 };
    this.#boards.set(key, board);
    this.#grow(board, OVERHEAD_BYTES);
    return board;
  }

  #keep({ text, maxCharacters }: Question, board: CachedAnswers, reply: BoardReply): void {
    const { outcome } = reply;
    if (!outcome.ok || board.answers.has(text)) return;
    const characters = bodyOf(outcome)?.length ?? 0;
    if (characters > maxCharacters) return;
    board.answers.set(text, reply);
    this.#grow(board, OVERHEAD_BYTES + 2 * characters);
  }

  #grow(board: CachedAnswers, bytes: number): void {
    board.bytes += bytes;
    this.#bytes += bytes;
    for (const [key, oldest] of this.#boards) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#drop(key, oldest);
    }
  }

  #drop(key: BoardKey, board: CachedAnswers): void {
    this.#boards.delete(key);
    this.#bytes -= board.bytes;
  }
}

/**
 * Null for an ask that must reach the partition. The caller is part of the question: members see a board that others may
 * not. Of the input only `known` is: the type of `cacheable` allows no other.
 */
function questionIn({ op, caller, target, input }: BoardCommand): Question | null {
  if (caller === 'system' || !isCacheable(op) || 'refused' in input) return null;
  const { known = [] } = input as BoardCommands['board.get'];
  return {
    key: boardKeyOf(target),
    text: `${op} ${target} ${caller.user_id} ${known.join()}`,
    // `BodyCache` keeps whole boards, encoded; here only "unchanged since `known`" is cached.
    maxCharacters: op === 'board.get' ? 0 : MAX_CHARACTERS,
  };
}

function isCacheable(op: BoardOperation): boolean {
  const handler = HANDLERS[op];
  return handler.effect === 'read' && handler.cacheable;
}
