/** `seed`: fills a service with boards, cards and users, for load tests and trials. */
import { randomBytes, randomUUID } from 'node:crypto';
import { accessOptions, findAccess, withClient } from '../boards/access.js';
import { command, type Terminal } from '../command.js';
import { progressOf } from '../data/progressBar.js';
import { EX_OK, UsageError } from '../outcome.js';
import { fillBoard, inParallel, type Post } from './fillBoard.js';

/** Beyond these it is a load test of the operator's patience; the service has limits of its own. */
const LIMITS = { boards: 1_000, cards: 10_000, users: 1_000 } as const;
/** Of all boards together. */
const MAX_CARDS = 1_000_000;
const COLUMNS = 4;
/** Passwords are hashed one after another. */
const REGISTRATIONS_AT_ONCE = 4;

type Amount = keyof typeof LIMITS;

export const seed = command({
  words: 'seed',
  summary: 'Fill a service with boards, cards and users, for load tests.',
  description:
    'It makes the boards through the API as the user of the key, and registers the users, who become members of every\n' +
    'board; nobody knows their passwords. The ids of the boards are printed, one a line.',
  options: {
    boards: { type: 'string', placeholder: 'number', meaning: `How many boards, at most ${LIMITS.boards}. Default: 1.` },
    cards: { type: 'string', placeholder: 'number', meaning: `How many cards on each, at most ${LIMITS.cards}. Default: 100.` },
    users: { type: 'string', placeholder: 'number', meaning: `How many users, at most ${LIMITS.users}. Default: 0. Registration must be open.` },
    ...accessOptions,
  },
  async run({ options }, terminal) {
    const boards = readAmount('boards', options.boards, 1);
    const cards = readAmount('cards', options.cards, 100);
    const users = readAmount('users', options.users, 0);
    if (boards * cards > MAX_CARDS) throw new UsageError(`--boards and --cards make ${boards * cards} cards; at most ${MAX_CARDS} are made at once.`);
    const access = await findAccess(options, terminal);
    const made = await withClient(access, async (client) => {
      // Refused before anything is made, if the key is not good.
      await client.board.list({ limit: 1 });
      const members = await register(users, terminal, async (person) => (await client.auth.register(person)).id);
      const post: Post = (path, body) => postAs(access, path, body);
      const progress = progressOf('Boards', boards * (cards + members.length) || boards, terminal.stderr);
      const ids: string[] = [];
      for (let n = 1; n <= boards; n += 1) {
        const title = `Seeded board ${n}`;
        const { id: board_id } = await fillBoard(post, { title, columns: COLUMNS, cards }, () => progress.advance(1));
        await inParallel(members.length, async (index) => {
          await client.member.add({ board_id }, { user_id: members[index] ?? '' });
          progress.advance(1);
        });
        ids.push(board_id);
      }
      progress.finish();
      return { boards: ids, users: members };
    });
    terminal.stdout.write(options.json ? `${JSON.stringify(made)}\n` : made.boards.map((id) => `${id}\n`).join(''));
    terminal.stderr.write(`Made ${boards} boards with ${cards} cards each, and ${users} users.\n`);
    return EX_OK;
  },
});

function readAmount(name: Amount, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const least = name === 'boards' ? 1 : 0;
  const amount = Number(text);
  if (!/^\d+$/.test(text) || amount < least || amount > LIMITS[name]) {
    throw new UsageError(`--${name} must be an integer from ${least} to ${LIMITS[name]}.`);
  }
  return amount;
}

interface Person {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

async function register(count: number, { stderr }: Terminal, make: (person: Person) => Promise<string>): Promise<string[]> {
  const progress = progressOf('Users', count, stderr);
  const made = await inParallel(
    count,
    async () => {
      const username = `seed-${randomUUID()}`;
      const id = await make({ username, email: `${username}@example.org`, password: `Aa1!${randomBytes(24).toString('base64url')}` });
      progress.advance(1);
      return id;
    },
    REGISTRATIONS_AT_ONCE,
  );
  progress.finish();
  return made;
}

/** Without the types of the client: the benchmark fills other servers with the same paths. */
async function postAs<Body>({ url, token }: { readonly url: string; readonly token: string }, path: string, body: unknown): Promise<Body> {
  const { ApiError, newKey } = await import('../../client/index.js');
  const key = newKey();
  for (;;) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as Body;
    const error = await ApiError.from(response);
    if (error.status !== 429 && error.status !== 503) throw error;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(error.retryAfter ?? 1, 30)));
  }
}
