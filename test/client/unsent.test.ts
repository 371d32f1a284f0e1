/** Changes that outlive the program: what one run of a client leaves in its store, the next one sends. */
import assert from 'node:assert/strict';
import t from 'tap';
import {
  createdId,
  newKey,
  OvertakenChange,
  StaleChange,
  type BoardConnection,
  type FullBoard,
  type KeptChange,
  type RefusedChange,
} from '../../src/client/index.js';
import { verdictOn } from '../../src/client/unsent/basis.js';
import { idOf } from '../domain/fullBoard.js';
import { ann, ben, BOARD_ID } from '../domain/scenario.js';
import { seededRandom, type Random } from '../support/seededRandom.js';
import { settled } from './fakeService.js';
import { domainCommand, type CallBody } from './domainCommands.js';
import { randomChange } from './randomChanges.js';
import { MemoryStore } from './memoryStore.js';
import { SimulatedService, type SimulatedClient } from './simulatedService.js';

const FIRST_CARD = idOf('ca', 1);
const FIRST_COLUMN = idOf('c0', 1);
const DAY_MS = 24 * 60 * 60 * 1000;
const PROPERTY_RUNS = 60;

interface Run extends SimulatedClient {
  readonly connection: BoardConnection;
  /** It ends as a closed window does. */
  end(): void;
}

class Setting {
  readonly service = new SimulatedService();
  readonly store = new MemoryStore();

  /** The user opens the page, while the service is away if it is not answered. */
  async run({ user = ann, passMs = 0, isAway = false } = {}): Promise<Run> {
    const store = this.store.open();
    const made = this.service.newClient(user, () => 0.5, { isPatient: true, store });
    made.clock.pass(passMs);
    made.client.resume(user.id);
    const connection = made.client.connect(BOARD_ID);
    await settled();
    const run = { ...made, connection, end: () => this.#end(made, connection, store) };
    if (!isAway) await this.come(run);
    return run;
  }

  /** Everything arrives, until there is nothing left to do. */
  async come(run: Run): Promise<void> {
    for (;;) {
      await settled();
      const exchange = run.exchanges.shift();
      if (exchange !== undefined) {
        this.service.arrive(exchange);
        if (exchange.reply !== null) exchange.settle(exchange.reply);
        continue;
      }
      const moved = run.sockets.some((socket) => socket.isOpen && socket.toService.length + socket.toClient.length > 0);
      if (!moved) return;
      for (const socket of run.sockets) {
        this.service.receive(socket, true);
        socket.deliver();
      }
    }
  }

  get board(): FullBoard {
    return JSON.parse(this.service.board) as FullBoard;
  }

  #end({ exchanges, sockets }: SimulatedClient, connection: BoardConnection, store: { end(): void }): void {
    store.end();
    connection.close();
    exchanges.length = 0;
    for (const socket of sockets) socket.cut();
  }
}

/** The next request is refused for its session. */
async function endSession({ exchanges }: Run): Promise<void> {
  exchanges.shift()?.settle({ status: 401, text: '{"detail":"Not authenticated"}', headers: {} });
  await settled();
}

function titles(board: FullBoard | null): string[] {
  return board?.columns.find(({ id }) => id === FIRST_COLUMN)?.cards.map(({ title }) => title) ?? [];
}

const NEW_CARD = { board_id: BOARD_ID, column_id: FIRST_COLUMN };

t.test('CLIENT48 what was not answered when the program ended is shown and sent by the next run, in order, once', async (t) => {
  const setting = new Setting();
  const first = await setting.run();
  const key = newKey();
  void first.connection.change('card.create', NEW_CARD, { title: 'Made without an answer' }, { idempotencyKey: key });
  void first.connection.change('card.update', { card_id: createdId(BOARD_ID, key) }, { title: 'Made in the tunnel' });
  await settled();
  const [lost] = first.exchanges;
  if (lost !== undefined) setting.service.arrive(lost);
  first.end();
  t.equal(setting.store.changes.length, 2);
  const second = await setting.run({ isAway: true });
  await settled();
  t.equal(second.client.unsent.waiting.length, 2);
  await setting.come(second);
  t.equal(
    titles(setting.board)
      .filter((title) => title.startsWith('Made'))
      .join(),
    'Made in the tunnel',
  );
  t.strictSame([second.connection.board, second.client.unsent.waiting, setting.store.changes], [setting.board, [], []]);
});

