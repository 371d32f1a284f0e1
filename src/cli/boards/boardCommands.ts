/** `board …`, `column …` and `card …`: boards on the command line, as a user of the service. */
import { once } from 'node:events';
import { readPosition } from '../../domain/position.js';
import type { BoardSummary, Client, FullBoard } from '../../client/index.js';
import { command, type Command } from '../command.js';
import { EX_OK, UsageError } from '../outcome.js';
import { printable } from '../table.js';
import { accessOptions, findAccess, withClient } from './access.js';
import { findColumn } from './columns.js';
import { followEvents, latestPosition, type StreamedEvent } from './eventStream.js';
import { operationCommand, print, requireId } from './operationCommand.js';
import { cardsOf, shownBoard, shownBoards, shownCard, shownCards, shownLine, shownNothing, type PlacedCard } from './shown.js';

const BOARD = 'board id';
const CARD = 'card id';
const PAGE = 200;

const boardList = command({
  words: 'board list',
  summary: 'List the boards of the user.',
  options: accessOptions,
  async run({ options }, terminal) {
    const boards = await withClient(await findAccess(options, terminal), allBoards);
    return print(terminal, options.json, boards, () => shownBoards(boards));
  },
});

const boardShow = command({
  words: 'board show',
  operand: BOARD,
  summary: 'Show a board with its cards.',
  options: accessOptions,
  async run({ options, operand }, terminal) {
    const board_id = requireId(operand, BOARD);
    const board = await withClient(await findAccess(options, terminal), (client) => client.board.get({ board_id }));
    return print(terminal, options.json, board, () => shownBoard(board));
  },
});

const boardWatch = command({
  words: 'board watch',
  operand: BOARD,
  summary: 'Print the events of a board, one a line, as they happen.',
  description:
    'It goes on through lost connections and restarts of the service, and then begins where it was. If events are no longer\n' +
    'kept, it says so (with --json by a line of the type resync). It ends when the board is deleted.',
  options: {
    since: { type: 'string', placeholder: 'position', meaning: 'Begin after this position, such as the seq of an event. Default: now.' },
    ...accessOptions,
  },
  async run({ options, operand }, terminal) {
    const boardId = requireId(operand, BOARD);
    if (options.since !== undefined && readPosition(options.since) === null) throw new UsageError('--since must be a position, such as 42.');
    const access = await findAccess(options, terminal);
    // Also refuses a board that the user may not see, before anything is printed.
    const board = await withClient(access, (client) => client.board.get({ board_id: boardId }));
    const since = options.since ?? (await latestPosition(access, boardId));
    const people = new Map(board.members.map(({ user_id, user }) => [user_id, user.username]));
    const ended = new AbortController();
    // The reader of the lines has closed the pipe.
    terminal.stdout.once('close', () => ended.abort());
    terminal.stdout.once('error', () => ended.abort());
    await followEvents({
      ...access,
      boardId,
      since,
      signal: ended.signal,
      onEvent: async (event) => {
        const line = options.json ? `${event.data}\n` : shownEvent(event, people);
        if (!terminal.stdout.write(line)) await once(terminal.stdout, 'drain', { signal: ended.signal });
      },
      onConnection: (lost) => terminal.stderr.write(lost === null ? 'Connected again.\n' : `Waiting for the service: ${printable(lost)}\n`),
    });
    return EX_OK;
  },
});

const cardList = command({
  words: 'card list',
  operand: BOARD,
  summary: 'List the cards of a board, in their order.',
  options: { column: { type: 'string', placeholder: 'id or title', meaning: 'Only the cards of this column.' }, ...accessOptions },
  async run({ options, operand }, terminal) {
    const board_id = requireId(operand, BOARD);
    const cards = await withClient(await findAccess(options, terminal), async (client): Promise<PlacedCard[]> => {
      const board = await client.board.get({ board_id });
      return cardsOf(options.column === undefined ? board.columns : [findColumn(board, options.column)]);
    });
    return print(terminal, options.json, cards, () => shownCards(cards));
  },
});

const trashList = command({
  words: 'trash list',
  operand: BOARD,
  summary: 'List what was deleted from a board, the latest first.',
  options: accessOptions,
  async run({ options, operand }, terminal) {
    const board_id = requireId(operand, BOARD);
    const entries = await withClient(await findAccess(options, terminal), (client) => wholeTrash(client, board_id));
    return print(terminal, options.json, { entries, next: null }, () => shownTrash(entries));
  },
});

