/** The trash of the open board: pages from the service, read again when something was deleted or came back. */
import type { BoardEvent } from '../../../client/index.js';
import { client } from '../../state/session.js';
import { LiveList, pageFrom, type Page } from '../../page/liveList.js';

export type TrashEntry = Awaited<ReturnType<typeof client.trash.list>>['entries'][number];

export class BoardTrash extends LiveList<TrashEntry> {
  readonly #boardId: string;

  constructor(boardId: string) {
    super();
    this.#boardId = boardId;
  }

  protected override async readPage(before?: string): Promise<Page<TrashEntry>> {
    const { entries, next } = await client.trash.list({ board_id: this.#boardId }, pageFrom(before));
    return { things: entries, next };
  }

  protected override apply(event: BoardEvent): boolean {
    switch (event.type) {
      case 'card.deleted':
      case 'column.deleted':
      case 'checklist.deleted':
      case 'label.deleted':
      case 'attachment.deleted':
        // When it expires, and whether it is kept at all, only the service knows.
        void this.read();
        return false;
      case 'card.created':
      case 'card.archived':
      case 'column.created':
      case 'column.archived':
      case 'checklist.created':
      case 'label.created':
      case 'attachment.created':
        this.remove(event.data.id);
        return true;
      default:
        return false;
    }
  }
}
