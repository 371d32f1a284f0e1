/** `init`: from an empty machine to a service that can be started. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { EX_CONFIG, loadConfig, type Config } from '../settings/config.js';
import { command, type Terminal } from './command.js';
import { createAccount, parseAccount } from './users/newAccount.js';
import { CommandFailure, EX_FAILURE, EX_OK, UsageError } from './outcome.js';
import { obtainPassword } from './users/password.js';

const ENV_FILE = '.env';
const SECRET_BYTES = 48;
const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;

export const init = command({
  words: 'init',
  summary: 'Set up a new service: its settings with a secret, its data folder and the first superuser.',
  description:
    'Asks for what is not given. The settings go to a new file that only its owner can read; the service reads the file ' +
    '.env of the folder in which it is started. Registration is closed: create more users with "user create".',
  options: {
    email: { type: 'string', placeholder: 'address', meaning: 'The e-mail address of the first superuser.' },
    username: { type: 'string', placeholder: 'name', meaning: 'The username of the first superuser.' },
    'password-stdin': { type: 'boolean', meaning: 'Read the password from the first line of standard input.' },
    'data-dir': { type: 'string', placeholder: 'folder', meaning: 'The folder for all data. Default: data.' },
    'env-file': { type: 'string', placeholder: 'file', meaning: `The file for the settings. Default: ${ENV_FILE}.` },
    host: { type: 'string', placeholder: 'address', meaning: 'The address to listen on. Default: 127.0.0.1, for a reverse proxy on this machine.' },
    port: { type: 'string', placeholder: 'number', meaning: 'The port to listen on. Default: 8000.' },
  },
  async run({ options }, terminal) {
    const file = resolve(options['env-file'] ?? ENV_FILE);
    const settings = {
      ENVIRONMENT: 'production',
      DATA_DIR: resolve(options['data-dir'] ?? 'data'),
      HOST: options.host ?? '127.0.0.1',
      PORT: options.port ?? '8000',
      REGISTRATION: 'closed',
      JWT_SECRET: randomBytes(SECRET_BYTES).toString('base64'),
    };
    const config = requireValid(settings);
    const { email, username } = await askFor(options, terminal);
    const account = parseAccount({ email, username });
    const password = await obtainPassword(options['password-stdin'], config, terminal);
    await writeSettings(file, settings);
    try {
      await createAccount(config, account, password, true);
    } catch (error) {
      // So that the command can be repeated.
      await rm(file);
      throw error;
    }
    terminal.stdout.write(nextSteps(file, settings.DATA_DIR, account.username));
    return EX_OK;
  },
});

function requireValid(settings: Readonly<Record<string, string>>): Config {
  const loaded = loadConfig(settings);
  if (loaded.ok) return loaded.config;
  throw new CommandFailure(EX_CONFIG, loaded.problems.join('\n'));
}

async function askFor(
  { email, username }: { readonly email: string | undefined; readonly username: string | undefined },
  { stdin, stderr }: Terminal,
): Promise<{ email: string; username: string }> {
  if (email !== undefined && username !== undefined) return { email, username };
  if (stdin.isTTY !== true) throw new UsageError('There is no terminal to ask on: give --email and --username.');
  // On standard error, so that standard output can be redirected.
  const questions = createInterface({ input: stdin, output: stderr });
  try {
    return {
      email: email ?? (await questions.question('E-mail address of the first superuser: ')),
      username: username ?? (await questions.question('Username: ')),
    };
  } finally {
    questions.close();
    // The password is read from it next.
    stdin.resume();
  }
}

async function writeSettings(file: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  try {
    await mkdir(dirname(file), { recursive: true, mode: OWNER_FOLDER });
    await writeFile(file, `# Settings of Switchboard; "switchboard config check" lists all there are.\n${lines.join('')}`, {
      flag: 'wx',
      mode: OWNER_ONLY,
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new CommandFailure(EX_FAILURE, `${file} exists already, so nothing was changed. Name another file with --env-file.`);
  }
}

function nextSteps(file: string, dataDir: string, username: string): string {
  const isDefault = file === resolve(ENV_FILE);
  const start = isDefault ? 'switchboard' : `set -a; . ${file}; set +a; switchboard`;
  return [
    `Settings:   ${file}`,
    `Data:       ${dataDir}`,
    `Superuser:  ${username}`,
    '',
    'Start the service with:',
    `  ${start}`,
    '',
    'Browsers keep a login over HTTPS only: put a proxy with a certificate in front, or set TLS_CERT_FILE, and set PUBLIC_URL.',
    '',
  ].join('\n');
}
