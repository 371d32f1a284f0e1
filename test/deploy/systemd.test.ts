import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import t from 'tap';
import { loadConfig, settingText } from '../../src/settings/config.js';
import { packagePath } from '../../src/paths.js';
import { SETTINGS } from '../../src/settings/settings.js';
import { temporaryFolder } from '../support/store/folder.js';
import { lookFor, pathOf, skipWithout } from '../support/service/programs.js';

const UNITS = packagePath('deploy', 'systemd');
const SECRET = 'a-random-text-of-thirty-two-chars';
/** On systemd's scale from 0 to 100; an ordinary service has 92. */
const MAX_EXPOSURE = '20';

const analyze = await lookFor('systemd-analyze');
const run = promisify(execFile);

/** systemd requires the programs of a unit, which are not installed here, and a name for an instance. */
async function prepareUnits(folder: string): Promise<string[]> {
  const files = (await readdir(UNITS)).filter((name) => name.endsWith('.service'));
  return Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(UNITS, name), 'utf8');
      const path = join(folder, name.replace('@.', '@8001.'));
      await writeFile(path, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      return path;
    }),
  );
}

const options = { skip: skipWithout(analyze) };
t.test('DEPLOY1 systemd accepts the units, and their sandbox is tight', options, async (t) => {
  const units = await prepareUnits(await temporaryFolder(t));
  t.equal(units.length, 4);
  for (const unit of units) {
    const { stdout, stderr } = await run(pathOf(analyze), ['verify', '--man=no', unit]);
    t.equal(stdout + stderr, '', unit);
    const security = ['security', '--offline=yes', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit];
    await t.resolves(run(pathOf(analyze), security), 'its exposure is within the limit');
  }
});

/** What the units of the service decide themselves. */
for (const [name, fixed] of Object.entries({
  'switchboard.service': ['DATA_DIR', 'ENVIRONMENT'],
  'switchboard@.service': ['DATA_DIR', 'ENVIRONMENT', 'HOST', 'PORT'],
})) {
  t.test(`DEPLOY1 ${name} leaves every other setting to the environment file, which does not contradict it`, async (t) => {
    const unit = await readFile(join(UNITS, name), 'utf8');
    t.match(unit, /^EnvironmentFile=\/etc\/switchboard\/switchboard\.env$/m);
    const set = new Map([...unit.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)].map(([, setting = '', value]) => [setting, value]));
    set.delete('XDG_CACHE_HOME');
    t.strictSame([...set.keys()].sort(), fixed);
    // systemd prefers the file to the unit.
    const file = Object.entries(parseEnv(await readFile(packagePath('deploy', 'switchboard.env'), 'utf8')));
    t.strictSame(
      file.filter(([setting, value]) => set.has(setting) && set.get(setting) !== value),
      [],
    );
  });
}

t.test('DEPLOY1 the environment file shows the true defaults and is valid except for the secret', async (t) => {
  const text = await readFile(packagePath('deploy', 'switchboard.env'), 'utf8');
  const shown = parseEnv(text.replace(/^#([A-Z_]+=)/gm, '$1'));
  const settings = new Map(Object.values(SETTINGS).map((setting) => [setting.name, setting]));
  for (const [name, value] of Object.entries(shown)) {
    const setting = settings.get(name);
    t.ok(setting, `${name} is a setting`);
    const isDefault = new RegExp(`^#${name}=`, 'm').test(text);
    if (setting && isDefault) t.equal(value, settingText(setting, {}, 'production').text, `the default of ${name}`);
  }
  const chosen = { ENVIRONMENT: 'production', ...parseEnv(text) };
  t.match(loadConfig(chosen), { ok: false, problems: [/^JWT_SECRET is not set/] }, 'only the secret is missing');
  t.match(loadConfig({ ...chosen, JWT_SECRET: SECRET }), { ok: true, config: { host: '127.0.0.1' } });
});
