import t from 'tap';
import { readdir, readFile } from 'node:fs/promises';
import { packagePath } from '../src/paths.js';
import { LIMITS, runTestFiles } from './support/runner/testProcess.js';
import { readTapOutput } from './support/runner/tapOutput.js';
import { PACKAGE_CACHE } from './support/service/debianPackages.js';
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

t.test('TEST1 a test that needs a program outside of npm finds it first, and is skipped with the reason if it is missing', async (t) => {
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

t.test('TEST1 on a machine that has none of these programs their tests are skipped by name, and nothing fails', async (t) => {
  const names = await readdir(packagePath('test'), { recursive: true });
  // Whole files of NATS, the browser, Docker and a C compiler; others have tests that need nothing beside those that do.
  const files = names.filter((name) =>
    /^(?:machines\/|deploy\/container|client\/page\.browser|e2e\/web\/(?:live|filter))[^.]*\.[\w.]*test\.ts$/.test(name),
  );
  t.ok(files.length > 15, 'there are such files');
  const compiled = files.map((name) => packagePath('dist', 'test', name.replace(/ts$/, 'js')));
  const bare = { PATH: t.testdir({}), [PACKAGE_CACHE]: t.testdirName };
  const runs = await runTestFiles(compiled, LIMITS, null, { ...process.env, ...bare });
  for (const [index, { stdout, end }] of runs.entries()) {
    const { failed, skipped } = readTapOutput(stdout, end);
    t.strictSame(failed, [], files[index] ?? '');
    const reasons = skipped.map(({ reason }) => reason);
    t.ok(
      reasons.some((reason) => /^no (?:nats-server|chromium|docker|C compiler)/.test(reason)),
      `${files[index]}: ${reasons.join('; ')}`,
    );
  }
});

t.test('TEST1 a missing program is a reason to skip, never an empty command', async (t) => {
  const missing = await lookFor(['no-such-program', 'nor-this'], 'from nowhere');
  t.strictSame(missing, { missing: 'no no-such-program is installed (from nowhere)' });
  t.equal(skipWithout(missing), 'no no-such-program is installed (from nowhere)');
  t.throws(() => pathOf(missing), { message: /must be skipped: no no-such-program is installed/ });
  const sh = await lookFor(['no-such-program', 'sh']);
  t.match(pathOf(sh), /\/sh$/);
  t.equal(skipWithout(sh), false);
});
