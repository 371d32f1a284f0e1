import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { startTestApp } from '../../support/service/app.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { currentFixture, EXPECTED_FILE, FIXTURE_SHARDS, FIXTURES, readEverything } from '../../support/store/upgradeFixture.js';

const fixtures = (await readdir(FIXTURES)).filter((name) => name.startsWith('data-'));

for (const name of fixtures) {
  t.test(`UPGRADE1 the program opens ${name} and shows all its data`, async (t) => {
    const dataDir = await temporaryFolder(t);
    await cp(join(FIXTURES, name), dataDir, { recursive: true });
    await rm(join(dataDir, EXPECTED_FILE));
    const expected: unknown = JSON.parse(await readFile(join(FIXTURES, name, EXPECTED_FILE), 'utf8'));
    // The fixtures grow old, and their events must not be pruned.
    const settings = { DATA_DIR: dataDir, SHARDS: FIXTURE_SHARDS, EVENT_RETENTION_DAYS: '36500' };
    const app = await startTestApp(t, settings);
    // Fields that later programs add are not compared.
    const shown = await readEverything(app.api);
    t.hasStrict(shown, expected);
    t.strictSame(numbersIn(shown), [1, 2], 'cards of older programs have numbers, in the order of creation');
    await app.close();
    t.match(await checkFolder(dataDir), { problems: [], notes: [], boards: 2 }, 'and leaves a sound folder');
  });
}

/** Of the first board of Ann, by the time of creation. */
function numbersIn(shown: unknown): unknown[] {
  const { ann } = shown as { ann: { boards: Array<{ board: BoardJson }> } };
  const cards = ann.boards.flatMap(({ board }) => board.columns.flatMap((column) => column.cards));
  return cards.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at)).map(({ number }) => number);
}

t.test('the fixtures contain a folder with the current schema', async (t) => {
  t.ok(fixtures.includes(basename(currentFixture())), 'after a new migration run: node dist/test/support/store/upgradeFixture.js');
});
