/** The board that is open: its live copy, who is there, and what the user makes of it. */
import { loadPart } from '../page/loadPart.js';
import { computed, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals';
import type {
  BoardConnection,
  BoardEvent,
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
import { nameOf } from './people.js';
import type { RemoteNews } from '../page/remoteNews.js';
import { loadLaterWords } from '../words/language.js';
import { client, currentUser } from './session.js';
import { say } from '../words/catalogue.js';

/** What this window shows of itself to the others. */
interface ShownState {
  readonly card_id: string;
  /** The part of the card that is being written here. */
  readonly writes?: CardPart;
}

/** That people write: the id names an item. */
export type CardPart = 'description' | 'comments' | `item ${string}`;

/** A card that is to be scrolled to, perhaps with the focus. */
export interface WantedCard {
  readonly id: string;
  readonly focus: boolean;
}

/** A part of the panel with everything about the board that is not a card. */
export type PanelSection = 'members' | 'labels' | 'rules' | 'webhooks' | 'activity' | 'archive' | 'trash' | 'about';

/** A place in a column: before a card, or at the end. */
export interface Place {
  readonly columnId: string;
  readonly beforeId: string | null;
}

/** The board on the screen; null on other screens. */
export const shownBoard = signal<OpenBoard | null>(null);

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
  /** The card that this window moves to another board. */
  readonly movingAway = signal<string | null>(null);
  /** The card whose title is a field on the board. */
  readonly renaming = signal<string | null>(null);
  /** Cards that others changed since the user's last visit, and the user has not opened since. */
  readonly changed = signal<ReadonlySet<string>>(new Set());
  /** The section of the panel that is open. */
  readonly panel = signal<PanelSection | null>(null);
  readonly isOwner: ReadonlySignal<boolean>;
  /** The user's role; null while the board is not there. */
  readonly role: ReadonlySignal<BoardMember['role'] | null>;
  /** Whether the user changes what is on the board, and does not only look at it. */
  readonly mayChange: ReadonlySignal<boolean>;
  readonly mayComment: ReadonlySignal<boolean>;
  /** Who has which card open, besides this user. */
  readonly viewers: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  /** Who is writing, besides this user, by `writingKey`. */
  readonly #writers: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  /** The numbers of what was undone here since the user's last change, the latest last. */
  readonly undone: number[] = [];
  /** Of the latest change. */
  #sent: Promise<boolean> = Promise.resolve(true);
  readonly #connection: BoardConnection;
  /** Null until somebody else has changed something. */
  #news: Promise<RemoteNews> | null = null;
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
    // Of the user who opened it: the parts of the board that depend on it are still there when they log out.
    const { id: self } = untracked(currentUser);
    connection.on('change', ({ board, event }) => {
      // What the user does in another window is not news either.
      if (event !== null && event.user_id !== self) this.#announce(event, board);
      this.board.value = board;
      this.pending.value = connection.pending;
    });
    connection.on('state', (state) => (this.state.value = state));
    connection.on('presence', (online) => (this.online.value = online));
    connection.on('states', (peers) => (this.peers.value = peers));
    connection.on('refused', ({ error }) => notify('failure', say('openBoard.notSaved', { reason: reasonOf(error) })));
    this.role = computed(() => this.memberOf(self)?.role ?? null);
    this.isOwner = computed(() => this.role.value === 'owner');
    this.mayChange = computed(() => this.isOwner.value || this.role.value === 'member');
    this.mayComment = computed(() => this.mayChange.value || this.role.value === 'commenter');
    this.viewers = computed(() => peopleBy(this.peers.value, currentUser().id, ({ card_id }) => card_id));
    this.#writers = computed(() =>
      peopleBy(this.peers.value, currentUser().id, ({ card_id, writes }) => (writes === undefined ? undefined : writingKey(card_id, writes))),
    );
  }

  #announce(event: BoardEvent, board: FullBoard): void {
    this.#news ??= Promise.all([loadPart(() => import('../page/remoteNews.js')), loadLaterWords()]).then(([module]) => new module.RemoteNews());
    this.#news.then(
      (news) => news.add(event, board),
      (error: unknown) => {
        console.warn(error);
        this.#news = null;
      },
    );
  }

  /** The number of the latest change that is shown. */
  get seq(): number {
    return this.#connection.seq;
  }

  /** Calls back with every event, in order. Returns a function that ends it. */
  onEvent(listener: (event: BoardEvent) => void): () => void {
    return this.#connection.on('event', listener);
  }

  /** Shown at once; taken back with a notice if it is refused. */
  change<Name extends ChangeName>(name: Name, ...args: ChangeArguments<Name>): Promise<ChangeAnswer<Name>> {
    const made = this.#connection.change(name, ...args);
    this.undone.length = 0;
    // `refused` reports it, so callers need not.
    this.#sent = made.then(
      () => true,
      () => false,
    );
    return made;
  }

  /** A text that would overwrite what somebody else wrote meanwhile goes to the list of what was not saved. */
  saveText<Name extends ChangeName>(isOvertaken: boolean, name: Name, ...args: ChangeArguments<Name>): void {
    if (isOvertaken) this.#connection.setAside(name, ...args);
    else void this.change(name, ...args);
  }

  /** Resolves when the latest change is answered: whether it was made. */
  sent(): Promise<boolean> {
    return this.#sent;
  }

  addCard(columnId: string, card: { readonly title: string; readonly description?: string }): string {
    const idempotencyKey = newKey();
    void this.change('card.create', { board_id: this.id, column_id: columnId }, card, { idempotencyKey });
    return createdId(this.id, idempotencyKey);
  }

  addColumn(title: string): string {
    const idempotencyKey = newKey();
    void this.change('column.create', { board_id: this.id }, { title }, { idempotencyKey });
    return createdId(this.id, idempotencyKey);
  }

  /** False if it is there already, or its column is gone. */
  moveCard(card: Card, { columnId, beforeId }: Place): boolean {
    const column = this.column(columnId);
    if (column === undefined) return false;
    const others = column.cards.filter(({ id }) => id !== card.id);
    const position = placeIn(others, beforeId);
    if (card.column_id === columnId && column.cards[position]?.id === card.id) return false;
    void this.change('card.move', { card_id: card.id }, { column_id: columnId, position });
    return true;
  }

  /** False if it is there already. */
  moveColumn(column: Column, beforeId: string | null): boolean {
    const columns = this.board.value?.columns ?? [];
    const position = placeIn(
      columns.filter(({ id }) => id !== column.id),
      beforeId,
    );
    if (columns[position]?.id === column.id) return false;
    void this.change('column.move', { column_id: column.id }, { position });
    return true;
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

  /** Whether the board is there and the user may not change it. */
  get isDemoted(): boolean {
    return this.role.peek() !== null && !this.mayChange.peek();
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
    if (cardId !== null && this.changed.peek().has(cardId)) this.changed.value = new Set([...this.changed.peek()].filter((id) => id !== cardId));
    this.#show(cardId === null ? null : { card_id: cardId });
  }

  /** Lets the others see what of the open card is being written here. Returns what ends it. */
  showWriting(part: CardPart): () => void {
    const shown = this.#shown;
    if (shown === null) return () => undefined;
    this.#show({ card_id: shown.card_id, writes: part });
    return () => {
      // Unless another card, or another part of it, is shown by now.
      if (this.#shown?.card_id === shown.card_id && this.#shown.writes === part) this.#show({ card_id: shown.card_id });
    };
  }

  /** The names of the others who are writing that part. */
  writersOf(cardId: string, part: CardPart): readonly string[] {
    const ids = this.#writers.value.get(writingKey(cardId, part)) ?? [];
    return ids.flatMap((id) => this.memberOf(id) ?? []).map(({ user }) => nameOf(user));
  }

  #show(state: ShownState | null): void {
    this.#shown = state;
    this.#connection.setState(state);
  }

  close(): void {
    // That it cannot be loaded was said when it was asked for.
    void this.#news?.then(
      (news) => news.stop(),
      () => undefined,
    );
    this.#connection.close();
  }
}

function placeIn(items: readonly { readonly id: string }[], beforeId: string | null): number {
  const index = beforeId === null ? -1 : items.findIndex(({ id }) => id === beforeId);
  return index < 0 ? items.length : index;
}

function writingKey(cardId: string, part: string): string {
  return `${cardId} ${part}`;
}

/** The others by what they show of themselves. They send what they like, so nothing is taken for granted. */
function peopleBy(
  peers: readonly PeerState[],
  self: string,
  keyOf: (state: { readonly card_id: string; readonly writes?: string }) => string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const people = new Map<string, string[]>();
  for (const { user_id, state } of peers) {
    const { card_id, writes } = (state ?? {}) as { readonly card_id?: unknown; readonly writes?: unknown };
    if (typeof card_id !== 'string' || user_id === self) continue;
    const key = keyOf({ card_id, ...(typeof writes === 'string' ? { writes } : {}) });
    if (key !== undefined) people.set(key, [...new Set([...(people.get(key) ?? []), user_id])]);
  }
  return people;
}
