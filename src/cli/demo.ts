/** `demo`: a service with a board that colleagues are busy on. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { App } from '../app.js';
import { EX_CONFIG, loadConfig, readEnvironment, type Config } from '../settings/config.js';
import type { DemoSettings, DemoStarted } from '../demo/messages.js';
import { VISITOR } from '../demo/plan.js';
import { command, type Terminal } from './command.js';
import { CommandFailure } from './outcome.js';
import { runService } from './runService.js';

/** The first Node whose WebSocket needs no flag. */
const NODE_WITH_SOCKETS = 22;
const SECRET_BYTES = 32;

export const demo = command({
  words: 'demo',
  summary: 'Start a service with a board that colleagues are busy on, to look at in a browser.',
  description: 'It has a folder of its own, which is removed at the end. Your own data are not touched, and of your settings only PORT is used.',
  options: {
    host: {
      type: 'string',
      placeholder: 'address',
      meaning: 'The address to listen on. Default: 127.0.0.1, because everyone who reaches it can log in.',
    },
    port: { type: 'string', placeholder: 'number', meaning: 'The port to listen on. Default: PORT, or 8000; 0 takes any free one.' },
  },
  run: ({ options }, terminal) => runDemo(options, terminal),
});

export interface DemoOptions {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

export async function runDemo(options: DemoOptions, terminal: Terminal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-demo-'));
  let colleagues: Worker | null = null;
  try {
    return await runService(demoConfig(folder, options), terminal, (app) => {
      colleagues = startColleagues(app, terminal);
    });
  } finally {
    await (colleagues as Worker | null)?.terminate();
    await rm(folder, { recursive: true, force: true });
  }
}

function demoConfig(dataDir: string, { host, port }: DemoOptions): Config {
  const { PORT } = readEnvironment(process.cwd());
  const loaded = loadConfig({
    HOST: host ?? '127.0.0.1',
    PORT: port ?? PORT,
    DATA_DIR: dataDir,
    SHARDS: '2',
    LOG_LEVEL: 'warn',
    JWT_SECRET: randomBytes(SECRET_BYTES).toString('base64'),
  });
  if (loaded.ok) return loaded.config;
  throw new CommandFailure(EX_CONFIG, loaded.problems.join('\n'));
}

function startColleagues(app: App, terminal: Terminal): Worker {
  const hasSockets = Number(process.versions.node.split('.')[0]) >= NODE_WITH_SOCKETS;
  const worker = new Worker(new URL('../demo/demoThread.js', import.meta.url), {
    workerData: { url: app.url, password: randomBytes(SECRET_BYTES).toString('base64') } satisfies DemoSettings,
    execArgv: hasSockets ? [] : ['--experimental-websocket', '--no-warnings'],
  });
  worker.on('message', ({ boardId }: DemoStarted) => terminal.stdout.write(welcome(app.url, boardId)));
  worker.on('error', (error) => terminal.stderr.write(`The colleagues stopped: ${error.message}\n`));
  return worker;
}

function welcome(url: string, boardId: string): string {
  return [
    '',
    '  A board with three busy colleagues is open at',
    `  ${url}/app/boards/${boardId}`,
    '',
    `  Log in as ${VISITOR.username}, with the password ${VISITOR.password}.`,
    '  Ctrl-C ends the demonstration, and nothing of it stays.',
    '',
    '',
  ].join('\n');
}
