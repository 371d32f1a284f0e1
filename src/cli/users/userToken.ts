/** `user token`: makes an API key, for scripts. */
import * as v from 'valibot';
import { makeKey, NewKeyFields } from '../../api/accounts/newKey.js';
import { IdSource } from '../../domain/ids.js';
import { command } from '../command.js';
import { withDirectory } from './directoryAccess.js';
import { operatorEntry } from './operatorEntry.js';
import { findUser, nameOf, OPERAND, USER_HELP } from './findUser.js';
import { EX_OK, UsageError } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { DAY_MS } from '../../domain/content/time.js';

const DAYS = /^(\d{1,5})d$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** The option that each field of a key comes from. */
const OPTION_OF: Readonly<Record<keyof NewKeyFields, string>> = {
  name: 'name',
  scopes: 'scope',
  board_ids: 'board',
  expires_at: 'expires',
};

export const userToken = command({
  words: 'user token',
  operand: OPERAND,
  summary: 'Make an API key that acts as a user.',
  description: `${USER_HELP} The key alone is printed, and shown only now.`,
  options: {
    name: { type: 'string', placeholder: 'text', required: true, meaning: 'What the key is for.' },
    scope: {
      type: 'string',
      placeholder: 'list',
      required: true,
      meaning: 'What it may do: read, write (includes read), admin; separated by commas.',
    },
    board: { type: 'string', placeholder: 'list', meaning: 'The ids of the boards that it is for, separated by commas; otherwise all of the user.' },
    expires: { type: 'string', placeholder: 'when', meaning: 'Until when it works: a date, a time in ISO 8601, or days such as 90d.' },
  },
  async run({ options, operand }, { stdout, stderr }) {
    const config = requireConfig();
    const now = new Date();
    const fields = parseFields(options, now);
    const { user, made } = await withDirectory(config, async (directory) => {
      const user = await findUser(directory, operand);
      const origin = { user_id: user.id, id: new IdSource().fresh(), now: now.toISOString() };
      return { user, made: await makeKey(directory, origin, fields, operatorEntry('key.created', user)) };
    });
    stderr.write(`A key for ${nameOf(user)} with id ${made.id}:\n`);
    stdout.write(`${made.key}\n`);
    return EX_OK;
  },
});

interface Given {
  readonly name: string;
  readonly scope: string;
  readonly board: string | undefined;
  readonly expires: string | undefined;
}

function parseFields({ name, scope, board, expires }: Given, now: Date): NewKeyFields {
  const parsed = v.safeParse(NewKeyFields, {
    name,
    scopes: wordsIn(scope),
    ...(board === undefined ? {} : { board_ids: wordsIn(board) }),
    ...(expires === undefined ? {} : { expires_at: timeOf(expires, now) }),
  });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const [field = 'name'] = (v.getDotPath(issue) ?? '').split('.') as [keyof NewKeyFields];
  throw new UsageError(`--${OPTION_OF[field]} ${issue.message}.`);
}

function wordsIn(list: string): string[] {
  return list.split(',').map((word) => word.trim());
}

/** A date means its beginning, in UTC. */
function timeOf(text: string, now: Date): string {
  const [, days] = DAYS.exec(text) ?? [];
  if (days !== undefined) return new Date(now.getTime() + Number(days) * DAY_MS).toISOString();
  return DATE.test(text) ? `${text}T00:00:00Z` : text;
}
