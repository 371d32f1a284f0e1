/** A client's copy of a board, kept by the events alone: the contract promises that this is enough. */
import type { Uuid } from '../../src/domain/ids.js';
import type {
  WireAttachment,
  WireBoard,
  WireCard,
  WireChecklist,
  WireColumn,
  WireComment,
  WireEvent,
  WireItem,
  WireMember,
  WireResource,
} from './wire.js';

type Ranked = { id: Uuid; rank: number };

export class Replica {
  readonly board: WireBoard;

  constructor(board: WireBoard) {
    this.board = structuredClone(board);
  }

  apply(event: WireEvent): void {
    const [resource, verb] = event.type.split('.');
    const gone = verb === 'deleted' || verb === 'archived' || verb === 'member_removed';
    const data: unknown = structuredClone(event.data);
    switch (resource) {
      case 'board':
        if (verb === 'updated') this.#boardUpdated(data as WireBoard);
        else this.#member(data as WireMember, gone);
        return;
      case 'column':
        this.board.columns = ranked(this.board.columns, data as WireColumn, gone);
        return;
      case 'card':
        this.#card(data as WireCard, gone);
        return;
      case 'label':
        this.#label(data as WireResource, gone);
        return;
      case 'checklist':
        this.#checklist(data as WireChecklist, gone);
        return;
      case 'checklist_item':
        this.#item(data as WireItem, gone);
        return;
      case 'attachment':
        this.#attachment(data as WireAttachment, gone);
        return;
      case 'comment':
        this.#comment(data as WireComment, event.type);
        return;
      case 'rule':
        return;
      default:
        throw new Error(`no client knows ${event.type}`);
    }
  }

  get #cards(): WireCard[] {
    return this.board.columns.flatMap(({ cards }) => cards);
  }

  get #checklists(): WireChecklist[] {
    return this.#cards.flatMap(({ checklists }) => checklists);
  }

  /** Members carry the current profiles, which cards and items show too. */
  #boardUpdated(board: WireBoard): void {
    Object.assign(this.board, board);
    const users = new Map(board.members.map(({ user }) => [user.id, user]));
    const items = this.#checklists.flatMap((checklist) => checklist.items);
    for (const thing of [...this.#cards, ...items]) {
      thing.assignees = thing.assignees.map((user) => users.get(user.id) ?? user);
    }
  }

  #member(member: WireMember, gone: boolean): void {
    const others = this.board.members.filter(({ user_id }) => user_id !== member.user_id);
    this.board.members = gone ? others : [...others, member];
  }

  /** A board has only the number of the comments of a card. */
  #comment({ card_id }: WireComment, type: string): void {
    const by = type === 'comment.created' ? 1 : type === 'comment.deleted' ? -1 : 0;
    for (const card of this.#cards) if (card.id === card_id) card.comment_count += by;
  }

  #card(card: WireCard, gone: boolean): void {
    for (const column of this.board.columns) {
      column.cards = ranked(column.cards, card, gone || column.id !== card.column_id);
    }
  }

  #label(label: WireResource, gone: boolean): void {
    const known = this.board.labels.some(({ id }) => id === label.id);
    // One that is restored is where it was.
    this.board.labels = known ? replaced(this.board.labels, label, gone) : [...this.board.labels, label].sort(byCreation);
    for (const card of this.#cards) card.labels = replaced(card.labels, label, gone);
  }

  #checklist(checklist: WireChecklist, gone: boolean): void {
    for (const card of this.#cards) {
      card.checklists = ranked(card.checklists, checklist, gone || card.id !== checklist.card_id);
    }
  }

  #item(item: WireItem, gone: boolean): void {
    for (const checklist of this.#checklists) {
      checklist.items = ranked(checklist.items, item, gone || checklist.id !== item.checklist_id);
    }
  }

  #attachment(attachment: WireAttachment, gone: boolean): void {
    for (const card of this.#cards) {
      if (card.id !== attachment.card_id) continue;
      const others = card.attachments.filter(({ id }) => id !== attachment.id);
      card.attachments = gone ? others : [...others, attachment].sort(byCreation);
    }
  }
}

function ranked<T extends Ranked>(siblings: readonly T[], one: T, gone: boolean): T[] {
  const others = siblings.filter(({ id }) => id !== one.id);
  return gone ? others : [...others, one].sort((a, b) => a.rank - b.rank);
}

function replaced<T extends { id: Uuid }>(all: readonly T[], one: T, gone: boolean): T[] {
  return gone ? all.filter(({ id }) => id !== one.id) : all.map((other) => (other.id === one.id ? one : other));
}

function byCreation(a: WireResource, b: WireResource): number {
  const [x, y] = [`${String(a['created_at'])} ${a.id}`, `${String(b['created_at'])} ${b.id}`];
  return x < y ? -1 : x > y ? 1 : 0;
}
