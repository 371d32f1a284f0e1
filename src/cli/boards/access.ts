/** How the commands for boards reach a service: over HTTP, as the user of an API key or an access token. */
import type { Client } from '../../client/index.js';
import { readEnvironment } from '../../settings/config.js';
import type { Terminal } from '../command.js';
import { CommandFailure, EX_FAILURE, UsageError } from '../outcome.js';
import { ownAddress, parseAddress, requireToken } from '../data/remoteService.js';
import { readSecret } from '../users/password.js';

export const accessOptions = {
  url: {
    type: 'string',
    placeholder: 'address',
    meaning: 'The address of the service. Default: SWITCHBOARD_URL, or the running service of these settings on this machine.',
  },
  'token-stdin': {
    type: 'boolean',
    meaning: 'Read the API key or access token from the first line of standard input. Default: SWITCHBOARD_TOKEN.',
  },
  json: { type: 'boolean', meaning: 'Print JSON, as the service answers it.' },
} as const;

/** Where the service is, and as whom to call it. */
export interface Access {
  readonly url: string;
  readonly token: string;
}

interface Given {
  readonly url: string | undefined;
  readonly 'token-stdin': boolean;
}

/** A person waits: a service that is away is reported soon. */
const RETRY = { attempts: 3, maxMs: 10_000 } as const;

export async function findAccess(given: Given, { stdin }: Terminal): Promise<Access> {
  const { SWITCHBOARD_URL, SWITCHBOARD_TOKEN } = readEnvironment(process.cwd());
  if (!given['token-stdin'] && !SWITCHBOARD_TOKEN) {
    throw new UsageError('Give an API key: set SWITCHBOARD_TOKEN, or write it to standard input with --token-stdin.');
  }
  const url =
    given.url !== undefined
      ? parseAddress(given.url, '--url')
      : SWITCHBOARD_URL
        ? parseAddress(SWITCHBOARD_URL, 'SWITCHBOARD_URL')
        : await ownAddress();
  const token = given['token-stdin'] ? await readSecret(stdin, 'token') : (SWITCHBOARD_TOKEN ?? '').trim();
  return { url, token: requireToken(token, given['token-stdin'] ? 'Standard input' : 'SWITCHBOARD_TOKEN') };
}

/** Calls are repeated safely; what the service refuses, or a service that is away, is a failure of the command. */
export async function withClient<Result>({ url, token }: Access, use: (client: Client) => Promise<Result>): Promise<Result> {
  // Loaded here: every start of the service loads this module.
  const { createClient, ApiError } = await import('../../client/index.js');
  try {
    return await use(createClient({ baseUrl: url, key: token, retry: RETRY }));
  } catch (error) {
    if (error instanceof ApiError) throw refusal(error.status, error.detail);
    if (error instanceof TypeError && error.cause instanceof Error) throw unreachable(url, error.cause);
    throw error;
  }
}

export function refusal(status: number, detail: string): CommandFailure {
  return new CommandFailure(EX_FAILURE, `The service refused (${status}): ${detail}`);
}

/** `fetch` names the cause of its failure behind its own message. */
export function unreachable(url: string, cause: Error): CommandFailure {
  const reason = 'code' in cause ? `${String(cause.code)}` : cause.message;
  return new CommandFailure(EX_FAILURE, `${url} cannot be reached: ${reason}`);
}
