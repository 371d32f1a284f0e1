import { join } from 'node:path';
import t from 'tap';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { storeSource } from '../../src/storeThread.js';
import { testConfig } from '../support/service/app.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

t.test('a shard that failed to open can be opened once the fault is repaired', async (t) => {
  const dataDir = t.testdir();
  const errors: unknown[] = [];
  const config = testConfig({ DATA_DIR: dataDir, SHARDS: '1' });
  const { id: folder } = await prepareFolder(config);
  const source = await storeSource({ kind: 'shards', settings: { ...config, folder, replicated: null } });
  const onError = (error: unknown): unknown => errors.push(error);
  const open = () =>
    source.open('shard 0', {
      onError,
      publish: () => undefined,
      later: setImmediate,
      endTurn: () => undefined,
      deposed: () => undefined,
      isTurnOver: () => false,
    });
  const sql = (text: string): void => {
    const db = new Sqlite(join(dataDir, 'shard-00.sqlite'));
    db.exec(text);
    db.close();
  };
  open().close(() => undefined);
  sql(`INSERT INTO outbox (board_key, payload) VALUES ('x', 'no JSON')`);
  t.throws(open, { name: 'SyntaxError' });
  t.throws(open, { name: 'SyntaxError' }, 'and not that another process has it');
  sql('DELETE FROM outbox');
  open().close(() => undefined);
  t.strictSame(errors, [], 'the failed attempts leave nothing open');
});