t.test('CLIENT48 a change is written before it is shown, and is sent although it cannot be written', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  const change = run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  t.strictSame([titles(run.connection.board)[0], setting.store.changes.length], ['Renamed', 1]);
  await setting.come(run);
  await change;
  setting.store.failure = new Error('the disk is full');
  const unsafe: unknown[] = [];
  run.client.unsent.on('unsafe', ({ error }) => unsafe.push(error));
  const second = run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Again' });
  await settled();
  t.strictSame([titles(run.connection.board)[0], run.client.unsent.isUnsafe, unsafe.length], ['Again', true, 1]);
  await setting.come(run);
  await second;
  t.equal(run.client.unsent.isUnsafe, false);
});

t.test('CLIENT48 what the service refuses stays in a list, also in the next run, until it is sent again or discarded', async (t) => {
  const setting = new Setting();
  const first = await setting.run({ user: ben });
  const reported: RefusedChange[] = [];
  first.connection.on('refused', (refused) => reported.push(refused));
  const mine = first.connection.change('board.update', { board_id: BOARD_ID }, { title: 'Mine' });
  const gone = first.connection.change('card.update', { card_id: UNKNOWN_CARD }, { title: 'A long text' });
  await settled();
  const both = Promise.allSettled([mine, gone]);
  await setting.come(first);
  t.match(await both, [{ reason: { status: 403 } }, { reason: { status: 404 } }]);
  t.equal(reported.length, 2);
  first.end();
  const second = await setting.run({ user: ben });
  const { unsent } = second.client;
  t.match(unsent.refused, [
    { args: [{}, { title: 'Mine' }], refusal: { status: 403 } },
    { args: [{}, { title: 'A long text' }], refusal: { status: 404 } },
  ]);
  t.equal(second.exchanges.length, 0, 'nothing of it is sent');
  const [refused, other] = unsent.refused;
  unsent.discard(other?.key ?? '');
  unsent.retry(refused?.key ?? '');
  await settled();
  t.strictSame([second.connection.board?.title, unsent.refused.length], ['Mine', 0], 'it is shown again');
  await setting.come(second);
  t.match(unsent.refused, [{ refusal: { status: 403 } }]);
  t.strictSame([second.connection.board?.title, setting.store.changes.length], ['Crowded', 1]);
});

t.test(
  'CLIENT48 what is set aside is reported and stands in the list, also in the next run, and is sent only if the user tries it again',
  async (t) => {
    const setting = new Setting();
    const first = await setting.run();
    const reported: RefusedChange[] = [];
    first.connection.on('refused', (refused) => reported.push(refused));
    first.connection.setAside('card.update', { card_id: FIRST_CARD }, { title: 'Mine' });
    await setting.come(first);
    t.match(reported, [{ name: 'card.update', args: [{ card_id: FIRST_CARD }, { title: 'Mine' }], error: { name: 'OvertakenChange' } }]);
    t.strictSame(
      [titles(first.connection.board)[0], titles(setting.board)[0], first.client.unsent.waiting],
      ['card 1', 'card 1', []],
      'it is not made',
    );
    first.end();
    const second = await setting.run();
    const { unsent } = second.client;
    t.match(unsent.refused, [{ about: { title: 'card 1' }, refusal: { status: 0, detail: new OvertakenChange().message } }]);
    unsent.retry(unsent.refused[0]?.key ?? '');
    await setting.come(second);
    t.strictSame([titles(setting.board)[0], unsent.refused, setting.store.changes], ['Mine', [], []]);
  },
);

t.test('CLIENT48 a kept change says what else it names; a link is kept, a file is refused at once', async (t) => {
  const setting = new Setting();
  const { client, connection } = await setting.run();
  const { columns, members, labels } = setting.board;
  const [column, member, label] = [columns[1], members[0], labels[0]];
  void connection.change('card.move', { card_id: FIRST_CARD }, { column_id: column?.id ?? '', position: 0 });
  void connection.change('card.assign', { card_id: FIRST_CARD }, { user_ids: [member?.user_id ?? ''] });
  void connection.change('card.addLabel', { card_id: FIRST_CARD, label_id: label?.id ?? '' });
  void connection.change('attachment.create', { card_id: FIRST_CARD }, { url: 'https://example.org/' });
  const file = { name: 'file', content: 'x' };
  await t.rejects(connection.change('attachment.create', { card_id: FIRST_CARD }, file as never), TypeError);
  t.strictSame(
    client.unsent.waiting.map(({ name, about }) => [name, about?.named]),
    [
      ['card.move', column?.title],
      ['card.assign', member?.user.username],
      ['card.addLabel', label?.name],
      ['attachment.create', undefined],
    ],
  );
});

