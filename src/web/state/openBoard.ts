/** The board that is open: its live copy, who is there, and what the user makes of it. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type {
  BoardConnection,
  BoardMember,
  Card,
  ChangeAnswer,
  ChangeArguments,
  ChangeName,
  Column,
  ConnectionState,
  FullBoard,
  OnlineUser,
  PeerState,
} from '../../client/index.js';
import { createdId, newKey } from '../../client/index.js';
import type { Filter } from './filter/filter.js';
import { filterIn } from './filter/filterAddress.js';
import { notify, reasonOf } from './notices.js';
import { RemoteNews } from '../page/remoteNews.js';
import { client, currentUser } from './session.js';
import { say } from '../words/catalogue.js';

/** What this window shows of itself to the others. */
interface ShownState {
  readonly card_id: string;
  /** Its description is being changed. */
  readonly is_writing?: true;
}

/** A card that is to be scrolled to, perhaps with the focus. */
export interface WantedCard {
  readonly id: string;
  readonly focus: boolean;
}

/** A part of the panel with everything about the board that is not a card. */
export type PanelSection = 'members' | 'labels' | 'rules' | 'about';

/** A place in a column: before a card, or at the end. */
export interface Place {
  readonly columnId: string;
  readonly beforeId: string | null;
}

export class OpenBoard {
  readonly id: string;
  readonly board: Signal<FullBoard | null>;
  readonly state: Signal<ConnectionState>;
  readonly online: Signal<readonly OnlineUser[]>;
  readonly peers: Signal<readonly PeerState[]>;
  readonly pending: Signal<number>;
  readonly filter = signal<Filter>(filterIn(location.search));
  /** The card that is to be scrolled to. */
  readonly wanted = signal<WantedCard | null>(null);
  /** The column whose form for a new card is open. */
  readonly addingTo = signal<string | null>(null);
  /** The card whose title is a field on the board. */
  readonly renaming = signal<string | null>(null);
  /** The section of the panel that is open. */
  readonly panel = signal<PanelSection | null>(null);
  readonly isOwner: ReadonlySignal<boolean>;
  /** Who has which card open, besides this user. */
  readonly viewers: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  /** Who is changing the description of which card, besides this user. */
  readonly writers: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  readonly #connection: BoardConnection;
  readonly #news = new RemoteNews();
  #shown: ShownState | null = null;

  constructor(id: string) {
    const connection = client.connect(id);
    this.id = id;
    this.#connection = connection;
    this.board = signal(connection.board);
    this.state = signal(connection.state);
    this.online = signal(connection.presence);
    this.peers = signal(connection.states);
    this.pending = signal(connection.pending);
    connection.on('change', ({ board, event }) => {
      if (event !== null) this.#news.add(event, board);
      this.board.value = board;
      this.pending.value = connection.pending;
    });
    connection.on('state', (state) => (this.state.value = state));
    connection.on('presence', (online) => (this.online.value = online));
    connection.on('states', (peers) => (this.peers.value = peers));
    connection.on('refused', ({ error }) => notify('failure', say('openBoard.notSaved', { reason: reasonOf(error) })));
    this.isOwner = computed(() => this.memberOf(currentUser().id)?.role === 'owner');
    this.viewers = computed(() => viewersIn(this.peers.value, currentUser().id, () => true));
    this.writers = computed(() => viewersIn(this.peers.value, currentUser().id, (state) => 'is_writing' in state && state.is_writing === true));
  }

  /** Shown at once; taken back with a notice if it is refused. */
  change<Name extends ChangeName>(name: Name, ...args: ChangeArguments<Name>): Promise<ChangeAnswer<Name>> {
    const made = this.#connection.change(name, ...args);
    // `refused` reports it, so callers need not.
    made.catch(() => undefined);
    return made;
  }

  addCard(columnId: string, title: string): string {
    const idempotencyKey = newKey();
    void this.change('card.create', { board_id: this.id, column_id: columnId }, { title }, { idempotencyKey });
    return createdId(this.id, idempotencyKey);
  }

  addColumn(title: string): void {
    void this.change('column.create', { board_id: this.id }, { title });
  }

  moveCard(card: Card, { columnId, beforeId }: Place): void {
    const column = this.column(columnId);
    if (column === undefined) return;
    const others = column.cards.filter(({ id }) => id !== card.id);
    const position = placeIn(others, beforeId);
    if (card.column_id === columnId && column.cards[position]?.id === card.id) return;
    void this.change('card.move', { card_id: card.id }, { column_id: columnId, position });
  }

  moveColumn(column: Column, beforeId: string | null): void {
    const columns = this.board.value?.columns ?? [];
    const position = placeIn(
      columns.filter(({ id }) => id !== column.id),
      beforeId,
    );
    if (columns[position]?.id === column.id) return;
    void this.change('column.move', { column_id: column.id }, { position });
  }

  column(id: string): Column | undefined {
    return this.board.value?.columns.find((column) => column.id === id);
  }

  /** The board as the service has it, without changes that wait. */
  confirmed(): FullBoard | null {
    return this.#connection.confirmed;
  }

  /** Whether the confirmed board lacks the column. */
  isGone(columnId: string): boolean {
    const { confirmed } = this.#connection;
    return confirmed !== null && !confirmed.columns.some(({ id }) => id === columnId);
  }

  card(id: string): Card | undefined {
    for (const column of this.board.value?.columns ?? []) {
      const card = column.cards.find((each) => each.id === id);
      if (card !== undefined) return card;
    }
    return undefined;
  }

  isMine({ assignees }: Card): boolean {
    return assignees.some(({ id }) => id === currentUser().id);
  }

  /** Assigns the card to the user, or no longer. */
  toggleMe(card: Card): void {
    const { id } = currentUser();
    if (this.isMine(card)) void this.change('card.unassign', { card_id: card.id, user_id: id });
    else void this.change('card.assign', { card_id: card.id }, { user_ids: [id] });
  }

  memberOf(userId: string): BoardMember | undefined {
    return this.board.value?.members.find((member) => member.user_id === userId);
  }

  /** Lets the others see which card is open here. */
  showCard(cardId: string | null): void {
    this.#show(cardId === null ? null : { card_id: cardId });
  }

  /** Lets the others see that the description of the open card is being changed here. */
  showWriting(isWriting: boolean): void {
    if (this.#shown === null || (this.#shown.is_writing === true) === isWriting) return;
    const { card_id } = this.#shown;
    this.#show(isWriting ? { card_id, is_writing: true } : { card_id });
  }

  #show(state: ShownState | null): void {
    this.#shown = state;
    this.#connection.setState(state);
  }

  close(): void {
    this.#news.stop();
    this.#connection.close();
  }
}

function placeIn(items: readonly { readonly id: string }[], beforeId: string | null): number {
  const index = beforeId === null ? -1 : items.findIndex(({ id }) => id === beforeId);
  return index < 0 ? items.length : index;
}

/** Others send what they like, so nothing is taken for granted. */
function viewersIn(peers: readonly PeerState[], self: string, counts: (state: object) => boolean): ReadonlyMap<string, readonly string[]> {
  const viewers = new Map<string, string[]>();
  for (const { user_id, state } of peers) {
    const cardId = typeof state === 'object' && state !== null && 'card_id' in state ? state.card_id : null;
    if (typeof cardId !== 'string' || user_id === self || !counts(state as object)) continue;
    const known = viewers.get(cardId) ?? [];
    if (!known.includes(user_id)) viewers.set(cardId, [...known, user_id]);
  }
  return viewers;
}
