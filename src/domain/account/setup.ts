/** The way to the first superuser of a service: once, by a person who can read the data folder of an instance. */
import { AppError } from '../errors.js';

export type Setup =
  /** `token_hashes`: of the tokens that the data folders of the instances have. */
  | { readonly kind: 'open'; readonly token_hashes: readonly string[] }
  /** A user is or was a superuser. */
  | { readonly kind: 'done'; readonly at: string };

export const NOT_SET_UP: Setup = { kind: 'open', token_hashes: [] };

/** What an instance is told about it. */
export interface SetupView {
  readonly state: Setup['kind'];
  /** Whether anybody has an account. */
  readonly has_users: boolean;
}

/** Machines of a cluster have a folder each; a folder whose token was deleted has a new one. */
const MAX_TOKENS = 16;

/** With the token of one more folder. The oldest ones go. */
export function withToken(setup: Setup, hash: string): Setup {
  if (setup.kind === 'done' || setup.token_hashes.includes(hash)) return setup;
  return { kind: 'open', token_hashes: [...setup.token_hashes, hash].slice(-MAX_TOKENS) };
}

export function alreadySetUp(): AppError {
  return new AppError('conflict', 'This service has a superuser already, or had one; superusers are made by the operator: switchboard user promote');
}

export function wrongSetupToken(): AppError {
  return new AppError('forbidden', 'The token is not that of this service. It is in the file setup-token in the data folder');
}
