/** `serve`: runs the service. */
import { pageLink } from '../api/pageLinks.js';
import type { Config } from '../settings/config.js';
import { command } from './command.js';
import { runDemo } from './demo.js';
import { requireConfig } from './requireConfig.js';
import { runService } from './runService.js';

export const serve = command({
  words: 'serve',
  summary: 'Start the service. This is the default command.',
  description:
    'SIGTERM or Ctrl-C stops the service in order; a second one stops it at once. SIGHUP makes the service read its ' +
    'certificate again; on a terminal, which sends SIGHUP when it closes, it stops the service.',
  options: { demo: { type: 'boolean', meaning: 'Start the demonstration instead: see "switchboard demo".' } },
  async run({ options }, terminal) {
    const config = requireConfig();
    if (options.demo) return runDemo({ host: config.host, port: String(config.port) }, terminal);
    return runService(config, terminal, ({ url, setupToken }) => {
      // Never elsewhere: what is not a terminal is a log.
      if (terminal.stdout.isTTY !== true) return;
      terminal.stdout.write(welcome(url, config));
      // The directory may be out of reach for a while.
      void setupToken.then((token) => {
        if (token !== null && config.webApp) terminal.stdout.write(setupGreeting(config.publicUrl ?? url, token));
      });
    });
  },
});

/** While no user is a superuser. */
export function setupGreeting(url: string, token: string): string {
  return `  Nobody is a superuser yet. Create the first account here, and keep the link to yourself:\n  ${pageLink(url, 'setup', token)}\n\n`;
}

/** The first information for a person at a terminal. */
export function welcome(url: string, config: Pick<Config, 'environment' | 'jwtSecretIsPlaceholder' | 'webApp'>): string {
  const lines = ['', '  Switchboard is running.', ''];
  lines.push(config.webApp ? `  Open   ${url}` : `  API    ${url}`, `  Docs   ${url}/docs`, `         ${url}/redoc`, '');
  if (config.environment === 'development' && config.jwtSecretIsPlaceholder) {
    lines.push(
      '  Access tokens are signed with the public development secret, so anyone can forge one.',
      '  Set JWT_SECRET to a random text before others can reach this service.',
      '',
    );
  }
  return [...lines, '  Ctrl-C stops it.', '', ''].join('\n');
}
