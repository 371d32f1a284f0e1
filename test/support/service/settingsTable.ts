import { SETTINGS, type Setting } from '../../../src/settings/settings.js';

/** The table of settings as deploy/README.md shows it. */
export function settingsTable(): string {
  const rows = Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
    return `| \`${setting.name}\` | ${defaultOf(setting)} | ${setting.meaning} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function defaultOf({ default: value, defaultInWords, redact }: Setting<unknown>): string {
  if (defaultInWords !== undefined) return defaultInWords;
  if (redact !== undefined && typeof value !== 'string') return 'a public one in development, none in production';
  if (typeof value === 'string') return inCode(value);
  return `${inCode(value.development)} in development, ${inCode(value.production)} in production`;
}

function inCode(text: string): string {
  return text === '' ? 'none' : `\`${text}\``;
}
