/** Reminders of cards that move to another board of the shard, step by step, with a clock that the test moves. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SentNotification } from '../../src/domain/account/notification.js';
import type { BoardCommand, BoardOperation, CardOnItsWay } from '../../src/domain/commands/commands.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DAY_MS, HOUR_MS } from '../../src/domain/content/time.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import { ann, ben, bodyOf, ids, type TestPartition } from '../support/store/faultyStorePartition.js';
import { dueCards, look, sent, startLooking } from '../support/store/shardReminders.js';
import { query, sql } from '../support/store/sqlFile.js';

const REFUSAL = { code: 'forbidden', detail: 'No' } as const;

interface Place {
  readonly board: Uuid;
  readonly column: Uuid;
}

/** One card of Ann on its way between two boards of hers. */
class Journey {
  readonly new_id: Uuid;
  /** Why the other board did not take it. */
  #refusal: typeof REFUSAL | null = null;
  #way: CardOnItsWay | null = null;

  private constructor(
    readonly partition: TestPartition,
    readonly card: Uuid,
    readonly to: Place,
  ) {
    this.new_id = ids.onBoard(boardKeyOf(to.board));
  }

  /** `due_at`: in so many hours. Without `reminder_minutes` each is reminded at their own time. */
  static async of(partition: TestPartition, from: Place, to: Place, hours: number, reminder_minutes: number | null = 0): Promise<Journey> {
    const due_at = new Date(partition.time + hours * HOUR_MS).toISOString();
    const input = { column_id: from.column, title: 'A card', description: null, position: null, due_at, reminder_minutes };
    const { id } = await partition.must('card.create', from.board, input);
    await partition.must('card.assign', id, { user_ids: [ann.id] });
    return new Journey(partition, id, to);
  }

  async leave(): Promise<void> {
    const { board: target_board_id, column: column_id } = this.to;
    await this.partition.must('move.out', this.card, { new_id: this.new_id, target_board_id, column_id, position: null });
  }

