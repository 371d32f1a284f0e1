/** Tokens with a lifetime of the test's choice, signed as the service signs its own. */
import { createTokens } from '../../../src/auth/tokens.js';
import type { Config } from '../../../src/settings/config.js';

export function tokenFor(config: Config, user: { readonly id: string }, lifetimeSeconds: number): Promise<string> {
  const { jwtSecret: secret, jwtAlgorithm: algorithm, jwtAudience: audience } = config;
  return createTokens({ secret, algorithm, audience, lifetimeSeconds }).issue(user.id);
}
