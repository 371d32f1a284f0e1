import { environmentOf, readEnvironment, safeText, settingText } from '../config.js';
import { SETTINGS } from '../settings.js';
import { command } from './command.js';
import { EX_OK } from './outcome.js';
import { requireConfig } from './requireConfig.js';
import { renderTable } from './table.js';

export const configCheck = command({
  words: 'config check',
  summary: 'Check the settings and show the values in effect.',
  description: 'Lists all problems at once and exits with 78 if there are any. Secrets are not shown.',
  options: {},
  async run(_call, { stdout }) {
    requireConfig();
    const env = readEnvironment(process.cwd());
    const environment = environmentOf(env);
    const rows = Object.values(SETTINGS).map((setting) => {
      const { text, isSet } = settingText(setting, env, environment);
      const value = text === '' ? '(none)' : safeText(setting, text);
      return [setting.name, value, isSet ? 'set' : 'default', setting.meaning];
    });
    stdout.write(renderTable(['SETTING', 'VALUE', 'FROM', 'MEANING'], rows));
    stdout.write('\nThe configuration is valid.\n');
    return EX_OK;
  },
});
