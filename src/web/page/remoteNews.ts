/** Says what others change on the open board: some seconds of changes in one sentence, and only to screen readers. */
import type { BoardEvent, Card, FullBoard } from '../../client/index.js';
import { say } from '../words/catalogue.js';
import { nameOf } from '../state/people.js';
import { announcePolitely } from '../state/notices.js';
import { client } from '../state/session.js';
import { preferences } from './preferences.js';

/** Changes within this time are said together. */
const BATCH_MS = 3_000;
/** More are a number. */
const MAX_SAID = 3;

export class RemoteNews {
  /** Some are found out when they are said. */
  readonly #sayings = new Map<string, string | (() => Promise<string>)>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  add(event: BoardEvent, board: FullBoard): void {
    if (!preferences.peek().announcesOthers) return;
    // Of several changes of one thing the last one counts.
    this.#sayings.set(thingOf(event), sayingOf(event, board));
    this.#timer ??= setTimeout(() => void this.#sayAll(), BATCH_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sayings.clear();
  }

  async #sayAll(): Promise<void> {
    const sayings = [...this.#sayings.values()];
    this.stop();
    if (!preferences.peek().announcesOthers) return;
    if (sayings.length > MAX_SAID) return announcePolitely(say('news.many', { count: sayings.length }));
    const texts = await Promise.all(sayings.map((each) => (typeof each === 'string' ? each : each())));
    announcePolitely(texts.join(' '));
  }
}

function thingOf({ data }: BoardEvent): string {
  return 'id' in data ? data.id : data.user_id;
}

function sayingOf(event: BoardEvent, { columns }: FullBoard): string | (() => Promise<string>) {
  switch (event.type) {
    case 'card.created':
      return say('news.cardCreated', { title: event.data.title });
    case 'card.deleted':
      return () => sayingOfGone(event.data);
    case 'card.moved': {
      const column = columns.find(({ id }) => id === event.data.column_id)?.title ?? '';
      return say('news.cardMoved', { title: event.data.title, column });
    }
    case 'column.created':
    case 'column.updated':
    case 'column.moved':
      return say('news.columnChanged', { title: event.data.title });
    case 'column.deleted':
      return say('news.columnDeleted', { title: event.data.title });
    case 'board.member_added':
      return say('news.joined', { name: nameOf(event.data.user) });
    case 'board.member_removed':
      return say('news.left', { name: nameOf(event.data.user) });
    default:
      return 'title' in event.data ? say('news.changed', { title: event.data.title }) : say('news.many', { count: 1 });
  }
}

/** The event is the same for a card that was deleted and for one that went to another board; the activity tells them apart. */
async function sayingOfGone({ id, board_id, title }: Card): Promise<string> {
  try {
    const { activity } = await client.activity.list({ board_id }, { card_id: id, kind: 'card.deleted', limit: 1 });
    const [entry] = activity;
    if (entry !== undefined) return say(entry.moved === true ? 'news.cardLeft' : 'news.cardDeleted', { title });
  } catch {
    // Nobody misses the news: it says less.
  }
  return say('news.cardGone', { title });
}
