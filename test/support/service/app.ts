/** Starts the real service for a test: all of it, in this process, on a free port and an empty data folder. */
import type { Test } from 'tap';
import type { Logger } from 'pino';
import { startApp, type App } from '../../../src/app.js';
import { loadConfig, type Environment, type SettledConfig } from '../../../src/settings/config.js';
import { Api } from '../http/api.js';
import { atProcessEnd } from '../runner/processEnd.js';
import { temporaryFolder } from '../store/folder.js';

export interface TestApp {
  readonly url: string;
  readonly config: SettledConfig;
  readonly api: Api;
  /** Closing again does nothing, so a test may stop the service itself. */
  close(): Promise<void>;
}

/** `overrides` are settings as in the environment; give DATA_DIR to start again on a folder that exists. */
export async function startTestApp(t: Pick<Test, 'teardown'>, overrides: Environment = {}, log?: Logger): Promise<TestApp> {
  const dataDir = overrides['DATA_DIR'] ?? (await temporaryFolder(t));
  const config = testConfig({ ...overrides, DATA_DIR: dataDir });
  const app = await startApp(config, log);
  t.teardown(() => app.close());
  return { url: app.url, config, api: await Api.connect(app.url), close: () => app.close() };
}

/** No test can close it. */
interface SharedApp extends TestApp {
  readonly app: App;
}

let shared: Promise<SharedApp> | null = null;

/**
 * One service with threads for all files of a process that leave it whole: each has users and boards of its own. Its start
 * takes a second of CPU, as much as all tests of such a file.
 */
export function sharedApp(): Promise<SharedApp> {
  return (shared ??= startShared());
}

async function startShared(): Promise<SharedApp> {
  const config = testConfig({ ...WITH_THREADS, DATA_DIR: await temporaryFolder({ teardown: atProcessEnd }) });
  const app = await startApp(config);
  atProcessEnd(() => app.close());
  const close = (): Promise<void> => Promise.reject(new Error('other files use this service'));
  return { app, url: app.url, config, api: await Api.connect(app.url), close };
}

/** The least that Argon2 takes: most tests are about something else than passwords, and make users by the dozen. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** For a service whose threads matter: where requests run beside each other, or a whole file shares it. */
export const WITH_THREADS = { SHARD_THREADS: '1' } as const satisfies Environment;

/**
 * Fewer shards than by default, because each is a file to open, and no store threads, because each loads its modules
 * anew, which is most of a start; the messages are the same without. Whole processes are started with the defaults.
 */
export function testConfig(settings: Environment): SettledConfig {
  const loaded = loadConfig({ PORT: '0', LOG_LEVEL: 'silent', SHARD_THREADS: '0', SHARDS: '4', ...settings });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const { shards } = loaded.config;
  if (shards === null) throw new Error('tests give the number of shards');
  return { ...loaded.config, shards, passwordCost: CHEAP };
}
