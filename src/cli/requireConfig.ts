import { EX_CONFIG, loadConfig, readEnvironment, type Config } from '../config.js';
import { CommandFailure } from './outcome.js';

/** The configuration that the service would start with; every command uses it. */
export function requireConfig(): Config {
  const result = loadConfig(readEnvironment(process.cwd()));
  if (result.ok) return result.config;
  const problems = result.problems.map((problem) => `  - ${problem}`);
  throw new CommandFailure(EX_CONFIG, ['The configuration is invalid.', ...problems].join('\n'));
}
