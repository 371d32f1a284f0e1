import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { SETTINGS } from '../../src/settings/settings.js';
import { packagePath } from '../../src/paths.js';
import { temporaryFolder } from '../support/store/folder.js';
import { freePort } from '../support/service/ports.js';
import { copiedFromContext, makeProductionTree } from '../support/service/productionTree.js';
import { lookFor, pathOf, skipWithout, type Found } from '../support/service/programs.js';

const run = promisify(execFile);
const SECRET = 'a-random-text-of-thirty-two-chars';

/** How a program ended. */
async function exitCode(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  const child = spawn(program, args, { env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

t.test('DEPLOY8 every file that the image copies exists and is sent to the builder', async (t) => {
  const ignore = (await readFile(packagePath('.dockerignore'), 'utf8')).split('\n');
  const sent = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const copied = await copiedFromContext();
  t.ok(copied.includes('src'), 'the lines are found');
  for (const path of copied) t.ok(existsSync(packagePath(path)), `${path} is there`);
  t.strictSame([...copied].sort(), [...sent].sort(), 'and nothing else is sent');
});

t.test('DEPLOY8 the files of the image are enough to serve, and its health check reflects the state', async (t) => {
  const folder = await temporaryFolder(t);
  await makeProductionTree(folder);
  const port = String(await freePort());
  const env = { ENVIRONMENT: 'production', JWT_SECRET: SECRET, DATA_DIR: await temporaryFolder(t), PORT: port };
  const check = (): Promise<number | null> => exitCode(process.execPath, [packagePath('deploy', 'healthcheck.mjs')], { PORT: port });
  t.equal(await check(), 1, 'before the start');
  const { stop, url } = await startTree(t, folder, env);
  t.equal(await check(), 0, 'while it serves');
  for (const path of ['/docs', '/redoc', '/openapi.json']) t.equal((await fetch(url + path)).status, 200, path);
  t.equal(await stop(), 0);
  t.equal(await check(), 1, 'after the stop');
});

async function startTree(
  t: Test,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; stop(): Promise<number | null> }> {
  const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const program = [...links, `${folder}/dist/program/main.js`, 'serve'];
  const child = spawn(process.execPath, program, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg } = JSON.parse(line) as { msg: string };
    if (msg === 'serving') break;
  }
  child.stdout.resume();
  return {
    url: `http://127.0.0.1:${env['PORT']}`,
    stop: async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

/** For all compose files; each takes some of it. */
const COMPOSE_ENVIRONMENT = {
  JWT_SECRET: SECRET,
  CLUSTER_SECRET: SECRET,
  SITE: 'boards.example.org',
  NATS_PASSWORD: 'password',
  NATS_ROUTE_PASSWORD: 'password',
  NATS_SYSTEM_PASSWORD: 'password',
  MACHINE: 'a',
  ADDRESS: '10.0.0.1',
  PEER_1: '10.0.0.2',
  PEER_2: '10.0.0.3',
  TRUSTED_PROXIES: '10.0.0.10',
};

/** Docker with its plugin, which reads compose files without an engine. */
async function findCompose(): Promise<Found> {
  const docker = await lookFor('docker');
  if ('missing' in docker) return docker;
  const hasCompose = await run(docker.path, ['compose', 'version']).then(
    () => true,
    () => false,
  );
  return hasCompose ? docker : { missing: 'docker has no "compose" here to read the compose files' };
}

const docker = await findCompose();
const compose = { skip: skipWithout(docker) };

/** Those of the container. */
const PLACES = ['DATA_DIR', 'HOST', 'PORT'];

/** `fixed`: settings that a file decides itself, whatever deploy/.env says. */
for (const [file, { services, fixed }] of Object.entries({
  'compose.yaml': { services: ['switchboard'], fixed: PLACES },
  'compose.cluster.yaml': {
    services: ['nats', 'proxy', 'switchboard-1', 'switchboard-2', 'switchboard-3'],
    fixed: [...PLACES, 'NATS_URL', 'TRUSTED_PROXIES'],
  },
  'compose.machines.yaml': { services: ['nats', 'switchboard'], fixed: [...PLACES, 'NATS_SYSTEM_URL', 'NATS_URL', 'REPLICATION'] },
})) {
  const path = packagePath('deploy', file);

  t.test(`DEPLOY1 docker compose accepts ${file}`, compose, async (t) => {
    const env = { ...process.env, ...COMPOSE_ENVIRONMENT };
    const { stdout } = await run(pathOf(docker), ['compose', '-f', path, 'config', '--format', 'json'], { env });
    const config = JSON.parse(stdout) as { services: Record<string, unknown> };
    t.strictSame(Object.keys(config.services).sort(), services);
  });

  t.test(`DEPLOY1 every setting in ${file} is a setting of the service`, async (t) => {
    const known = new Set(Object.values(SETTINGS).map(({ name }) => name));
    const instance = /(?:^x-instance|^ {2}switchboard):[^]*?\n {2,4}environment:\n((?: {4,}.*\n)+?)(?= {2,4}volumes)/m;
    const lines = instance.exec(await readFile(path, 'utf8'))?.[1] ?? '';
    const names = [...lines.matchAll(/^ +([A-Z_]+):/gm)].map(([, name = '']) => name);
    t.ok(names.includes('JWT_SECRET'), 'the lines are found');
    t.strictSame(
      names.filter((name) => !known.has(name)),
      [],
    );
    t.match(await readFile(path, 'utf8'), /env_file:\n +- path: \.env\n +required: false\n/, 'and every other one in deploy/.env is passed on');
    const set = [...lines.matchAll(/^ +([A-Z_]+): (.*)$/gm)].flatMap(([, name = '', value = '']) => (value.includes(`\${${name}:`) ? [] : [name]));
    t.strictSame(set.sort(), [...fixed].sort(), 'nothing else of deploy/.env is ignored');
  });
}
