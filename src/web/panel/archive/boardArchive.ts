/** The archive of the open board: pages from the service, and events since then. */
import type { BoardEvent, Card, Column } from '../../../client/index.js';
import { client } from '../../state/session.js';
import { LiveList, PAGE, pageFrom, type Page } from '../../page/liveList.js';

export interface ArchivedThing {
  readonly kind: 'card' | 'column';
  readonly id: string;
  readonly title: string;
  readonly archivedAt: string;
  /** Of a card. */
  readonly columnId: string | null;
  /** Of a column. */
  readonly cardCount: number;
}

type ArchivedEvent = Extract<BoardEvent, { type: 'card.archived' | 'column.archived' }>;

export class BoardArchive extends LiveList<ArchivedThing> {
  readonly #boardId: string;
  #text = '';

  constructor(boardId: string) {
    super();
    this.#boardId = boardId;
  }

  /** Lists those whose title or description contains the text; all if it is empty. */
  search(text: string): void {
    this.#text = text.trim();
    this.reading.value = 'reading';
    void this.read();
  }

  protected override async readPage(before?: string): Promise<Page<ArchivedThing>> {
    const text = this.#text;
    const things: ArchivedThing[] = [];
    let from = before;
    // A search answers with what is in the part that one request examines, which can be nothing.
    for (;;) {
      const { cards, columns, next } = await client.archive.list({ board_id: this.#boardId }, { ...pageFrom(from), ...(text !== '' && { q: text }) });
      things.push(...inOrder(cards, columns));
      if (text === '' || next === null || things.length >= PAGE || text !== this.#text) return { things, next };
      from = next;
    }
  }

  #fits({ data }: ArchivedEvent): boolean {
    const wanted = this.#text.toLowerCase();
    const description = 'description' in data ? (data.description ?? '') : '';
    return data.title.toLowerCase().includes(wanted) || description.toLowerCase().includes(wanted);
  }

  protected override apply(event: BoardEvent): boolean {
    switch (event.type) {
      case 'card.archived':
      case 'column.archived':
        this.remove(event.data.id);
        if (this.#fits(event))
          this.things.value = [event.type === 'card.archived' ? ofCard(event.data) : ofColumn(event.data), ...this.things.peek()];
        return true;
      case 'card.restored':
      case 'column.restored':
      case 'card.deleted':
      case 'column.deleted':
        this.remove(event.data.id);
        return true;
      default:
        return false;
    }
  }
}

function inOrder(cards: readonly Card[], columns: readonly Column[]): ArchivedThing[] {
  return [...cards.map(ofCard), ...columns.map(ofColumn)].sort((a, b) => (a.archivedAt < b.archivedAt ? 1 : -1));
}

function ofCard({ id, title, archived_at, column_id }: Card): ArchivedThing {
  return { kind: 'card', id, title, archivedAt: archived_at ?? '', columnId: column_id, cardCount: 0 };
}

function ofColumn({ id, title, archived_at, card_count }: Column): ArchivedThing {
  return { kind: 'column', id, title, archivedAt: archived_at ?? '', columnId: null, cardCount: card_count ?? 0 };
}
