import t from 'tap';
import { recordBoard } from '../../support/realtime/boardRecorder.js';
import type { Scene } from '../../support/board/boardScenario.js';
import type { CardJson, EventJson, Snapshot } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import type { SocketMessage } from '../../support/realtime/messageChecker.js';
import { TestSocket } from '../../support/realtime/socket.js';

/** A gap of 65,536 halves seventeen times before two neighbours touch; the rest are insertions that need room made. */
const INSERTIONS = 40;

const world = await enterWorld();
const { member } = world;

interface Ranked {
  readonly id: string;
  readonly rank: number;
}

interface Crowding {
  /** Inserts one more between the first and the second. */
  readonly insert: (populated: PopulatedBoard) => Omit<Scene, 'as' | 'status'>;
  readonly siblings: (snapshot: Snapshot) => readonly Ranked[];
  readonly created: string;
  readonly moved: string;
}

const crowdings: Readonly<Record<string, Crowding>> = {
  cards: {
    insert: ({ board, todo }) => ({
      request: `POST /boards/${board.id}/columns/${todo.id}/cards`,
      json: { title: 'New', position: 1 },
    }),
    siblings: ({ board }) => board.columns[0]?.cards ?? [],
    created: 'card.created',
    moved: 'card.moved',
  },
  columns: {
    insert: ({ board }) => ({ request: `POST /boards/${board.id}/columns`, json: { title: 'New', position: 1 } }),
    siblings: ({ board }) => board.columns,
    created: 'column.created',
    moved: 'column.moved',
  },
};

/** The siblings as a client sees them that applies the events and sorts by rank. */
function follow(ranks: Map<string, number>, { data }: EventJson | SocketMessage): void {
  const { id, rank } = data as Ranked;
  ranks.set(id, rank);
}

function inOrder(ranks: ReadonlyMap<string, number>): string[] {
  return [...ranks].sort(([, a], [, b]) => a - b).map(([id]) => id);
}

for (const [name, { insert, siblings, created, moved }] of Object.entries(crowdings)) {
  t.test(`EVT2 ${name} that make room get their events first, so a client that sorts by rank is never wrong`, async (t) => {
    const populated = await populate(world);
    const { board } = populated;
    let rebalances = 0;
    for (let count = 1; count <= INSERTIONS; count += 1) {
      const before = await board.look();
      const recording = recordBoard(world, board.id);
      const { request, json } = insert(populated);
      const added = await board.do<Ranked>(member, request, json);
      const events = recording.stop();
      const after = siblings(await board.look());

      const expected = siblings(before).map(({ id }) => id);
      const ranks = new Map(siblings(before).map(({ id, rank }) => [id, rank]));
      for (const event of events.slice(0, -1)) {
        t.strictSame([event.type, event.user_id], [moved, member.id]);
        follow(ranks, event);
        t.strictSame(inOrder(ranks), expected, 'no sibling passes another');
        t.equal(new Set(ranks.values()).size, ranks.size, 'no two have the same rank');
      }
      const last = events.at(-1);
      t.strictSame([last?.type, last?.data], [created, added], 'the event of the operation itself comes last');
      ranks.set(added.id, added.rank);
      t.strictSame(inOrder(ranks), expected.toSpliced(1, 0, added.id));
      t.strictSame(
        after.map(({ id, rank }) => [id, rank]),
        inOrder(ranks).map((id) => [id, ranks.get(id)]),
      );
      const changed = siblings(before).filter(({ id, rank }) => ranks.get(id) !== rank);
      t.equal(events.length - 1, changed.length, 'only siblings whose rank changed have an event');
      if (changed.length > 0) rebalances += 1;
    }
    t.ok(rebalances > 0, `${rebalances} of ${INSERTIONS} insertions had to make room`);
  });
}

t.test('EVT2 a move between two items or cards makes room the same way', async (t) => {
  const { board, checklist, plainCard, todo } = await populate(world);
  const addItem = (content: string): Promise<Ranked> => board.do(member, `POST /checklists/${checklist.id}/items`, { content });
  const addCard = (title: string): Promise<CardJson> => board.do(member, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title });
  await board.do(member, `POST /cards/${plainCard.id}/move`, { position: 0 });
  const rebalances = { items: 0, cards: 0 };
  for (let count = 1; count <= 20; count += 1) {
    const item = await addItem(`${count}`);
    const ofItem = recordBoard(world, board.id);
    await board.do(member, `POST /items/${item.id}/move`, { position: 1 });
    if (ofItem.stop().length > 1) rebalances.items += 1;
    const card = await addCard(`${count}`);
    const ofCard = recordBoard(world, board.id);
    await board.do(member, `POST /cards/${card.id}/move`, { position: 1 });
    if (ofCard.stop().length > 1) rebalances.cards += 1;
  }
  const { board: shown } = await board.look();
  const cards = shown.columns[0]?.cards ?? [];
  const items = cards.find(({ title }) => title === 'Full')?.checklists[0]?.items ?? [];
  const newest = Array.from({ length: 20 }, (_, index) => `${20 - index}`);
  t.strictSame(
    items.map(({ content }) => content),
    ['First', ...newest, 'Second'],
  );
  t.strictSame(
    cards.map(({ title }) => title),
    ['Plain', ...newest, 'Full'],
  );
  t.ok(rebalances.items > 0 && rebalances.cards > 0, JSON.stringify(rebalances));
});

t.test('EVT2 over a WebSocket, every step of a move shows the order before or the order after', async (t) => {
  const { board, todo } = await populate(world);
  for (const title of ['Third', 'Fourth', 'Fifth', 'Sixth']) {
    await board.do(member, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title });
  }
  const { board: shown } = await board.look();
  const ranks = new Map(shown.columns[0]?.cards.map(({ id, rank }) => [id, rank]));
  const socket = await TestSocket.join(world.app.url, board.id, member);
  t.teardown(() => socket.close());

  let rebalances = 0;
  for (let count = 1; count <= INSERTIONS; count += 1) {
    const before = inOrder(ranks);
    // From both sides in turn: an entry from one side stands next to the target of an entry from the other.
    const from = count % 2 === 0 ? 4 : 0;
    const mover = before[from] ?? '';
    const after = before.toSpliced(from, 1).toSpliced(2, 0, mover);
    const first = socket.messages.length;
    const { rank } = await board.do<CardJson>(member, `POST /cards/${mover}/move`, { position: 2 });
    await socket.find(({ data }) => (data as Ranked).id === mover && (data as Ranked).rank === rank, first);
    const events = socket.messages.slice(first);
    for (const event of events.slice(0, -1)) {
      follow(ranks, event);
      t.strictSame(inOrder(ranks), before, 'siblings that make room keep their order');
      t.equal(new Set(ranks.values()).size, ranks.size, 'no two have the same rank');
    }
    ranks.set(mover, rank);
    t.strictSame(inOrder(ranks), after);
    if (events.length > 1) rebalances += 1;
  }
  t.ok(rebalances > 0, `${rebalances} of ${INSERTIONS} moves had to make room`);
});
