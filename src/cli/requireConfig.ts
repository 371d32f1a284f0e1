import { EX_CONFIG, loadConfig, readEnvironment, type Config } from '../settings/config.js';
import { CommandFailure } from './outcome.js';

/** The configuration that the service would start with; every command uses it. */
export function requireConfig(): Config {
  const result = loadConfig(readEnvironment(process.cwd()));
  if (result.ok) return result.config;
  throw invalidConfig(result.problems);
}

export function invalidConfig(problems: readonly string[]): CommandFailure {
  return new CommandFailure(EX_CONFIG, ['The configuration is invalid.', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
}
