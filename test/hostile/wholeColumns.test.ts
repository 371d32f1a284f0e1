/** Commands that change as many records as one command may, beside a bystander on the same shard. */
import t from 'tap';
import { fileForm } from '../support/board/populatedBoard.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';

const AT_ONCE = 4;
const ROUNDS = IS_LONG_FORM ? 10 : 3;
/** Near the bounds of one command, of which each column and each assignment counts as one. */
const COPIED = 240;
const ARCHIVED = 490;
const LARGE_FILE = 4 * 1024 * 1024;

interface Columns {
  readonly board: string;
  readonly ids: readonly string[];
}

t.test('HOSTILE41 copies of full columns and of a card with many items delay no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t, { SHARDS: '1' });
  const { ids } = await importColumns(attacked, AT_ONCE, { cards: COPIED, items: 0 });
  const long = await importColumns(attacked, AT_ONCE, { cards: 1, items: COPIED });
  const cards = await cardsOf(attacked, long.board);
  for (const paths of [ids.map((id) => `/columns/${id}/copy`), cards.map((id) => `/cards/${id}/copy`)]) {
    const damage = await attacked.suffer(t, () => inRounds(paths, (path) => attacked.do('POST', path, {})));
    await expectUnharmed(t, attacked, damage);
  }
});

t.test('HOSTILE41 archiving, deleting and bringing back full columns delays no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t, { SHARDS: '1' });
  const { board, ids } = await importColumns(attacked, AT_ONCE, { cards: ARCHIVED, items: 0 });
  const archiveAndRestore = async (id: string): Promise<void> => {
    await attacked.do('POST', `/columns/${id}/archive`);
    await attacked.do('POST', `/columns/${id}/restore`, {});
  };
  // The code is compiled while it runs for the first time, once in the life of a process.
  await inRounds(ids, archiveAndRestore);
  const archived = await attacked.suffer(t, () => inRounds(ids, archiveAndRestore));
  await expectUnharmed(t, attacked, archived);
  const deleted = await attacked.suffer(t, async () => {
    for (const id of ids) await attacked.do('DELETE', `/columns/${id}`);
    const { entries } = await attacked.do<{ entries: { id: string }[] }>('GET', `/boards/${board}/trash`);
    t.equal(entries.length, ids.length);
    await Promise.all(entries.map(({ id }) => attacked.do('POST', `/boards/${board}/trash/${id}/restore`, {})));
  });
  await expectUnharmed(t, attacked, deleted);
  t.equal((await cardsOf(attacked, board)).length, AT_ONCE * ARCHIVED, 'nothing is lost');
});

t.test('HOSTILE41 large cards with large files that go to and fro between boards delay no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t, { SHARDS: '1' });
  const boards = [
    await importColumns(attacked, AT_ONCE, { cards: 1, items: COPIED }),
    await importColumns(attacked, 1, { cards: 0, items: 0 }),
  ] as const;
  const places = boards.map(({ board, ids: [column_id] }) => ({ board_id: board, column_id }));
  const cards = await cardsOf(attacked, boards[0].board);
  for (const card of cards) await upload(attacked, card);
  const wander = async (id: string): Promise<void> => {
    let card = id;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const place of places.toReversed()) card = (await attacked.do<{ id: string }>('POST', `/cards/${card}/move`, place)).id;
    }
    arrived.push(card);
  };
  const arrived: string[] = [];
  const damage = await attacked.suffer(t, () => Promise.all(cards.map(wander)));
  await expectUnharmed(t, attacked, damage);
  t.strictSame((await cardsOf(attacked, boards[0].board)).sort(), arrived.sort(), 'nothing is lost');
});

async function upload({ url, attacker }: AttackedService, card: string): Promise<void> {
  const body = fileForm(new Uint8Array(LARGE_FILE), 'large.bin', 'application/octet-stream');
  const { status } = await fetch(`${url}/cards/${card}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker.token}` },
    body,
  });
  if (status !== 201) throw new Error(`the upload answered ${status}`);
}

/** Each of these, all at once, again and again. */
async function inRounds(each: readonly string[], work: (of: string) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(each.map(work));
}

async function importColumns(attacked: AttackedService, count: number, { cards, items }: { cards: number; items: number }): Promise<Columns> {
  const checklists = items === 0 ? [] : [{ title: 'Steps', items: Array.from({ length: items }, (_, n) => ({ content: `Step ${n}` })) }];
  const full = Array.from({ length: cards }, (_, n) => ({ title: `Card ${n}`, checklists }));
  const document = {
    format: 'switchboard-board',
    version: 1,
    title: 'Full columns',
    columns: Array.from({ length: count }, (_, n) => ({ id: `c${n}`, title: `Column ${n}`, cards: full })),
  };
  const { board } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const { columns } = await attacked.do<{ columns: { id: string }[] }>('GET', `/boards/${board.id}`);
  return { board: board.id, ids: columns.map(({ id }) => id) };
}

async function cardsOf(attacked: AttackedService, board: string): Promise<string[]> {
  const { columns } = await attacked.do<{ columns: { cards: { id: string }[] }[] }>('GET', `/boards/${board}`);
  return columns.flatMap(({ cards }) => cards.map(({ id }) => id));
}
