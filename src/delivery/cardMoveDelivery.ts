import type { CardOnItsWay, CopiedFile, StagedCopy } from '../domain/commands/commands.js';
import { keyOfMove } from '../domain/board/moves/movesOnDisk.js';
import { AppError, type ErrorData } from '../domain/errors.js';
import { boardKeyOf, type IdSource, type Uuid } from '../domain/ids.js';
import { MAX_CHUNK_BYTES, textOf, type BoardsPort, type ContentPort } from '../domain/ports/boardsPort.js';
import { uploadLost } from '../domain/refusals.js';
import type { DeliveryKind } from './deliveryKind.js';

export interface CardMoveParts {
  readonly boards: BoardsPort;
  readonly content: ContentPort;
  readonly ids: IdSource;
}

/** Under way together they share a commit; more gain little. */
const CHUNKS_AT_ONCE = 4;

/** A later attempt may succeed. Of anything else the other board says no. */
const PASSING: ReadonlySet<ErrorData['code']> = new Set(['unavailable', 'too_many', 'timeout']);

/** A card to another board: its files first, then all of it in one commit there, then its removal here. */
export function cardMoveDelivery(parts: CardMoveParts): DeliveryKind<'cardMove'> {
  return {
    async *deliver({ payload: { card_id } }) {
      const way = await readWay(parts.boards, card_id);
      if (way === null) return 'delivered';
      const refusal = yield* carry(parts, way);
      const isRefused = refusal !== null && (await refuse(parts.boards, way, refusal));
      await endMove(parts.boards, way, isRefused ? refusal : null);
      return 'delivered';
    },
    latestOnly: false,
    isUrgent: () => false,
    // A step is a few chunks of a file: cards without files wait for few of them.
    parallel: 4,
    patienceMs: 2_000,
    late: { level: 'debug', text: 'a card is still on its way to another board' },
    failed: 'a card could not be moved to another board; trying again',
  };
}

/** Null if it is no longer on its way, or its board is gone: then a restoration of the board begins again. */
async function readWay(boards: BoardsPort, card_id: Uuid): Promise<CardOnItsWay | null> {
  const outcome = await boards.ask({ op: 'move.read', caller: 'system', target: card_id, input: {} });
  if (outcome.ok) return JSON.parse(textOf(outcome) ?? 'null') as CardOnItsWay | null;
  if (outcome.error.code === 'not_found') return null;
  throw AppError.from(outcome.error);
}

/** Returns why the other board refuses the card; null if it has it. Throws if a later attempt may succeed. */
async function* carry(parts: CardMoveParts, way: CardOnItsWay): AsyncGenerator<void, ErrorData | null> {
  const staged: StagedCopy[] = [];
  let isThere = false;
  try {
    const files = way.content.attachments.flatMap(({ id, size, url }): CopiedFile[] => (url === null ? [{ id, size }] : []));
    if (files.length > 0) {
      const begun = await begin(parts.boards, way, files);
      if (begun !== 'welcome') return begun === 'there' ? null : begun;
      for (const file of files) yield* stage(parts, way, file, staged);
    }
    const refusal = await handOver(parts.boards, way, staged);
    isThere = refusal === null;
    return refusal;
  } finally {
    // What a repetition brought besides is dropped in a day.
    if (!isThere) for (const { to } of staged) await parts.content.drop(to).catch(() => undefined);
  }
}

async function begin(boards: BoardsPort, { move }: CardOnItsWay, files: readonly CopiedFile[]): Promise<'there' | 'welcome' | ErrorData> {
  const { new_id: id, target_board_id: target, column_id, moved_by } = move;
  const outcome = await boards.ask({ op: 'move.beginIn', caller: { user_id: moved_by }, target, input: { id, column_id, files } });
  if (outcome.ok) return textOf(outcome) === 'true' ? 'there' : 'welcome';
  return requireFinal(outcome.error);
}

async function* stage({ content, ids }: CardMoveParts, { move }: CardOnItsWay, { id, size }: CopiedFile, staged: StagedCopy[]): AsyncGenerator<void> {
  const to = ids.onBoard(boardKeyOf(move.target_board_id));
  if (!(await content.start(to))) throw uploadLost();
  staged.push({ from: id, to });
  const chunks = Math.ceil(size / MAX_CHUNK_BYTES);
  for (let first = 0; first < chunks; first += CHUNKS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CHUNKS_AT_ONCE, chunks - first) }, (_, index) => first + index);
    const read = async (n: number): Promise<Uint8Array> => content.read(id, n * MAX_CHUNK_BYTES, Math.min((n + 1) * MAX_CHUNK_BYTES, size));
    const bytes = await Promise.all(numbers.map(read));
    await Promise.all(bytes.map(async (each, index) => content.append(to, first + index, each)));
    yield;
  }
}

async function handOver(boards: BoardsPort, { move, content }: CardOnItsWay, files: readonly StagedCopy[]): Promise<ErrorData | null> {
  const { new_id: id, target_board_id: target, column_id, position, moved_by } = move;
  const input = { id, column_id, position, content, files };
  const outcome = await boards.ask({ op: 'move.in', caller: { user_id: moved_by }, target, input, idempotency: keyOfMove(id, move.id) });
  return outcome.ok ? null : requireFinal(outcome.error);
}

function requireFinal(error: ErrorData): ErrorData {
  if (PASSING.has(error.code)) throw AppError.from(error);
  return error;
}

/** Whether the card stays: it may be there all the same, brought by an attempt whose answer was lost. */
async function refuse(boards: BoardsPort, { move }: CardOnItsWay, refusal: ErrorData): Promise<boolean> {
  const outcome = await boards.ask({ op: 'move.refuse', caller: 'system', target: move.target_board_id, input: { move, refusal } });
  if (outcome.ok) return textOf(outcome) === 'true';
  // There is no such board.
  if (outcome.error.code === 'not_found') return true;
  throw AppError.from(outcome.error);
}

async function endMove(boards: BoardsPort, { move: { id: target, new_id } }: CardOnItsWay, refusal: ErrorData | null): Promise<void> {
  const outcome = await boards.ask({ op: 'move.end', caller: 'system', target, input: { new_id, refusal } });
  if (!outcome.ok && outcome.error.code !== 'not_found') throw AppError.from(outcome.error);
}
