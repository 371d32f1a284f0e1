import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import t from 'tap';
import { PLACEHOLDER_SECRET } from '../../src/settings/settings.js';
import { VERSION } from '../../src/version.js';
import { run, workplace } from '../support/service/commandLine.js';
import { spawnProgram } from '../support/service/program.js';

const COMMANDS = [
  'serve',
  'demo',
  'init',
  'user create',
  'user promote',
  'user demote',
  'user deactivate',
  'user activate',
  'user verify',
  'user passwd',
  'user reset-link',
  'user reset-factor',
  'user token',
  'user delete',
  'user list',
  'board list',
  'board show',
  'board watch',
  'board create',
  'column add',
  'card list',
  'card show',
  'card add',
  'card move',
  'card update',
  'card assign',
  'card comment',
  'card archive',
  'card restore',
  'card delete',
  'trash list',
  'trash restore',
  'seed',
  'export',
  'import',
  'cluster init',
  'cluster snapshot',
  'cluster reseed',
  'cluster doctor',
  'cluster verify',
  'cluster drain',
  'cluster undrain',
  'cluster',
  'backup',
  'restore',
  'check',
  'config check',
  'mail test',
];

/** Every test starts the program several times, which is slow on a busy machine. */

t.test('CLI1 --help shows every command, and the help of each command shows its use', async (t) => {
  const { folder } = workplace(t);
  const overview = await run(folder, ['--help']);
  t.match(overview, { code: 0, stderr: '' });
  t.strictSame(
    [...overview.stdout.matchAll(/^ {2}((?:\w+ )?[\w-]+) {2}/gm)].map(([, words]) => words),
    COMMANDS,
  );
  const helps = await Promise.all(COMMANDS.map((words) => run(folder, [...words.split(' '), '--help'])));
  for (const [index, help] of helps.entries()) {
    const use = `Usage: switchboard ${COMMANDS[index]}`;
    t.match(help, { code: 0, stderr: '' }, use);
    t.equal(help.stdout.slice(0, use.length), use);
  }
  const group = await run(folder, ['user', '-h']);
  t.match(group, { code: 0, stdout: /user promote/, stderr: '' });
  t.strictSame(readdirSync(folder), []);
});

t.test('CLI1 --version shows the version of the package', async (t) => {
  const { folder } = workplace(t);
  t.strictSame(await run(folder, ['--version']), { code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

for (const [args, message] of [
  [['frobnicate'], 'There is no command "frobnicate".'],
  [['bakcup'], 'There is no command "bakcup". Did you mean "backup"?'],
  [['user', 'lits'], 'There is no command "user lits". Did you mean "user list"?'],
  [['usr', 'list'], 'There is no command "usr list". Did you mean "user list"?'],
  [['user'], '"user" needs a command.'],
  [['user', 'frobnicate'], 'There is no command "user frobnicate".'],
  [['--frobnicate'], "Unknown option '--frobnicate'."],
  [['serve', 'now'], '"now" is one argument too many.'],
  [['user', 'list', '--frobnicate'], "Unknown option '--frobnicate'."],
  [['user', 'list', '--search'], "Option '--search <value>' argument missing."],
  [['user', 'promote'], 'Name the user.'],
  [['user', 'promote', 'ann', 'bob'], '"bob" is one argument too many.'],
  [['user', 'create', '--username', 'ann'], '--email is missing.'],
  [['mail', 'test', 'nowhere'], '"nowhere" is no e-mail address.'],
  [['user', 'create', '--email', 'nowhere', '--username', 'ann'], '--email must be an e-mail address.'],
] as const) {
  t.test(`CLI3 "${args.join(' ')}" is invalid: a message on standard error and exit code 64`, async (t) => {
    const { folder } = workplace(t);
    const { code, stdout, stderr } = await run(folder, args);
    t.match({ code, stdout }, { code: 64, stdout: '' });
    t.equal(stderr.split('\n')[0], `switchboard: ${message}`);
    t.match(stderr, /^Try: switchboard .*--help$/m);
    t.strictSame(readdirSync(folder), []);
  });
}

t.test('CLI12 config check shows the values in effect and their source, without secrets', async (t) => {
  const { folder } = workplace(t);
  writeFileSync(join(folder, '.env'), 'SHARDS=5\nJWT_SECRET=hunter2\n');
  const settings = { PORT: '9000', NATS_URL: 'nats://operator:hunter2@localhost:1' };
  const { code, stdout, stderr } = await run(folder, ['config', 'check'], { settings });
  t.equal(code, 78, 'nobody listens there');
  t.match(stderr, /^switchboard: The configuration is invalid\.\n {2}- NATS_URL: the server nats:\/\/\(hidden\)@localhost:1 does not answer .*\n$/);
  t.match(stdout, /^PORT +9000 +set /m);
  t.match(stdout, /^SHARDS +5 +set /m);
  t.match(stdout, /^LOG_LEVEL +info +default /m);
  t.match(stdout, /^NATS_URL +nats:\/\/\(hidden\)@localhost:1 +set /m);
  t.match(stdout, /^JWT_SECRET +\(hidden\) +set /m);
  t.notMatch(stdout + stderr, 'hunter2');
});

for (const args of [['config', 'check'], ['serve'], ['user', 'list']]) {
  t.test(`CLI12 "${args.join(' ')}" with bad settings lists every problem and exits with 78`, async (t) => {
    const { folder } = workplace(t);
    const settings = { ENVIRONMENT: 'production', JWT_SECRET: PLACEHOLDER_SECRET, PORT: 'x', CORS_ORIGINS: '*' };
    const { code, stdout, stderr } = await run(folder, args, { settings });
    t.match({ code, stdout }, { code: 78, stdout: '' });
    const named = [...stderr.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name);
    t.strictSame(named, ['PORT', 'JWT_SECRET', 'CORS_ORIGINS']);
    t.strictSame(readdirSync(folder), []);
  });
}

t.test('CLI21 a reader that closes the pipe early is not a failure', async (t) => {
  const { folder } = workplace(t);
  const child = spawnProgram(['config', 'check'], {}, folder);
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit') as Promise<[unknown]>]);
  t.strictSame({ stderr, code }, { stderr: '', code: 0 });
});

t.test('CLI3 commands about several machines are refused without replication', async (t) => {
  const { folder } = workplace(t);
  for (const word of ['doctor', 'verify', 'drain', 'undrain']) {
    const { code, stdout, stderr } = await run(folder, ['cluster', word]);
    t.strictSame({ code, stdout }, { code: 64, stdout: '' }, word);
    t.match(stderr, /^switchboard: This command needs REPLICATION=jetstream/);
  }
});
