import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { backUp } from '../../../src/store/backup/backup.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { startTestApp } from '../../support/service/app.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { runProgram } from '../../support/service/program.js';
import { sql } from '../../support/store/sqlFile.js';
import { currentFixture } from '../../support/store/upgradeFixture.js';

const FILES = ['directory.sqlite', 'folder.json', 'shard-00.sqlite'];
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

async function dataFolder(t: Test): Promise<string> {
  const dataDir = await temporaryFolder(t);
  for (const name of FILES) await cp(join(currentFixture(), name), join(dataDir, name));
  return dataDir;
}

interface Damage {
  readonly file?: 'directory.sqlite';
  readonly sql: string;
  /** The text of each problem; there are no others. */
  readonly says: readonly RegExp[];
}

const shard = (statement: string, ...says: readonly RegExp[]): Damage => ({ sql: statement, says });
const directory = (statement: string, ...says: readonly RegExp[]): Damage => ({
  file: 'directory.sqlite',
  ...shard(statement, ...says),
});

const FIRST_CARD = `WHERE title = 'First'`;
const CARDS_FILE = 'WHERE comment_id IS NULL';
const CONTENT_OF_CARD = `WHERE attachment_id IN (SELECT id FROM attachment ${CARDS_FILE})`;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a card without a column': shard(
    `UPDATE card SET column_id = '${UNKNOWN_ID}' ${FIRST_CARD}`,
    /shard-00\.sqlite: on board \w+, card \S+ is in a column that does not exist/,
  ),
  'a checklist without a card': shard(`UPDATE checklist SET card_id = '${UNKNOWN_ID}'`, /checklist \S+ is in a card that does not exist/),
  'an item without a checklist': shard(`UPDATE item SET checklist_id = '${UNKNOWN_ID}'`, /item \S+ is in a checklist that does not exist/),
  'two columns of one rank': shard('UPDATE board_column SET rank = 7', /column \S+ has the same rank as \S+ beside it/),
  'a rank beyond the limit': shard(
    `UPDATE card SET rank = 9007199254740991 ${FIRST_CARD}`,
    /card \S+ has the rank 9007199254740991, beyond the limit/,
  ),
  'a card on its way that nothing takes': shard(
    `INSERT INTO moved SELECT board_key, id, 'leaving', '${UNKNOWN_ID}', '${UNKNOWN_ID}', column_id, NULL, created_by, NULL, created_at, updated_at
     FROM card ${FIRST_CARD}`,
    /1 cards are on their way to another board/,
  ),
  'a label that is gone': shard('DELETE FROM label', /card \S+ refers to the label \S+, which does not exist/),
  'an assignee who is not a member': shard(
    `UPDATE card SET assignee_ids = '["${UNKNOWN_ID}"]' ${FIRST_CARD}`,
    /card \S+ refers to the member 0{8}\S+, which does not exist/,
  ),
  'an assignee twice': shard(
    `UPDATE card SET assignee_ids = json_array(json_extract(assignee_ids, '$[0]'), json_extract(assignee_ids, '$[0]'))
     ${FIRST_CARD}`,
    /card \S+ has the same member twice/,
  ),
  'a rule that refers to nothing': shard(
    `UPDATE rule SET trigger_column_id = '${UNKNOWN_ID}'`,
    /rule \S+ refers to the column 0{8}\S+, which does not exist/,
  ),
  'a rule that runs without its reference': shard(
    'UPDATE rule SET trigger_column_id = NULL',
    /rule \S+ is enabled without a reference that it needs/,
  ),
  'a board without an owner': shard(`UPDATE member SET role = 'member'`, /has no owner/, /has no owner/),
  'an id of another board': shard(`UPDATE label SET id = '${UNKNOWN_ID}'`, /label 0{8}\S+ has the id of another board/, /refers to the label/),
  'a list that cannot be read': shard(`UPDATE card SET label_ids = '[' ${FIRST_CARD}`, /cannot be read/),
  'a gap in the events': shard('DELETE FROM event WHERE seq = 3', /between events 1 and \d+ some are missing/),
  'a number that runs ahead of the events': shard(
    `UPDATE board SET seq = seq + 1 WHERE title = 'Plans'`,
    /the latest event has number \d+, and the board is at \d+/,
  ),
  'an attachment without content': shard(`DELETE FROM blob ${CONTENT_OF_CARD}`, /attachment \S+ has 0 bytes of content instead of 19/),
  'content that is cut off': shard(`UPDATE blob SET bytes = x'00' ${CONTENT_OF_CARD}`, /attachment \S+ has 1 bytes of content instead of 19/),
  'content without its beginning': shard(`UPDATE blob SET n = 1 ${CONTENT_OF_CARD}`, /attachment \S+ lacks a part of its content/),
  'content that is marked for deletion': shard(
    `INSERT INTO loose_blob SELECT id, board_key, 'discarded', '' FROM attachment ${CARDS_FILE}`,
    /attachment \S+ has content that is marked for deletion/,
  ),
  'a byte of a file that was flipped': shard(
    `UPDATE blob SET bytes = CAST(replace(CAST(bytes AS TEXT), 'file', 'fila') AS BLOB)`,
    /attachment \S+ has damaged content after 0 bytes: its checksum differs/,
  ),
  'a byte of an event that was flipped': shard(
    `UPDATE event SET json = replace(json, 'with everything', 'with everythinf') WHERE type = 'card.created'`,
    /on board \w+, event \d+ is damaged: its checksum differs/,
  ),
  'an event of another type': shard(`UPDATE event SET type = 'card.movee' WHERE type = 'card.moved'`, /event \d+ is damaged/),
  'a kept answer that is not JSON': shard(`UPDATE answer SET body = substr(body, 2) WHERE id = 1`, /1 kept answers cannot be read/),
  'content without an attachment': shard(`DELETE FROM attachment ${CARDS_FILE}`, /1 contents belong to no attachment/),
  'cards of no board': shard(
    `DELETE FROM board WHERE title = 'Alone'`,
    /1 rows of member belong to no board/,
    /\d rows of event belong to no board/,
    /the directory lists the board \S+, which does not exist/,
  ),
  'a file of another place, and so the boards in it': shard(
    'UPDATE place SET shard = 1',
    /shard-00\.sqlite is marked as shard 1/,
    /shard 0 is missing/,
    /on board \w+, nothing can be found: it is looked for in shard 0/,
    /on board \w+, nothing can be found: it is looked for in shard 0/,
  ),
  'a membership that the directory lacks': directory(
    'DELETE FROM membership WHERE position = 2',
    /is a member of board \S+ of shard-00\.sqlite, but not in the directory/,
  ),
  'a member who is not a user': directory(`DELETE FROM user WHERE username = 'ann'`, /is a member of board \S+ of shard-00\.sqlite but not a user/),
  'an outdated profile that is not pending': directory(
    `UPDATE user SET firstname = 'Changed' WHERE username = 'ann'`,
    /board \S+ of shard-00\.sqlite has an outdated profile of/,
  ),
  'a newer schema': directory(`INSERT INTO schema_version VALUES (99, '0099-later.sql', '')`, /directory\.sqlite has schema 99, of a newer program/),
};

