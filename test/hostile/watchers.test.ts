/** Notices to many, and lists that pass over much, beside a bystander on the same shard. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { temporaryFolder } from '../support/store/folder.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { until } from '../support/until.js';
import { range } from '../support/realtime/realtimeBoard.js';

/** As many as a card can have assignees, who all watch it. */
const WATCHERS = 1_000;
const AT_ONCE = 8;
const ROUNDS = IS_LONG_FORM ? 20 : 1;
/** So many notices of one board to each of a thousand are not held back. */
const NOT_HELD_BACK = 20;
const FACTS = 5_000;
const ARCHIVED = 2_000;
const CARDS_IN_BATCH = 100;
const DOCUMENT = { format: 'switchboard-board', version: 1, title: 'Crowd' };

interface Imported {
  readonly board: { readonly id: string };
}

async function folderWithUsers(t: Test, emails: readonly string[]): Promise<string> {
  const dataDir = await temporaryFolder(t);
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const rest = { hashed_password: 'none', firstname: null, lastname: null, is_superuser: false, now: new Date().toISOString() };
  directory.runNow(
    emails.map((email) => ({ op: 'user.create' as const, input: { id: randomUUID(), email, username: email.split('@')[0] ?? '', ...rest } })),
  );
  directory.close();
  return dataDir;
}

async function unread(attacked: AttackedService, token: string): Promise<number> {
  const response = await attacked.send('GET', '/me/notifications?limit=1', undefined, token);
  return ((await response.json()) as { readonly unread: number }).unread;
}

async function firstCard(attacked: AttackedService, board: string): Promise<{ card: string; column: string }> {
  const { columns } = await attacked.do<{ columns: { id: string; cards: { id: string }[] }[] }>('GET', `/boards/${board}`);
  const [column] = columns;
  return { card: column?.cards[0]?.id ?? '', column: column?.id ?? '' };
}

t.test('HOSTILE41 comments on a card that a thousand members watch, and moves of it, delay no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const strangers = range(1, WATCHERS - 2).map((n) => `watcher-${n}@example.org`);
  const attacked = await AttackedService.start(t, { SHARDS: '1', DATA_DIR: await folderWithUsers(t, strangers) });
  const { attacker, bystander } = attacked;
  const emails = [...strangers, bystander.email];
  const everyone = [...emails, attacker.email];
  const { board } = await attacked.do<Imported>('POST', '/boards/import', {
    ...DOCUMENT,
    members: emails.map((email) => ({ email, role: 'member' })),
    columns: [
      { id: 'a', title: 'To do', cards: [{ title: 'Watched', assignees: everyone }] },
      { id: 'b', title: 'Done', cards: [] },
    ],
  });
  const { card } = await firstCard(attacked, board.id);
  const damage = await attacked.suffer(t, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const comments = range(1, AT_ONCE).map((n) => attacked.do('POST', `/cards/${card}/comments`, { body: `To all of you, ${round} ${n}` }));
      const reads = range(1, AT_ONCE).map(() => attacked.do('GET', '/me/notifications?limit=200'));
      await Promise.all([...comments, ...reads, attacked.do('POST', `/cards/${card}/move`, { position: 0 })]);
    }
    // They are delivered after the answers.
    const least = Math.min(AT_ONCE * ROUNDS, NOT_HELD_BACK);
    await until(async () => ((await unread(attacked, bystander.token)) >= least ? true : null));
  });
  await expectUnharmed(t, attacked, damage);
});

t.test('HOSTILE41 pages of activity and searches of an archive that find nothing delay no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t, { SHARDS: '1' });
  const archived_at = '2030-01-01T00:00:00.000Z';
  const cards = range(1, ARCHIVED).map((n) => ({ title: `Old ${n}`, description: 'x'.repeat(500), archived_at }));
  const { board } = await attacked.do<Imported>('POST', '/boards/import', {
    ...DOCUMENT,
    columns: [{ id: 'a', title: 'To do', cards: [{ title: 'Here' }, ...cards] }],
  });
  const { card } = await firstCard(attacked, board.id);
  for (const round of range(1, FACTS / CARDS_IN_BATCH)) {
    const operations = range(1, CARDS_IN_BATCH).map((n) => ({ method: 'PATCH', path: `/cards/${card}`, body: { title: `${round} ${n}` } }));
    await attacked.do('POST', `/boards/${board.id}/batch`, { operations });
  }
  const paths = [
    `/boards/${board.id}/activity?user_id=${attacked.bystander.id}`,
    `/boards/${board.id}/activity?kind=label.deleted`,
    `/boards/${board.id}/archive?q=nothing`,
  ];
  const damage = await attacked.suffer(t, async () => {
    for (let round = 0; round < 5 * ROUNDS; round += 1) {
      const pages = range(1, AT_ONCE).flatMap(() => paths.map((path) => attacked.do<Record<string, unknown>>('GET', path)));
      const answered = await Promise.all(pages);
      const isEmpty = (page: object): boolean => 'next' in page && !JSON.stringify(page).includes('"id"');
      t.ok(answered.every(isEmpty), 'nothing is found');
    }
  });
  await expectUnharmed(t, attacked, damage);
});
