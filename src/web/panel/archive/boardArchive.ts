/** The archive of the open board: pages from the service, and events since then. */
import type { BoardEvent, Card, Column } from '../../../client/index.js';
import { client } from '../../state/session.js';
import { LiveList, pageFrom, type Page } from '../../page/liveList.js';

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

export class BoardArchive extends LiveList<ArchivedThing> {
  readonly #boardId: string;

  constructor(boardId: string) {
    super();
    this.#boardId = boardId;
  }

  protected override async readPage(before?: string): Promise<Page<ArchivedThing>> {
    const { cards, columns, next } = await client.archive.list({ board_id: this.#boardId }, pageFrom(before));
    return { things: inOrder(cards, columns), next };
  }

  protected override apply(event: BoardEvent): boolean {
    switch (event.type) {
      case 'card.archived':
      case 'column.archived':
        this.remove(event.data.id);
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