const UNKNOWN_CARD = idOf('ca', 999);
const UNKNOWN_COMMENT = idOf('c1', 999);

t.test('CLIENT48 after the end of a session changes wait for the next login of the same user', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  void run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  await endSession(run);
  t.strictSame([run.client.unsent.waiting.length, titles(run.connection.board)[0], run.exchanges.length], [1, 'Renamed', 0]);
  run.end();
  const stranger = await setting.run({ user: ben });
  t.strictSame([stranger.client.unsent.waiting, titles(setting.board)[0]], [[], 'card 1'], 'nothing of it is known to another user');
  const back = await setting.run();
  await setting.come(back);
  t.strictSame([titles(setting.board)[0], setting.store.changes], ['Renamed', []]);
});

t.test('CLIENT48 a second login of the same user goes on where the first one ended', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  const change = run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  await endSession(run);
  run.client.resume(ann.id);
  await setting.come(run);
  await change;
  t.equal(titles(setting.board)[0], 'Renamed');
});

t.test('CLIENT48 what was taken over by another window meanwhile is not sent again after the next login', async (t) => {
  const setting = new Setting();
  const [first, second] = [await setting.run(), await setting.run()];
  const change = first.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  const made = first.connection.change('card.update', { card_id: idOf('ca', 2) }, { title: 'Also renamed' });
  await settled();
  await endSession(first);
  await setting.come(second);
  t.strictSame([titles(setting.board)[0], setting.store.changes], ['Renamed', []]);
  first.client.resume(ann.id);
  await setting.come(first);
  t.strictSame([await change, await made, first.client.unsent.waiting], [undefined, undefined, []]);
  t.strictSame(first.connection.board, setting.board);
});

t.test('CLIENT48 a change that is made after the end of the session waits for its user, and is not sent by another', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  void run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  await endSession(run);
  const late = run.connection.change('card.update', { card_id: idOf('ca', 2) }, { title: 'Late' });
  await settled();
  t.strictSame([run.exchanges.length, setting.store.changes.length], [0, 2]);
  run.client.resume(ben.id);
  await t.rejects(late, { name: 'WithdrawnChange' });
  await setting.come(run);
  t.strictSame([run.client.unsent.waiting, run.client.unsent.refused, titles(setting.board)[0]], [[], [], 'card 1']);
  run.client.resume(ann.id);
  await setting.come(run);
  t.strictSame([titles(setting.board)[0], setting.store.changes], ['Renamed', []]);
});

t.test('CLIENT48 what is discarded is not sent, also if it was under way', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  const change = run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  run.exchanges.shift()?.settle(new TypeError('fetch failed'));
  await settled();
  run.client.unsent.discardAll();
  await t.rejects(change, { name: 'WithdrawnChange' });
  for (let n = 0; n < 20 && run.clock.waits.length > 0; n += 1) {
    run.clock.fire();
    await setting.come(run);
  }
  t.strictSame([titles(setting.board)[0], titles(run.connection.board)[0], setting.store.changes], ['card 1', 'card 1', []]);
});

t.test('CLIENT46 a change is sent until it is answered, also after a day without an answer', async (t) => {
  const setting = new Setting();
  const run = await setting.run();
  const back = run.clock.now() + DAY_MS;
  let isAnswered = false;
  const change = run.connection.change('card.create', NEW_CARD, { title: 'Patient' }).then(() => (isAnswered = true));
  await settled();
  while (!isAnswered) {
    const exchange = run.exchanges.shift();
    if (exchange === undefined) {
      run.clock.fire();
    } else if (run.clock.now() < back) {
      exchange.settle(new TypeError('fetch failed'));
      if (run.clock.now() < back - DAY_MS / 12) run.clock.pass(DAY_MS / 24);
    } else {
      setting.service.arrive(exchange);
      if (exchange.reply !== null) exchange.settle(exchange.reply);
    }
    await settled();
  }
  await change;
  t.equal(titles(setting.board).filter((title) => title === 'Patient').length, 1);
});