export const boardCommands: readonly Command[] = [
  boardList,
  boardShow,
  boardWatch,
  operationCommand({ words: 'board create', operation: 'board.create', summary: 'Create a board.', show: shownLine }),
  operationCommand({ words: 'column add', operation: 'column.create', operand: BOARD, summary: 'Add a column to a board.', show: shownLine }),
  cardList,
  operationCommand({ words: 'card show', operation: 'card.get', operand: CARD, summary: 'Show a card.', show: shownCard }),
  operationCommand({ words: 'card add', operation: 'card.create', operand: BOARD, summary: 'Add a card to a column.', show: shownLine }),
  operationCommand({
    words: 'card move',
    operation: 'card.move',
    operand: CARD,
    summary: 'Move a card, also to another board.',
    description: 'On another board the card has another id, which is printed. Who cannot be assigned there is named.',
    show: shownMoved,
  }),
  operationCommand({
    words: 'card update',
    operation: 'card.update',
    operand: CARD,
    summary: 'Change the title or description of a card.',
    show: shownLine,
  }),
  operationCommand({ words: 'card assign', operation: 'card.assign', operand: CARD, summary: 'Assign members to a card.', show: shownLine }),
  operationCommand({ words: 'card comment', operation: 'comment.create', operand: CARD, summary: 'Comment on a card.', show: shownComment }),
  operationCommand({ words: 'card archive', operation: 'card.archive', operand: CARD, summary: 'Archive a card.', show: shownLine }),
  operationCommand({ words: 'card restore', operation: 'card.restore', operand: CARD, summary: 'Restore a card from the archive.', show: shownLine }),
  operationCommand({ words: 'card delete', operation: 'card.delete', operand: CARD, summary: 'Delete a card.', show: shownNothing }),
  trashList,
  operationCommand({
    words: 'trash restore',
    operation: 'trash.restore',
    operand: BOARD,
    summary: 'Restore something that was deleted from a board.',
    description: 'What is too much for one request is restored in parts: repeat it until it says that all of it is back.',
    show: shownRestored,
  }),
];

type TrashEntry = Awaited<ReturnType<Client['trash']['list']>>['entries'][number];

function shownTrash(entries: readonly TrashEntry[]): string {
  const lines = entries.map(({ id, kind, title, deleted_at }) => `${id}  ${deleted_at}  ${kind}  ${printable(title)}\n`);
  return lines.join('');
}

function shownMoved(answer: unknown): string {
  const { dropped_people = [] } = answer as Awaited<ReturnType<Client['card']['move']>>;
  const names = dropped_people.map(({ username }) => printable(username)).join(', ');
  return `${shownLine(answer)}${names === '' ? '' : `No longer assigned, because they cannot be on that board: ${names}\n`}`;
}

function shownComment(answer: unknown): string {
  const { id, body } = answer as Awaited<ReturnType<Client['comment']['create']>>;
  return `${id}  ${printable(body)}\n`;
}

function shownRestored(answer: unknown): string {
  const { id, kind, is_complete } = answer as Awaited<ReturnType<Client['trash']['restore']>>;
  return `${id}  ${kind}  ${is_complete ? 'restored' : 'restored in part, repeat it'}\n`;
}

/** A list of many boards comes in pages. */
async function allBoards(client: Client): Promise<BoardSummary[]> {
  const boards: BoardSummary[] = [];
  for (;;) {
    const page = await client.board.list({ limit: PAGE, offset: boards.length });
    boards.push(...page);
    // A page is also shorter if its boards are large, so only an empty one is the last.
    if (page.length === 0) return boards;
  }
}

async function wholeTrash(client: Client, board_id: string): Promise<TrashEntry[]> {
  const entries: TrashEntry[] = [];
  let before: string | null = null;
  do {
    const page: Awaited<ReturnType<Client['trash']['list']>> = await client.trash.list(
      { board_id },
      { limit: PAGE, ...(before === null ? {} : { before }) },
    );
    entries.push(...page.entries);
    before = page.next;
  } while (before !== null);
  return entries;
}

function shownEvent({ type, data }: StreamedEvent, people: Map<string, string>): string {
  if (type === 'resync') return 'Events are missing here: they are no longer kept. Read the board again.\n';
  const event = JSON.parse(data) as {
    readonly seq: number;
    readonly timestamp: string;
    readonly user_id: string | null;
    readonly data: Readonly<Record<string, unknown>>;
  };
  if (type === 'board.member_added') learn(event.data, people);
  const subject =
    ['title', 'name', 'content', 'body'].map((field) => event.data[field]).find((text) => typeof text === 'string') ?? event.data['id'] ?? '';
  const actor = event.user_id === null ? 'a rule' : (people.get(event.user_id) ?? event.user_id);
  return `${event.seq}  ${event.timestamp}  ${type}  ${printable(String(subject))}  by ${printable(actor)}\n`;
}

function learn(member: Readonly<Record<string, unknown>>, people: Map<string, string>): void {
  const { user_id, user } = member as unknown as FullBoard['members'][number];
  if (typeof user_id === 'string' && typeof user?.username === 'string') people.set(user_id, user.username);
}
