import t from 'tap';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../src/paths.js';
import { LIMITS, runTestFiles } from './support/runner/testProcess.js';
import { readTapOutput } from './support/runner/tapOutput.js';
import { PACKAGE_CACHE } from './support/service/packageCache.js';
import { lookFor, pathOf, skipWithout } from './support/service/programs.js';

const START = 'execFile|execFileSync|spawn|spawnSync';

/**
 * Where a test file runs a program by its name, or an empty command if the program is missing. `node` itself
 * (`process.execPath`) and the path of a program that was found are neither.
 */
function unsafeCalls(text: string): string[] {
  if (!text.includes('node:child_process')) return fallbacks(text);
  const aliases = [...text.matchAll(/const (\w+) = promisify\(execFile\);/g)].map(([, name = '']) => name);
  const call = new RegExp(`(?<![.\\w])(?:${[START, ...aliases].join('|')}|promisify\\(execFile\\))\\(\\s*(?:['"\`][^,)]*|\\w+ \\?\\? '')`, 'g');
  const calls = [...text.matchAll(call)].map(([found]) => found);
  // Programs of a shell cannot be checked.
  const shells = [...text.matchAll(/import \{[^}]*\b(?:exec|execSync)\b[^}]*\} from 'node:child_process'/g)].map(([found]) => found);
  return [...calls, ...shells, ...fallbacks(text)];
}

/** An empty path in place of a missing program. */
function fallbacks(text: string): string[] {
  return [...text.matchAll(/'path' in \w+ \? \w+\.path : ''|findProgram\([^)]*\)\)? \?\? ''/g)].map(([found]) => found);
}

t.test('a test that needs a program outside of npm finds it first, and is skipped with the reason if it is missing', async (t) => {
  const names = (await readdir(packagePath('test'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  t.ok(names.length > 0, 'there are test files');
  const found: Record<string, string[]> = {};
  for (const name of names) {
    // This file shows what is wrong.
    if (name === 'programs.test.ts') continue;
    const calls = unsafeCalls(await readFile(packagePath('test', name), 'utf8'));
    if (calls.length > 0) found[name] = calls;
  }
  t.strictSame(found, {});

  const wrong = [
    "spawn('nats-server', [])",
    "await promisify(execFile)('curl', [url])",
    "await run('git', ['ls-files'])",
    'execFileSync(`cp`, [])',
    "run(analyze ?? '', [])",
    "const docker = (await findProgram('docker')) ?? '';",
    "const program = 'path' in nats ? nats.path : '';",
  ];
  const head = "import { execFile, spawn } from 'node:child_process';\nconst run = promisify(execFile);\n";
  for (const line of wrong) t.equal(unsafeCalls(head + line).length, 1, line);
  t.equal(unsafeCalls("import { exec } from 'node:child_process';").length, 1, 'a shell');
  const right = [
    'spawn(process.execPath, [program])',
    "run(pathOf(docker), ['compose'])",
    'promisify(execFile)(openssl, [])',
    "room.spawn(['demo'])",
  ];
  for (const line of right) t.strictSame(unsafeCalls(head + line), [], line);
});

t.test('on a machine that has none of these programs their tests are skipped by name, and nothing fails', async (t) => {
  const names = await readdir(packagePath('test'), { recursive: true });
  const some = names.filter((name) =>
    /^(?:machines\/|cluster\/|crash\/|deploy\/(?!systemd)|client\/page\.browser|e2e\/web\/(?:live|filter))[^.]*\.[\w.]*test\.ts$/.test(name),
  );
  const texts = await Promise.all(some.map((name) => readFile(packagePath('test', name), 'utf8')));
  // Those whose tests mostly need NATS, the browser, Docker, a C compiler or OpenSSL; others have many that need nothing.
  const files = some.filter((_, index) => /skipWithout|compilePreload|[mM]achines\.|[bB]rowser\./.test(texts[index] ?? ''));
  t.ok(files.length > 40, `there are such files: ${files.length}`);
  const compiled = files.map((name) => packagePath('dist', 'test', name.replace(/ts$/, 'js')));
  const bare = { PATH: t.testdir({}), [PACKAGE_CACHE]: t.testdirName };
  const environment = { ...process.env, ...bare };
  // As in a whole run: those about crashes have a process each.
  const isAlone = (file: string): boolean => file.includes(join('test', 'crash'));
  const together = await runTestFiles(
    compiled.filter((file) => !isAlone(file)),
    LIMITS,
    null,
    environment,
  );
  const alone: typeof together = [];
  for (const file of compiled.filter(isAlone)) alone.push(...(await runTestFiles([file], LIMITS, null, environment)));
  files.sort((a, b) => Number(a.startsWith('crash')) - Number(b.startsWith('crash')));
  const runs = [...together, ...alone];
  for (const [index, { stdout, end }] of runs.entries()) {
    const { failed, skipped } = readTapOutput(stdout, end);
    t.strictSame(failed, [], files[index] ?? '');
    const reasons = skipped.map(({ reason }) => reason);
    t.ok(
      reasons.some((reason) => /^no (?:nats-server|chromium|docker|C compiler|nginx|caddy|openssl)/.test(reason)),
      `${files[index]}: ${reasons.join('; ')}`,
    );
  }
});

t.test('a missing program is a reason to skip, never an empty command', async (t) => {
  const missing = await lookFor(['no-such-program', 'nor-this'], 'from nowhere');
  t.strictSame(missing, { missing: 'no no-such-program is installed (from nowhere)' });
  t.equal(skipWithout(missing), 'no no-such-program is installed (from nowhere)');
  t.throws(() => pathOf(missing), { message: /must be skipped: no no-such-program is installed/ });
  const sh = await lookFor(['no-such-program', 'sh']);
  t.match(pathOf(sh), /\/sh$/);
  t.equal(skipWithout(sh), false);
});