t.test('CLIENT46 what a proxy or the login page of a network says is no answer, so nothing is refused by it', async (t) => {
  const page = { status: 200, text: '<html>Welcome to our network</html>', headers: {} };
  const answers = [...[500, 502, 504, 511].map((status) => ({ status, text: '<html>', headers: {} })), page, new TypeError('fetch failed')];
  const setting = new Setting();
  const run = await setting.run();
  const changes = [
    run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Patient' }),
    run.connection.change('card.delete', { card_id: idOf('ca', 2) }),
  ];
  for (const change of changes) {
    for (const answer of answers) {
      await settled();
      run.exchanges.shift()?.settle(answer);
      await settled();
      run.clock.fire();
    }
    t.strictSame(run.client.unsent.refused, []);
    await setting.come(run);
    await change;
  }
  t.strictSame([titles(setting.board)[0], titles(setting.board).includes('card 2'), setting.store.changes], ['Patient', false, []]);
  const failing = run.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Impossible' });
  await settled();
  run.exchanges.shift()?.settle({ status: 500, text: '{"detail":"Internal Server Error"}', headers: {} });
  await t.rejects(failing, { name: 'ApiError', message: '500: Internal Server Error' }, 'the service itself has failed with it');
  t.match(run.client.unsent.refused, [{ refusal: { status: 500 } }]);
});

t.test('CLIENT48 another window takes over what a closed one has not sent', async (t) => {
  const setting = new Setting();
  const [first, second] = [await setting.run(), await setting.run()];
  void first.connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  t.equal(second.client.unsent.waiting.length, 0);
  first.end();
  await settled();
  t.strictSame([second.client.unsent.waiting.length, titles(second.connection.board)[0]], [1, 'Renamed']);
  await setting.come(second);
  t.strictSame([titles(setting.board)[0], setting.store.changes], ['Renamed', []]);
});

t.test('CLIENT48 after more than a day: nothing is created twice, and only what nobody changed since is overwritten', async (t) => {
  const setting = new Setting();
  const first = await setting.run();
  const { connection } = first;
  void connection.change('card.create', NEW_CARD, { title: 'Made without an answer' });
  await settled();
  const [lost] = first.exchanges;
  if (lost !== undefined) setting.service.arrive(lost);
  void connection.change('card.create', NEW_CARD, { title: 'Made in the tunnel' });
  void connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  void connection.change('card.update', { card_id: idOf('ca', 2) }, { title: 'Renamed too' });
  void connection.change('card.delete', { card_id: idOf('ca', 3) });
  void connection.change('card.move', { card_id: idOf('ca', 2) }, { column_id: FIRST_COLUMN, position: 0 });
  // Its author may have changed it since, on another device.
  void connection.change('comment.update', { comment_id: UNKNOWN_COMMENT }, { body: 'Older words' });
  await settled();
  first.end();
  setting.service.scenario.forgetAnswers();
  setting.service.publish(setting.service.scenario.ask(ben, 'card.update', FIRST_CARD, { title: 'By Ben' }), false);
  const second = await setting.run({ passMs: 2 * DAY_MS });
  await setting.come(second);
  const all = setting.board.columns.flatMap(({ cards }) => cards);
  t.equal(all.filter(({ title }) => title.startsWith('Made')).length, 2, 'each once');
  t.equal(all.find(({ id }) => id === FIRST_CARD)?.title, 'By Ben');
  t.equal(all.find(({ id }) => id === idOf('ca', 2))?.title, 'Renamed too');
  t.equal(titles(setting.board)[0], 'Renamed too');
  t.equal(
    all.find(({ id }) => id === idOf('ca', 3)),
    undefined,
  );
  t.match(second.client.unsent.refused, [
    { args: [{ card_id: FIRST_CARD }, { title: 'Renamed' }], refusal: { status: 0, detail: new StaleChange().message } },
    { args: [{ comment_id: UNKNOWN_COMMENT }, { body: 'Older words' }], refusal: { status: 0 } },
  ]);
  const [stale, comment] = second.client.unsent.refused;
  second.client.unsent.discard(comment?.key ?? '');
  second.client.unsent.retry(stale?.key ?? '');
  await setting.come(second);
  t.strictSame([titles(setting.board).includes('Renamed'), setting.store.changes], [true, []], 'if the user wants it all the same');
});

