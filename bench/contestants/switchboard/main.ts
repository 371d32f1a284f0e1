/** The service itself, as it is run in production, on a free port. */
import { startApp } from '../../../src/app.js';
import { loadConfig } from '../../../src/settings/config.js';
import { announce, setting } from '../ready.js';

/** One user opens all sockets of a scenario, so the limits per user are raised. */
const MANY_SOCKETS = '50000';
/** One user creates all boards, and a minute of creating cards on one board makes more than users do in a year. */
const MANY_THINGS = '10000000';
const LARGEST_BOARD_BYTES = '268435456';

const loaded = loadConfig({
  ENVIRONMENT: 'production',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'error',
  DATA_DIR: setting('DATA_DIR'),
  JWT_SECRET: setting('JWT_SECRET'),
  JWT_AUDIENCE: setting('JWT_AUDIENCE'),
  MAX_SOCKETS: MANY_SOCKETS,
  MAX_SOCKETS_PER_USER: MANY_SOCKETS,
  MAX_BOARDS_PER_USER: MANY_THINGS,
  MAX_INVITES_PER_DAY: MANY_THINGS,
  MAX_BOARD_CARDS: MANY_THINGS,
  MAX_BOARD_BYTES: LARGEST_BOARD_BYTES,
  // Settings of a scenario, such as the time until boards go to sleep.
  ...(JSON.parse(process.env['SWITCHBOARD_SETTINGS'] ?? '{}') as Record<string, string>),
});
if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
const app = await startApp(loaded.config);
announce(app.url, () => app.close());
