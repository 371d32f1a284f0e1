/** What is said where the binary of better-sqlite3 cannot be loaded. */
import { join } from 'node:path';
import t from 'tap';
import { UnsupportedHost } from '../../src/domain/errors.js';
import { loadSqlite } from '../../src/store/sqlite/sqlite.js';
import { runProgram } from '../support/service/program.js';
import { temporaryFolder } from '../support/store/folder.js';

const NODE_22 = { node: '22.1.0', modules: '127' };
const NODE_24 = { node: '24.1.0', modules: '137' };

/** As Node says it. */
function compiledFor(abi: number): string {
  return (
    "The module '/a/better_sqlite3.node'\nwas compiled against a different Node.js version using\n" +
    `NODE_MODULE_VERSION ${abi}. This version of Node.js requires\nNODE_MODULE_VERSION 127. Please try re-compiling or re-installing\n` +
    'the module (for instance, using `npm rebuild` or `npm install`).'
  );
}

function messageOf(versions: typeof NODE_22, message: string, code: string): string {
  const fail = (): never => {
    throw Object.assign(new Error(message), { code });
  };
  try {
    loadSqlite(versions, fail);
  } catch (error) {
    if (error instanceof UnsupportedHost) return error.message;
    throw error;
  }
  return 'no error';
}

t.test('DEPLOY18 packages that were installed for another Node are named with both versions', async (t) => {
  t.equal(
    messageOf(NODE_22, compiledFor(115), 'ERR_DLOPEN_FAILED'),
    'better-sqlite3 was installed for Node 20, and this is Node 22.1.0: run npm ci with this Node, which installs all packages for it.',
  );
  t.match(messageOf(NODE_22, compiledFor(147), 'ERR_DLOPEN_FAILED'), 'installed for another version of Node (NODE_MODULE_VERSION 147), and');
  t.equal(
    messageOf(NODE_24, "Cannot find module 'better-sqlite3-13'", 'MODULE_NOT_FOUND'),
    'better-sqlite3-13 is not installed, and Node 24.1.0 needs it: run npm ci with this Node, without --omit=optional.',
  );
  t.equal(messageOf(NODE_22, 'file too short', 'ERR_DLOPEN_FAILED'), 'better-sqlite3 cannot be loaded: file too short');
});

t.test('DEPLOY18 with such packages no command that needs them starts: one sentence, and exit code 78', async (t) => {
  const fail = `throw Object.assign(new Error(${JSON.stringify(compiledFor(115))}),{code:'ERR_DLOPEN_FAILED'})`;
  const foreign = `data:text/javascript,{const open=process.dlopen;process.dlopen=(...all)=>{if(/sqlite/.test(all[1]))${fail};open.apply(process,all)}}`;
  const folder = await temporaryFolder(t);
  const settings = { NODE_OPTIONS: `--import=${encodeURI(foreign)}`, DATA_DIR: join(folder, 'data'), PORT: '0' };
  const sentence = `better-sqlite3(?:-13)? was installed for Node 20, and this is Node ${process.versions.node}: run npm ci with this Node, .*\\.`;
  const commands = [['serve'], ['demo'], ['user', 'list'], ['check'], ['backup', join(folder, 'backup')]];
  for (const args of commands) {
    const { code, stdout, stderr } = await runProgram(args, settings, { folder });
    t.strictSame({ code, stdout }, { code: 78, stdout: '' }, args.join(' '));
    t.match(stderr, new RegExp(`^switchboard: ${sentence}\\n$`), args.join(' '));
  }
  t.match(await runProgram(['config', 'check'], settings, { folder }), { code: 78, stderr: new RegExp(`^ {2}- ${sentence}$`, 'm') });
  t.match(await runProgram(['--version'], settings, { folder }), { code: 0, stderr: '' }, 'other commands need none');
});