t.test('CLIENT48 edits of one text that wait behind each other replace one another, and nothing that others wrote meanwhile', async (t) => {
  const setting = new Setting();
  const { service } = setting;
  const text = (first: string, second = 'two', fourth = 'four'): string => [first, second, 'three', fourth].join('\n\n');
  const byBen = (description: string): void => service.publish(service.scenario.ask(ben, 'card.update', FIRST_CARD, { description }), false);
  const saved = (): unknown => setting.board.columns.flatMap(({ cards }) => cards).find(({ id }) => id === FIRST_CARD)?.description;
  byBen(text('one'));
  const run = await setting.run();
  const edit = (description: string, base: number): void =>
    void run.connection.change('card.update', { card_id: FIRST_CARD }, { description, base }).catch(() => undefined);
  const answerOne = async (): Promise<void> => {
    await settled();
    const exchange = run.exchanges.shift();
    assert.ok(exchange !== undefined);
    service.arrive(exchange);
    exchange.settle(exchange.reply ?? new Error('no reply'));
    await settled();
  };

  for (const first of ['1', '1!', '1!!']) edit(text(first), 2);
  await answerOne();
  t.match(setting.store.changes, [{ args: [{}, { base: 3 }] }, { args: [{}, { base: 3 }] }], 'also for a later run');
  await setting.come(run);
  t.equal(saved(), text('1!!'));

  edit(text('1'), 5);
  edit(text('1', '2'), 5);
  byBen(text('1!!', 'two', '4'));
  await setting.come(run);
  t.equal(saved(), text('1', '2', '4'), 'the first is merged, and the second does not know what Ben wrote');

  edit(text('a', '2', '4'), 8);
  edit(text('b', '2', '4'), 8);
  byBen(text('1', '2', 'four'));
  await setting.come(run);
  t.equal(saved(), text('a', '2', 'four'));
  t.match(run.client.unsent.refused, [{ args: [{}, { description: text('b', '2', '4') }], refusal: { status: 409 } }]);
});

t.test('CLIENT48 however often windows end and answers are lost, every change is made once or stands in the list', async (t) => {
  for (let seed = 1; seed <= PROPERTY_RUNS; seed += 1) await playRandomly(seed);
  t.pass(`${PROPERTY_RUNS} runs`);
});

t.test('CLIENT48 whatever two users change, also days later and without the right: made once, or in the list', async (t) => {
  const counts = { made: 0, listed: 0, aged: 0 };
  for (let seed = 1; seed <= PROPERTY_RUNS / 2; seed += 1) await playAnything(seed, counts);
  for (const what of ['made', 'listed', 'aged'] as const) t.ok(counts[what] > 0, `${what}: ${counts[what]}`);
});

