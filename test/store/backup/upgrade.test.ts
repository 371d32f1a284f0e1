import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
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
    t.hasStrict(await readEverything(app.api), expected);
    await app.close();
    t.match(await checkFolder(dataDir), { problems: [], notes: [], boards: 2 }, 'and leaves a sound folder');
  });
}

t.test('the fixtures contain a folder with the current schema', async (t) => {
  t.ok(fixtures.includes(basename(currentFixture())), 'after a new migration run: node dist/test/support/store/upgradeFixture.js');
});
