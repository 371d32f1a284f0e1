import t from 'tap';
import type { BoardReply, StationCommand } from '../../src/actors/messages.js';
import { RememberedAnswers } from '../../src/actors/rememberedAnswers.js';
import type { BoardCommand } from '../../src/domain/commands.js';
import { ann, ben, command } from '../support/faultyStoreStation.js';

const BOARD = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
/** On the same board, as its first 48 bits say. */
const CARD = 'aaaaaaaa-aaaa-4bbb-8bbb-bbbbbbbbbbbb';
const OTHER_BOARD = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';

/** A board whose answers say how often it was asked; they come when they are let go. */
class CountingBoard {
  asked = 0;
  readonly #answers = new RememberedAnswers();
  #hold: Promise<void> | null = null;

  get remembered(): RememberedAnswers {
    return this.#answers;
  }

  /** Asks wait from here on. Returns what lets them go. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#hold = new Promise((resolve) => (release = resolve));
    return () => {
      this.#hold = null;
      release();
    };
  }

  async ask(asked: BoardCommand, answer: (count: number) => BoardReply['outcome'] = text): Promise<string> {
    const station: StationCommand = { kind: 'board', command: asked };
    const reply = await this.#answers.answer('shard 1', station, async (): Promise<BoardReply> => {
      this.asked += 1;
      const outcome = answer(this.asked);
      await this.#hold;
      return { outcome };
    });
    const { outcome } = reply as BoardReply;
    return outcome.ok ? (outcome.json ?? '') : outcome.error.detail;
  }
}

function text(count: number): BoardReply['outcome'] {
  return { ok: true, json: `answer ${count}` };
}

const look = command('card.get', CARD, {});

t.test('ACTOR48 a look is answered again without the board, until the board is heard to have changed', async (t) => {
  const board = new CountingBoard();
  t.equal(await board.ask(look), 'answer 1');
  t.equal(await board.ask(look), 'answer 1');
  board.remembered.forget(OTHER_BOARD);
  t.equal(await board.ask(look), 'answer 1', 'another board changed');
  board.remembered.forget(BOARD);
  t.equal(await board.ask(look), 'answer 2');
  board.remembered.forgetStation('shard 2');
  t.equal(await board.ask(look), 'answer 2', 'another station closed');
  board.remembered.forgetStation('shard 1');
  t.equal(await board.ask(look), 'answer 3', 'its own did');
});

t.test('ACTOR48 each question has its own answer: who asks, about what, and what they have', async (t) => {
  const board = new CountingBoard();
  const questions: readonly BoardCommand[] = [
    look,
    command('card.get', CARD, {}, ben),
    command('card.get', CARD.replace('b', 'd'), {}),
    command('board.get', BOARD, {}),
    command('board.get', BOARD, { known_seq: 1 }),
    command('board.get', BOARD, { known_seq: 2 }),
    command('rule.list', BOARD, {}),
    { ...command('rule.list', BOARD, {}), asker: { user_id: ann.id, role: 'owner' } },
  ];
  for (let round = 1; round <= 2; round += 1) {
    for (const [index, question] of questions.entries()) t.equal(await board.ask(question), `answer ${index + 1}`);
  }
});

t.test('ACTOR48 changes, refusals, the service’s own asks and large answers always come from the board', async (t) => {
  const board = new CountingBoard();
  const refuse = (): BoardReply['outcome'] => ({ ok: false, error: { code: 'forbidden', detail: 'no' } });
  const large = (count: number): BoardReply['outcome'] => ({ ok: true, json: `${count}`.repeat(20_000) });
  const asks: ReadonlyArray<[BoardCommand, typeof text]> = [
    [command('card.update', CARD, { title: 'x' }), text],
    [command('board.events', BOARD, { since: 0 }), text],
    [command('board.export', BOARD, {}), text],
    [{ ...look, input: { refused: { code: 'invalid', detail: '' }, path: {} } }, text],
    [{ ...look, asker: 'system' }, text],
    [look, refuse],
    [command('board.get', BOARD, {}), large],
  ];
  for (const [asked, answer] of asks) {
    const before = board.asked;
    await board.ask(asked, answer);
    await board.ask(asked, answer);
    t.equal(board.asked, before + 2, asked.op);
  }
});

t.test('ACTOR49 an answer under way when its board changes, or its station closes, is not remembered', async (t) => {
  const interruptions: ReadonlyArray<(answers: RememberedAnswers) => void> = [
    (answers) => answers.forget(BOARD),
    (answers) => answers.forgetStation('shard 1'),
  ];
  for (const interrupt of interruptions) {
    const board = new CountingBoard();
    const letGo = board.hold();
    const early = board.ask(look);
    interrupt(board.remembered);
    const late = board.ask(look);
    letGo();
    t.strictSame(await Promise.all([early, late]), ['answer 1', 'answer 2']);
    t.equal(await board.ask(look), 'answer 2', 'the one that was asked for afterwards');
  }
});

t.test('ACTOR50 what is remembered is bounded, and the oldest boards are forgotten first', async (t) => {
  const board = new CountingBoard();
  const cards = Array.from({ length: 2_000 }, (_, n) => `${String(n).padStart(8, '0')}-aaaa-4bbb-8bbb-bbbbbbbbbbbb`);
  const large = (): BoardReply['outcome'] => ({ ok: true, json: 'x'.repeat(16 * 1024) });
  for (const card of cards) await board.ask(command('card.get', card, {}), large);
  const before = board.asked;
  await board.ask(command('card.get', cards.at(-1) ?? '', {}), large);
  t.equal(board.asked, before, 'the latest is there');
  await board.ask(command('card.get', cards[0] ?? '', {}), large);
  t.equal(board.asked, before + 1, 'the first is not');
});

t.test('ACTOR50 questions without an answer to remember take no more room either', async (t) => {
  const board = new CountingBoard();
  await board.ask(look);
  const refuse = (): BoardReply['outcome'] => ({ ok: false, error: { code: 'not_found', detail: 'no' } });
  const unknown = Array.from({ length: 90_000 }, (_, n) => `${String(n).padStart(8, '0')}-aaaa-4bbb-8bbb-bbbbbbbbbbbb`);
  for (const card of unknown) await board.ask(command('card.get', card, {}), refuse);
  const before = board.asked;
  await board.ask(look);
  t.equal(board.asked, before + 1, 'they have driven out what was there before');
});