for (const [what, { file = 'shard-00.sqlite', sql: statement, says }] of Object.entries(DAMAGES)) {
  t.test(`CHECKUP1 ${what} is found, and nothing else`, async (t) => {
    const dataDir = await dataFolder(t);
    sql(join(dataDir, file), statement);
    const { problems } = await checkFolder(dataDir);
    t.equal(problems.length, says.length, problems.join('\n'));
    for (const expected of says)
      t.ok(
        problems.some((problem) => expected.test(problem)),
        String(expected),
      );
  });
}

t.test('CHECKUP2 a sound folder has no problems and is unchanged by the check', async (t) => {
  const dataDir = await dataFolder(t);
  const before = await Promise.all(FILES.map((name) => readFile(join(dataDir, name))));
  t.strictSame(await checkFolder(dataDir), { problems: [], notes: [], files: 2, boards: 2 });
  t.strictSame((await readdir(dataDir)).sort(), FILES);
  t.same(await Promise.all(FILES.map((name) => readFile(join(dataDir, name)))), before);
  await t.rejects(checkFolder(join(dataDir, 'nothing')), { code: 'not_found' });
});

t.test('CHECKUP1 a listed file that is missing, and a file of another folder, are named', async (t) => {
  const missing = await dataFolder(t);
  await rm(join(missing, 'shard-00.sqlite'));
  t.strictSame((await checkFolder(missing)).problems, ['shard-00.sqlite is missing']);
  const headless = await dataFolder(t);
  await rm(join(headless, 'directory.sqlite'));
  t.strictSame((await checkFolder(headless)).problems, ['directory.sqlite is missing']);
  const foreign = await dataFolder(t);
  sql(join(foreign, 'shard-00.sqlite'), `UPDATE place SET folder = '${UNKNOWN_ID}'`);
  t.strictSame((await checkFolder(foreign)).problems, [`shard-00.sqlite belongs to another data folder (${UNKNOWN_ID})`]);
});

