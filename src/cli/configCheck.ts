import { environmentOf, loadConfig, readEnvironment, safeText, settingText, type Environment } from '../settings/config.js';
import { SETTINGS } from '../settings/settings.js';
import { command } from './command.js';
import { examine } from './configExamination.js';
import { EX_OK } from './outcome.js';
import { invalidConfig } from './requireConfig.js';
import { renderTable } from './table.js';

export const configCheck = command({
  words: 'config check',
  summary: 'Check the settings and show the values in effect.',
  description:
    'Also looks at what the settings name, as a start of the service would: the certificate, the data folder and its\n' +
    'number of shards, the address, and the NATS servers. Lists all problems at once, each with what to do, and exits\n' +
    'with 78 if there are any. Secrets are not shown.',
  options: {},
  async run(_call, { stdout, stderr }) {
    const env = readEnvironment(process.cwd());
    const loaded = loadConfig(env);
    if (loaded.ok) stdout.write(valuesIn(env));
    const { problems, warnings } = await examine(loaded.ok ? loaded.config : loaded.settings);
    for (const warning of warnings) stderr.write(`Warning: ${warning}\n`);
    if (!loaded.ok || problems.length > 0) throw invalidConfig([...(loaded.ok ? [] : loaded.problems), ...problems]);
    stdout.write('\nThe configuration is valid.\n');
    return EX_OK;
  },
});

function valuesIn(env: Environment): string {
  const environment = environmentOf(env);
  const rows = Object.values(SETTINGS).map((setting) => {
    const { text, isSet } = settingText(setting, env, environment);
    const value = text === '' ? '(none)' : safeText(setting, text);
    return [setting.name, value, isSet ? 'set' : 'default', setting.meaning];
  });
  return renderTable(['SETTING', 'VALUE', 'FROM', 'MEANING'], rows);
}
