/** A card on its way to another board, whatever step of its deliveries fails and however two deliveries of it overlap. */
import fc from 'fast-check';
import t from 'tap';
import { cardMoveDelivery } from '../../src/delivery/cardMoveDelivery.js';
import type { DeliveryOutcome } from '../../src/delivery/deliveryKind.js';
import type { BoardCommand, BoardOperation } from '../../src/domain/commands/commands.js';
import { AppError } from '../../src/domain/errors.js';
import { IdSource, type Uuid } from '../../src/domain/ids.js';
import { MAX_CHUNK_BYTES, type BoardAnswer, type ContentPort } from '../../src/domain/ports/boardsPort.js';
import type { EntryOf } from '../../src/partitions/messages.js';
import { ann, BOARD_ID, Scenario } from '../domain/scenario.js';

/** `before`: nothing was done. `after`: it was done, and the answer is lost. */
type Failure = 'before' | 'after' | null;

const FILE = 'b0a2db0a-2d00-4000-8000-f00000000001';
const SIZE = 9 * MAX_CHUNK_BYTES + 5;
const NEW_ID = 'b0a2db0a-2d00-4000-8000-e00000000001';
const AT_SOURCE: ReadonlySet<BoardOperation> = new Set(['move.read', 'move.end']);

/** Two boards of one key: their commands tell them apart. */
class TwoBoards {
  readonly source = Scenario.withBoard();
  readonly target = Scenario.withBoard();
  readonly card: Uuid;
  readonly inbox: Uuid;
  /** What is staged and not dropped, by id. */
  readonly staged = new Map<Uuid, number>();
  readonly #failures: Iterator<Failure>;
  readonly #pause: () => Promise<void>;

  constructor(failures: readonly Failure[], pause: () => Promise<void> = async () => undefined) {
    this.#failures = failures[Symbol.iterator]();
    this.#pause = pause;
    this.card = this.source.addCard(this.source.addColumn('To do'), 'Moving');
    this.source.must(ann, 'attachment.create', this.card, { id: FILE, name: 'a.bin', mime_type: 'text/plain', size: SIZE });
    this.inbox = this.target.addColumn('Inbox');
    const input = { new_id: NEW_ID, target_board_id: BOARD_ID, column_id: this.inbox, position: null };
    this.source.must(ann, 'move.out', this.card, input);
  }

  /** Repeats as the relay does. */
  async deliver(): Promise<DeliveryOutcome> {
    const entry: EntryOf<'cardMove'> = { source: 'shard 0', id: 1, kind: 'cardMove', target: BOARD_ID, payload: { card_id: this.card } };
    const kind = cardMoveDelivery({ boards: { ask: (command) => this.#ask(command) }, content: this.#content(), ids: new IdSource() });
    for (;;) {
      try {
        const steps = kind.deliver(entry, { before: null, isOvertaken: false, onOvertaken: () => undefined });
        for (;;) {
          const step = await steps.next();
          if (step.done === true) return step.value;
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }
  }

  where(): string[] {
    const isThere = (scenario: Scenario, id: Uuid): boolean => scenario.ask(ann, 'card.get', id, {}).error === null;
    return [...(isThere(this.source, this.card) ? ['source'] : []), ...(isThere(this.target, NEW_ID) ? ['target'] : [])];
  }

  async #ask(command: BoardCommand): Promise<BoardAnswer> {
    return this.#fallibly(() => {
      const { op, caller, target, input } = command;
      const scenario = AT_SOURCE.has(op) ? this.source : this.target;
      return scenario.askAs(caller, op, target, structuredClone(input)).decision.outcome;
    });
  }

  async #fallibly<Value>(work: () => Value): Promise<Value> {
    const lost = new AppError('unavailable', 'lost');
    await this.#pause();
    const failure = this.#failures.next().value ?? null;
    if (failure === 'before') throw lost;
    const value = work();
    await this.#pause();
    if (failure === 'after') throw lost;
    return value;
  }

  #content(): ContentPort {
    return {
      start: (id) => this.#fallibly(() => (this.staged.set(id, 0), true)),
      append: (id, _n, bytes) => this.#fallibly(() => void this.staged.set(id, (this.staged.get(id) ?? 0) + bytes.length)),
      drop: (id) => this.#fallibly(() => void this.staged.delete(id)),
      read: async (_id, from, to) => new Uint8Array(to - from),
    };
  }
}

const failures = fc.array(fc.constantFrom<Failure>('before', 'after', null, null, null), { maxLength: 40 });

t.test('MOVE2 whatever steps of its delivery fail, a card arrives once with its file, or stays', async (t) => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(failures, fc.boolean(), async (failing, isRefused) => {
      const boards = new TwoBoards(failing);
      if (isRefused) boards.target.must(ann, 'column.delete', boards.inbox, {});
      await boards.deliver();
      const where = boards.where();
      ends.add(where.join());
      if (where.join() !== (isRefused ? 'source' : 'target')) throw new Error(`the card is on ${where.join()}`);
      if (isRefused) boards.source.must(ann, 'card.update', boards.card, { title: 'Free' });
      else if (fileOf(boards) !== SIZE) throw new Error('the file is not whole');
    }),
    { numRuns: 300 },
  );
  t.strictSame([...ends].sort(), ['source', 'target']);
});

/** The size of what is staged under the id of the card's file. */
function fileOf({ target, staged }: TwoBoards): number | undefined {
  const { attachments } = target.must(ann, 'card.get', NEW_ID, {}) as unknown as { attachments: ReadonlyArray<{ id: Uuid }> };
  return staged.get(attachments[0]?.id ?? '');
}

t.test('MOVE2 of two deliveries of one card, while the other board changes its mind, at most one brings it', async (t) => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), failures, async (scheduler, failing) => {
      const boards = new TwoBoards(failing, () => scheduler.schedule(Promise.resolve()));
      const refuseForAWhile = async (): Promise<void> => {
        await scheduler.schedule(Promise.resolve());
        boards.target.must(ann, 'column.archive', boards.inbox, {});
        await scheduler.schedule(Promise.resolve());
        boards.target.must(ann, 'column.restore', boards.inbox, { position: null });
      };
      const all = Promise.all([boards.deliver(), boards.deliver(), refuseForAWhile()]);
      await scheduler.waitFor(all);
      const where = boards.where();
      ends.add(where.join());
      if (where.length !== 1) throw new Error(`the card is on ${where.join()}`);
    }),
    { numRuns: 300 },
  );
  t.strictSame([...ends].sort(), ['source', 'target'], 'both ends were seen');
});