t.test('CHECKUP2 files that are not data are noted and are not a problem', async (t) => {
  const dataDir = await dataFolder(t);
  await cp(join(dataDir, 'shard-00.sqlite'), join(dataDir, 'shard-07.sqlite'));
  for (const name of ['notes.txt', 'cluster.key', 'directory.lock', 'folder.lock']) await writeFile(join(dataDir, name), '');
  await mkdir(join(dataDir, 'old'));
  await mkdir(join(dataDir, 'control'));
  const { problems, notes, files } = await checkFolder(dataDir);
  t.strictSame(problems, []);
  t.strictSame([...notes].sort(), ['notes.txt is not part of the data', 'old is not part of the data', 'shard-07.sqlite is not part of the data']);
  t.equal(files, 2);
});

t.test('CHECKUP2 rows of an older program have no checksum and are not a problem', async (t) => {
  const dataDir = await dataFolder(t);
  sql(join(dataDir, 'shard-00.sqlite'), 'UPDATE event SET checksum = NULL', 'UPDATE blob SET checksum = NULL');
  t.strictSame((await checkFolder(dataDir)).problems, []);
});

t.test('CHECKUP2 an undelivered membership change is not a problem', async (t) => {
  const dataDir = await dataFolder(t);
  sql(join(dataDir, 'directory.sqlite'), 'DELETE FROM membership');
  sql(join(dataDir, 'shard-00.sqlite'), `INSERT INTO outbox (board_key, payload) SELECT board_key, '{}' FROM board`);
  t.strictSame((await checkFolder(dataDir)).problems, []);
});

t.test('CHECKUP1 a file that is not a database, or is damaged inside, is named with the message of SQLite', async (t) => {
  const [foreign, torn] = [await dataFolder(t), await dataFolder(t)];
  await writeFile(join(foreign, 'shard-00.sqlite'), 'Something else entirely. '.repeat(400));
  t.match((await checkFolder(foreign)).problems, [/^shard-00\.sqlite cannot be read: file is not a database$/]);
  const content = await readFile(join(torn, 'directory.sqlite'));
  await writeFile(join(torn, 'directory.sqlite'), content.fill(0xff, content.length - 4_096));
  const { problems } = await checkFolder(torn);
  t.ok(problems.length > 0);
  t.strictSame(
    problems.filter((problem) => !problem.startsWith('directory.sqlite')),
    [],
  );
});

t.test('CHECKUP1 a backup is also compared with its manifest', async (t) => {
  const target = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir: await dataFolder(t), target, program: 'test' });
  t.strictSame((await checkFolder(target)).problems, []);
  sql(join(target, 'shard-00.sqlite'), `UPDATE card SET title = 'Forged' ${FIRST_CARD}`);
  t.strictSame((await checkFolder(target)).problems, ['shard-00.sqlite is not what was backed up: its checksum differs']);
});

t.test('CHECKUP2 a file with an older schema is noted and not inspected', async (t) => {
  const dataDir = await dataFolder(t);
  sql(join(dataDir, 'directory.sqlite'), 'DELETE FROM schema_version WHERE version > 1', 'DROP TABLE membership');
  const { problems, notes } = await checkFolder(dataDir);
  t.strictSame(problems, []);
  t.match(notes, [/^directory\.sqlite has the schema of an older program/]);
});

t.test('CHECKUP1 the command lists the problems and exits with 1, or with 0 if there are none', async (t) => {
  const dataDir = await dataFolder(t);
  const sound = await runProgram(['check', dataDir], {});
  t.strictSame(sound, { code: 0, stdout: `${dataDir}: no problems in 2 files with 2 boards.\n`, stderr: '' });
  sql(join(dataDir, 'shard-00.sqlite'), `DELETE FROM blob ${CONTENT_OF_CARD}`);
  const damaged = await runProgram(['check'], { DATA_DIR: dataDir });
  t.match(damaged, { code: 1, stdout: /attachment .* has 0 bytes.*\n.*: 1 problem in 2 files/, stderr: '' });
});

t.test('CHECKUP1 a folder in use by a service is not checked, and the command says so', async (t) => {
  const { config, close } = await startTestApp(t, { SHARDS: '1' });
  await t.rejects(checkFolder(config.dataDir), { message: /in use by a running service/ });
  const refused = await runProgram(['check'], { DATA_DIR: config.dataDir });
  t.match(refused, { code: 75, stdout: '', stderr: /in use by a running service\. Stop it first, or make a backup/ });
  await close();
  t.strictSame((await checkFolder(config.dataDir)).problems, []);
});
