/** Clients whose connections are cut and frozen at random while they write: in the end nothing may be missing. */
import t, { type Test } from 'tap';
import { ApiError, type BoardConnection, type Client, type FullBoard } from '../../src/client/index.js';
import { startTestApp } from '../support/service/app.js';
import { anotherDevice, follow, newPerson, shareBoard, until, type Person } from './people.js';
import { seededRandom, type Random } from '../support/seededRandom.js';

const SEEDS = [1, 2];
const PEOPLE = 3;
const WRITES_PER_PERSON = 150;
/** The share of writes after which a connection is cut, frozen or thawed, in per cent. */
const ACCIDENTS_PER_CENT = 20;
const SETTINGS = { HEARTBEAT_INTERVAL_SECONDS: '0.15', PONG_TIMEOUT_SECONDS: '0.15' };
/** In milliseconds: a connection that stays frozen must be abandoned while the test still writes. */
const CONNECTION = { firstRetryMs: 20, maxRetryMs: 100, maxSilenceMs: 600 };

interface Follower {
  readonly person: Person;
  readonly connection: BoardConnection;
  /** The number of the board when it was read. */
  readonly firstSeq: number;
  /** The numbers of all events of the connection. */
  readonly seqs: number[];
}

for (const seed of SEEDS) {
  t.test(`CLIENT14 every client ends with the same board, having seen every event once (seed ${seed})`, async (t) => {
    const { url } = await startTestApp(t, SETTINGS);
    const people: Person[] = [];
    for (let n = 0; n < PEOPLE; n += 1) people.push(await newPerson(t, url, { connection: CONNECTION }));
    const [owner, ...others] = people;
    if (owner === undefined) throw new Error('the board needs an owner');
    const { boardId } = await shareBoard(owner, ...others);
    const devices = people.map((person) => anotherDevice(t, url, person, { connection: CONNECTION }));
    const followers = await Promise.all([...people, ...devices].map((person) => startFollowing(t, person, boardId)));

    const writers = followers.slice(0, PEOPLE);
    await Promise.all(writers.map((writer, n) => write(writer, boardId, followers, seededRandom(seed * PEOPLE + n))));
    const sockets = followers.flatMap(({ person }) => person.sockets.made);
    t.ok(sockets.length >= 2 * followers.length, `connections were broken: there were ${sockets.length} sockets`);

    const { seq } = await owner.client.board.events({ board_id: boardId });
    const board = await owner.client.board.get({ board_id: boardId });
    t.ok(seq > (PEOPLE * WRITES_PER_PERSON) / 2, `the board changed: there were ${seq} events`);
    for (const follower of followers) await checkFollower(t, follower, board, seq);
  });
}

async function startFollowing(t: Test, person: Person, boardId: string): Promise<Follower> {
  const connection = follow(t, person, boardId);
  const seqs: number[] = [];
  connection.on('event', ({ seq }) => seqs.push(seq));
  await connection.ready;
  return { person, connection, firstSeq: person.sockets.latest().since ?? NaN, seqs };
}

/** Writes to the board as the client's copy shows it, and sometimes breaks a connection. */
async function write({ person, connection }: Follower, boardId: string, followers: readonly Follower[], random: Random): Promise<void> {
  for (let n = 0; n < WRITES_PER_PERSON; n += 1) {
    if (connection.board !== null) await writeOnce(person.client, boardId, connection.board, random);
    if (random.below(100) < ACCIDENTS_PER_CENT) {
      const accident = random.pick(['cut', 'freeze', 'resume'] as const);
      random.pick(followers).person.sockets.latest()[accident]();
    }
  }
}

/** The copy may be outdated, so "not found" is allowed; every other refusal is a fault. */
async function writeOnce(client: Client, board_id: string, board: FullBoard, random: Random): Promise<void> {
  const columns = board.columns;
  const cards = columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  const items = checklists.flatMap((checklist) => checklist.items);
  const user_ids = [random.pick(board.members).user_id];
  const column_id = random.pick(columns)?.id ?? '';
  const card_id = random.pick(cards)?.id;
  const label_id = random.pick(board.labels)?.id;
  const checklist_id = random.pick(checklists)?.id;
  const item_id = random.pick(items)?.id;
  const [title, position] = [`T${random.below(1000)}`, random.below(5)];

  const always: Array<() => Promise<unknown>> = [
    () => client.card.create({ board_id, column_id }, { title, position }),
    () => client.card.create({ board_id, column_id }, { title }),
    () => client.label.create({ board_id }, { name: title }),
    () => client.column.update({ column_id }, { title }),
    () => client.column.move({ column_id }, { position }),
    () => (columns.length < 4 ? client.column.create({ board_id }, { title, position }) : client.board.list()),
  ];
  const onCard = (id: string): typeof always => [
    () => client.card.update({ card_id: id }, { title }),
    () => client.card.move({ card_id: id }, { column_id, position }),
    () => client.card.move({ card_id: id }, { position }),
    () => client.card.assign({ card_id: id }, { user_ids }),
    () => client.checklist.create({ card_id: id }, { title }),
    () => client.attachment.create({ card_id: id }, { name: title, content: title }),
    () => (cards.length > 10 ? client.card.delete({ card_id: id }) : client.board.list()),
  ];
  const onLabel = (id: string): typeof always => [
    () => client.label.update({ label_id: id }, { name: title }),
    () => client.card.addLabel({ card_id: card_id ?? id, label_id: id }),
    () => client.label.delete({ label_id: id }),
  ];
  const onChecklist = (id: string): typeof always => [
    () => client.item.create({ checklist_id: id }, { content: title }),
    () => client.checklist.move({ checklist_id: id }, { position }),
  ];
  const onItem = (id: string): typeof always => [
    () => client.item.move({ item_id: id }, { position, checklist_id: checklist_id ?? null }),
    () => client.item.assign({ item_id: id }, { user_ids }),
    () => client.item.update({ item_id: id }, { is_done: true }),
  ];
  const choices = [
    ...always,
    ...(card_id === undefined ? [] : onCard(card_id)),
    ...(label_id === undefined ? [] : onLabel(label_id)),
    ...(checklist_id === undefined ? [] : onChecklist(checklist_id)),
    ...(item_id === undefined ? [] : onItem(item_id)),
  ];
  await random
    .pick(choices)()
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
}

async function checkFollower(t: Test, follower: Follower, board: FullBoard, seq: number): Promise<void> {
  const { person, connection, firstSeq, seqs } = follower;
  await until(connection, () => connection.seq >= seq && connection.state.kind === 'live');
  t.strictSame(connection.board, board, 'its board is that of the service');
  t.strictSame(seqs, numbersFrom(firstSeq, seq - firstSeq), 'it emitted every event once and in order');
  for (const { since, eventNumbers, received } of person.sockets.made) {
    t.strictSame(eventNumbers, numbersFrom(since ?? NaN, eventNumbers.length), 'so did the service, on each of its sockets');
    t.notOk(
      received.some(({ type }) => type === 'resync'),
      'without reading the board again',
    );
  }
}

/** The numbers after `known`. */
function numbersFrom(known: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => known + index + 1);
}