/** Ben's windows come and go; Ann changes the same board, and may take him off it. */
async function playAnything(seed: number, counts: { made: number; listed: number; aged: number }): Promise<void> {
  const random: Random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const setting = new Setting();
  const { scenario } = setting.service;
  const { history } = setting.service;
  const wanted = new Map<string, KeptChange>();
  const made = new Map<string, number>();
  /** How many states the board had had before the change was made for the first time. */
  const before = new Map<string, number>();
  setting.service.onAnswered = (key, hasEvents) => {
    made.set(key, (made.get(key) ?? 0) + Number(hasEvents));
    if (hasEvents && !before.has(key)) before.set(key, history.size);
  };
  /** What the board was when the verdict was given is not known; it was one of these. */
  const wasEver = (verdict: string, change: KeptChange, from = 0): boolean =>
    [...history.values()].slice(from).some(({ json }) => verdictOn(JSON.parse(json) as FullBoard, change) === verdict);
  let passMs = 0;
  let runs: Run[] = [await setting.run({ user: ben })];
  const endAll = (): void => {
    for (const run of runs) run.end();
    runs = [];
  };
  for (let step = 0; step < 50; step += 1) {
    const run = runs[random.below(runs.length)];
    const what = random.below(12);
    if (run === undefined) runs.push(await setting.run({ user: ben, passMs, isAway: random.below(2) === 0 }));
    else if (what === 0) {
      run.end();
      runs = runs.filter((each) => each !== run);
    } else if (what === 1 && seed % 3 === 0) {
      // Everybody goes home, and the service forgets the keys.
      endAll();
      passMs += DAY_MS + DAY_MS / 24;
      scenario.forgetAnswers();
      counts.aged += 1;
    } else if (what === 2) {
      const { name, args } = randomChange(setting.board, pick);
      const { op, target, input } = domainCommand(name, args[0], (args[1] ?? {}) as CallBody);
      const result = scenario.ask(ann, op, target, input);
      if (result.decision.outcome.ok) setting.service.publish(result, false);
    } else if (what === 3 && seed % 5 === 0) {
      const result = scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
      if (result.decision.outcome.ok) setting.service.publish(result, false);
    } else if (what < 8 && run.connection.board !== null) {
      const { name, args } = randomChange(run.connection.board, pick);
      const key = newKey();
      // The types of a union of argument lists cannot be spread.
      const make = run.connection.change as (name: string, ...args: readonly unknown[]) => Promise<unknown>;
      make.call(run.connection, name, ...args, { idempotencyKey: key }).catch(() => undefined);
      const kept = run.client.unsent.waiting.find((change) => change.key === key);
      assert.ok(kept, `seed ${seed}: ${name} is not kept`);
      wanted.set(key, kept);
      await settled();
    } else await moveRandomly(setting, run, random);
  }
  endAll();
  const last = await setting.run({ user: ben, passMs });
  await setting.come(last);
  const listed = new Set(last.client.unsent.refused.map(({ key }) => key));
  for (const [key, change] of wanted) {
    counts.made += Number(made.has(key));
    // After days the board is compared: others may have done the same, or undone it. Only a creation has an identity.
    const isCompared = passMs > 0 && !change.name.endsWith('.create');
    const isDone = made.has(key) || listed.has(key) || (isCompared && wasEver('made', change));
    assert.ok(isDone, `seed ${seed}: ${change.name} is lost`);
    const isOnce = (made.get(key) ?? 0) <= 1 || (isCompared && wasEver('open', change, (before.get(key) ?? 0) + 1));
    assert.ok(isOnce, `seed ${seed}: ${change.name} was made twice, although nobody undid it`);
  }
  counts.listed += listed.size;
  assert.deepEqual([last.client.unsent.waiting, setting.store.changes.length], [[], listed.size], `seed ${seed}`);
  assert.deepEqual(last.connection.board, setting.board, `seed ${seed}`);
}

async function playRandomly(seed: number): Promise<void> {
  const random: Random = seededRandom(seed);
  const setting = new Setting();
  const wanted: string[] = [];
  let runs: Run[] = [await setting.run()];
  for (let step = 0; step < 60; step += 1) {
    const run = runs[random.below(runs.length)];
    const what = random.below(10);
    if (run === undefined || (what === 0 && runs.length < 3)) runs.push(await setting.run({ isAway: random.below(2) === 0 }));
    else if (what === 1) {
      run.end();
      runs = runs.filter((each) => each !== run);
    } else if (what < 5) {
      const title = `${seed} ${wanted.length}`;
      const column_id = random.below(8) === 0 ? UNKNOWN_CARD : FIRST_COLUMN;
      void run.connection.change('card.create', { board_id: BOARD_ID, column_id }, { title });
      await settled();
      wanted.push(title);
    } else {
      await moveRandomly(setting, run, random);
    }
  }
  const last = await setting.run();
  for (const run of runs) run.end();
  await setting.come(last);
  const made = setting.board.columns.flatMap(({ cards }) => cards.map(({ title }) => title)).filter((title) => title.startsWith(`${seed} `));
  const listed = last.client.unsent.refused.map(({ args }) => (args[1] as { title: string }).title);
  assert.deepEqual([...made, ...listed].sort(), [...wanted].sort(), `seed ${seed}`);
  assert.equal(setting.store.changes.length, listed.length, `seed ${seed}`);
}

/** A request, its answer, both or nothing of it arrives. */
async function moveRandomly({ service }: Setting, { exchanges, sockets, clock }: Run, random: Random): Promise<void> {
  const exchange = exchanges[0];
  if (exchange === undefined) {
    for (const socket of sockets) {
      service.receive(socket, true);
      socket.deliver();
    }
    if (random.below(3) === 0 && clock.waits.length > 0) clock.fire();
    return settled();
  }
  const fate = random.below(3);
  if (fate > 0) service.arrive(exchange);
  exchanges.shift();
  exchange.settle(fate === 2 && exchange.reply !== null ? exchange.reply : new TypeError('fetch failed'));
  await settled();
}