  /** Keeps what it read first: a delivery may be late. */
  async read(): Promise<void> {
    const read = JSON.parse((await this.#ask('move.read', this.card, {})) || 'null') as CardOnItsWay | null;
    this.#way ??= read;
  }

  async arrive(): Promise<void> {
    const { content } = this.#onItsWay();
    await this.partition.must('move.in', this.to.board, { id: this.new_id, column_id: this.to.column, position: null, content, files: [] });
  }

  async refuse(): Promise<void> {
    const { move } = this.#onItsWay();
    this.#refusal = REFUSAL;
    await this.#ask('move.refuse', this.to.board, { move, refusal: REFUSAL });
  }

  async end(): Promise<void> {
    await this.#ask('move.end', this.card, { new_id: this.new_id, refusal: this.#refusal });
  }

  #onItsWay(): CardOnItsWay {
    if (this.#way === null) throw new Error('the card was not read');
    return this.#way;
  }

  async #ask(op: BoardOperation, target: Uuid, input: object): Promise<string> {
    const [outcome] = await this.partition.askAll([{ op, caller: 'system', target, input } as BoardCommand]);
    // Of a card that is there no longer.
    if (outcome === undefined || (!outcome.ok && outcome.error.code === 'not_found')) return '';
    return bodyOf(outcome);
  }
}

async function start(t: Test): Promise<{ readonly partition: TestPartition; readonly from: Place; readonly to: Place }> {
  const partition = startLooking(t);
  const place = async (title: string): Promise<Place> => {
    const board = await partition.newBoard(title);
    return { board, column: await partition.newColumn(board) };
  };
  return { partition, from: await place('Source'), to: await place('Target') };
}

function due(partition: TestPartition): readonly SentNotification[] {
  return sent(partition).filter(({ kind }) => kind === 'due');
}

/** More than one page. */
async function lookLong(): Promise<void> {
  for (let page = 0; page < 4; page += 1) await look();
}

for (const isRefused of [false, true]) {
  t.test(`REMIND2 a card that ${isRefused ? 'another board refuses' : 'moves to another board'} reminds once, whenever it is due`, async (t) => {
    const { partition, from, to } = await start(t);
    const steps = isRefused ? (['leave', 'read', 'refuse', 'end'] as const) : (['leave', 'read', 'arrive', 'end'] as const);
    const gaps = steps.length + 1;
    for (let dueIn = 0; dueIn < gaps; dueIn += 1) {
      for (let restartIn = 0; restartIn < gaps; restartIn += 1) {
        for (const looksIn of [null, dueIn, dueIn + 1]) {
          const journey = await Journey.of(partition, from, to, 1);
          const already = dueCards(partition).length;
          for (let gap = 0; gap < gaps; gap += 1) {
            if (gap === dueIn) partition.passTime(HOUR_MS);
            if (gap === restartIn) partition.restart();
            if (gap === looksIn) await look();
            const step = steps[gap];
            // A delivery may repeat what it has done before.
            if (step === 'leave') await journey.leave();
            else if (step !== undefined) for (let time = 0; time < 2; time += 1) await journey[step]();
          }
          await look();
          partition.restart();
          partition.passTime(DAY_MS);
          await look();
          const when = `due in gap ${dueIn}, a restart in ${restartIn}, a look in ${looksIn}`;
          const fired = dueCards(partition).slice(already);
          const isBefore = dueIn === 0 && looksIn === 0;
          t.strictSame(fired, [isRefused || isBefore ? journey.card : journey.new_id], when);
        }
      }
    }
    t.strictSame(partition.store.timers.next(10), []);
    t.strictSame(partition.errors, []);
  });
}

t.test('REMIND2 a reminder that waited for the move of its card says that it is late, and is not waited for', async (t) => {
  const { partition, from, to } = await start(t);
  const journey = await Journey.of(partition, from, to, 1);
  const beside = await Journey.of(partition, from, to, 2);
  await journey.leave();
  partition.passTime(2 * HOUR_MS);
  await look();
  t.strictSame(dueCards(partition), [beside.card], 'of another card it comes in time');
  await journey.read();
  await journey.refuse();
  await journey.end();
  await look();
  t.match(due(partition).at(-1), { card_id: journey.card, is_late: true });
  t.equal(dueCards(partition).length, 2);
});

t.test('REMIND1 of a card that moves each is reminded at their own time, once, whoever chooses another meanwhile', async (t) => {
  const { partition, from, to } = await start(t);
  const choose = async ({ board: target }: Place, user: PublicUser, reminder_minutes: number): Promise<void> => {
    await partition.askAll([{ op: 'member.refresh', caller: 'system', target, input: { user, reminder_minutes } }]);
    await lookLong();
  };
  for (const { board } of [from, to]) await partition.must('member.add', board, { user_id: ben.id, user: ben });
  for (const place of [from, to]) await choose(place, ann, 48 * 60);
  const [goes, stays] = [await Journey.of(partition, from, to, 72, null), await Journey.of(partition, from, to, 72, null)];
  for (const { card } of [goes, stays]) await partition.must('card.assign', card, { user_ids: [ben.id] });
  for (const journey of [goes, stays]) await journey.leave();
  partition.passTime(24 * HOUR_MS);
  await lookLong();
  t.strictSame(due(partition), [], 'the time of Ann, for which both wait');
  await goes.read();
  await choose(from, ben, 12 * 60);
  await stays.read();
  await goes.arrive();
  await goes.end();
  await stays.refuse();
  await stays.end();
  const remindedIn = async (hours: number): Promise<unknown> => {
    const before = due(partition).length;
    partition.passTime(hours * HOUR_MS);
    await lookLong();
    const told = due(partition).slice(before);
    return told.map(({ card_id, user_id }) => [card_id === stays.card ? 'stays' : card_id === goes.new_id ? 'arrived' : 'left', user_id]).sort();
  };
  t.strictSame(await remindedIn(0), [
    ['arrived', ann.id],
    ['stays', ann.id],
  ]);
  t.strictSame(await remindedIn(24), [['arrived', ben.id]]);
  partition.restart();
  t.strictSame(await remindedIn(12), [['stays', ben.id]]);
  t.strictSame(await remindedIn(240), []);
});

t.test('TRASH2 a time that passes while the board of a moving card is in the trash is none', async (t) => {
  const { partition, from, to } = await start(t);
  const [soon, later] = [await Journey.of(partition, from, to, 1), await Journey.of(partition, from, to, 48)];
  for (const journey of [soon, later]) await journey.leave();
  await look();
  await partition.must('board.delete', from.board, {});
  partition.passTime(DAY_MS);
  await look();
  await partition.must('board.restore', from.board, { is_listed: true });
  await look();
  for (const journey of [soon, later]) {
    await journey.read();
    await journey.arrive();
    await journey.end();
  }
  partition.passTime(2 * DAY_MS);
  await look();
  t.strictSame(dueCards(partition), [later.new_id]);
});

t.test('REMIND2 timers of another kind do not wait for the card that they name', async (t) => {
  const { partition, from, to } = await start(t);
  const journey = await Journey.of(partition, from, to, 48);
  await journey.leave();
  partition.close();
  const file = join(partition.dataDir, 'shard-00.sqlite');
  sql(file, `INSERT INTO timer (board_key, target, kind, due) VALUES ('${boardKeyOf(from.board)}', '${journey.card}', 'catch-up', 0)`);
  partition.restart();
  await look();
  partition.close();
  t.strictSame(query(file, 'SELECT target, kind FROM timer'), [{ target: journey.card, kind: 'reminder' }]);
});
