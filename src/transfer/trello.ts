/** Converts a Trello export to a board document. Features that boards here lack are noted. */
import {
  DOCUMENT_FORMAT,
  DOCUMENT_VERSION,
  type AttachmentDocument,
  type BoardDocument,
  type CardDocument,
  type ChecklistDocument,
  type CommentDocument,
} from '../domain/document/boardDocument.js';
import { isAfter } from '../domain/board/dates.js';
import { MAX_REMINDER_MINUTES, NO_REMINDER } from '../domain/content/reminderMinutes.js';
import { LINK_TYPE, webAddress } from '../domain/content/links.js';
import { MAX_NUMBER } from '../domain/board/order/numbering.js';
import type { Role } from '../domain/model.js';
import { CARD_TEXT_CHARACTERS, EMAIL_CHARACTERS, LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../domain/textLimits.js';
import { LongTexts, type CardPlace, type TextRole } from './longTexts.js';
import { clip, type Omissions } from './omissions.js';
import type { TrelloAction, TrelloAttachment, TrelloBoard, TrelloCard } from './trelloBoard.js';
import { trelloColor } from './trelloColors.js';
import { DEFAULT_COLOR } from '../domain/content/defaults.js';

const UNNAMED = 'Untitled';
/** Also those that came to a card with a copy. */
const COMMENTS: ReadonlySet<string> = new Set(['commentCard', 'copyCommentCard']);
/** Of an export without any time. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z';
/** Trello exports no older ones. */
const MAX_ACTIONS = 1_000;
/** Trello's addresses end with the encoded name of the file; half of one would be of no use. */
const MAX_ADDRESS_CHARACTERS = 2_048;

/** Texts that are too long are cut in the document. */
export function fromTrello(board: TrelloBoard, leftOut: Omissions): { readonly document: BoardDocument; readonly longTexts: LongTexts } {
  const reader = new TrelloReader(board, leftOut);
  return { document: reader.read(), longTexts: reader.longTexts };
}

class TrelloReader {
  readonly longTexts = new LongTexts();
  readonly #board: TrelloBoard;
  readonly #leftOut: Omissions;
  /** E-mail addresses by Trello's ids. */
  readonly #emails: ReadonlyMap<string, string>;
  /** Each is taken once: a file that names one thing a thousand times must not become a thousand of them. */
  readonly #checklists: Map<string, TrelloBoard['checklists'][number]>;
  readonly #comments: Map<string, readonly TrelloAction[]>;
  #lostDates = 0;
  #lostCovers = 0;

  constructor(board: TrelloBoard, leftOut: Omissions) {
    this.#board = board;
    this.#leftOut = leftOut;
    this.#emails = new Map(board.members.flatMap(({ id, email }) => (email && email.length <= EMAIL_CHARACTERS ? [[id, email]] : [])));
    this.#checklists = new Map(board.checklists.map((checklist) => [checklist.id, checklist]));
    this.#comments = groupBy(
      board.actions.filter(({ type, data }) => COMMENTS.has(type) && data?.card != null),
      ({ data }) => data?.card?.id ?? '',
    );
  }

  read(): BoardDocument {
    const { name, desc, lists } = this.#board;
    const [open, closed] = split(inOrder(lists), (list) => !list.closed);
    const cards = this.#cardsOf(new Set(lists.map(({ id }) => id)));
    const byList = groupBy(cards, ({ idList }) => idList);
    const document: BoardDocument = {
      format: DOCUMENT_FORMAT,
      version: DOCUMENT_VERSION,
      title: this.#title(name, { what: 'Board title', card: null }),
      description: this.longTexts.fit(desc, LONG_TEXT_CHARACTERS, { what: 'Board description', card: null }) || null,
      color: null,
      icon: null,
      members: this.#members(),
      labels: this.#labels(),
      columns: [...open, ...closed].map(({ id, name: listName, closed: isArchived }, column) => {
        const own = take(byList, id) ?? [];
        return {
          id,
          title: this.#title(listName, { what: 'List name', card: null }),
          color: DEFAULT_COLOR,
          is_done_column: false,
          ...(isArchived ? { archived_at: this.#lastActivity(own) } : {}),
          cards: inOrder(own).map((card, place) => this.#card(card, { column, card: place, title: card.name })),
        };
      }),
      rules: [],
    };
    this.#noteWhatHasNoPlace();
    return document;
  }

  #cardsOf(lists: ReadonlySet<string>): TrelloCard[] {
    const [placed, listless] = split(this.#board.cards, ({ idList }) => lists.has(idList));
    for (const { name } of listless) this.#leftOut.name('card', `Card "${clip(name)}": its list is missing.`);
    return placed;
  }

  /** Trello does not say when something was archived: its last change is the nearest. */
  #lastActivity(cards: readonly TrelloCard[]): string {
    const times = cards.flatMap(({ dateLastActivity }) => this.#date(dateLastActivity) ?? []).sort();
    return times.at(-1) ?? this.#date(this.#board.actions[0]?.date ?? null) ?? UNKNOWN_TIME;
  }

  #members(): BoardDocument['members'] {
    const types = new Map(this.#board.memberships.map(({ idMember, memberType }) => [idMember, memberType]));
    return this.#board.members.flatMap(({ id, fullName, username }) => {
      const email = this.#emails.get(id);
      if (email !== undefined) return [{ email, username: clip(fullName || username), role: roleOf(types.get(id)) }];
      this.#leftOut.name('member', `Member ${clip(fullName)} (@${clip(username)}): the export does not contain the e-mail address.`);
      return [];
    });
  }

  /** Trello's labels often have a colour and no name, and sometimes a name and no colour. */
  #labels(): BoardDocument['labels'] {
    return this.#board.labels.map(({ id, name, color }) => {
      const known = color === null ? DEFAULT_COLOR : trelloColor(color);
      if (known === undefined) {
        this.#leftOut.name('color', `Colour "${clip(color ?? '')}" of label "${clip(name)}" is unknown.`);
      }
      const title = this.#title(name || (color ?? '').replaceAll('_', ' '), { what: 'Label name', card: null });
      return { id, name: title, color: known ?? DEFAULT_COLOR };
    });
  }

  #card(card: TrelloCard, place: CardPlace): CardDocument {
    const links = card.attachments.flatMap((attachment) => this.#link(attachment));
    for (const attachment of card.attachments) if (this.#link(attachment).length === 0) this.#nameLostAttachment(attachment, card);
    return {
      number: numberOf(card),
      cover: this.#cover(card),
      title: this.#title(card.name, { what: 'Title', card: place }),
      description: this.longTexts.fit(card.desc, CARD_TEXT_CHARACTERS, { what: 'Description', card: place }) || null,
      ...this.#dates(card),
      ...(card.closed ? { archived_at: this.#lastActivity([card]) } : {}),
      labels: card.idLabels,
      assignees: this.#assignees(card.idMembers),
      checklists: inOrder(card.idChecklists.flatMap((id) => take(this.#checklists, id) ?? [])).map((checklist) => this.#checklist(checklist, place)),
      attachments: links,
      comments: this.#commentsOn(card, place),
    };
  }

  #nameLostAttachment({ name, url, isUpload }: TrelloAttachment, card: TrelloCard): void {
    const of = `"${clip(name)}" of card "${clip(card.name)}"`;
    if (isUpload === false) {
      this.#leftOut.name('link', `Link ${of}: its address is not that of a web page, or too long.`);
      return;
    }
    const place = url === '' ? '' : ` It is at ${clip(url, MAX_ADDRESS_CHARACTERS)}`;
    this.#leftOut.name('file', `File ${of}: the export does not contain it, and it needs Trello's own login.${place}`);
  }

  /** Empty for a file, which the export does not contain. */
  #link({ name, url: text, isUpload }: TrelloAttachment): AttachmentDocument[] {
    const url = isUpload === false ? webAddress(text) : null;
    if (url === null) return [];
    return [{ name: clip(name.trim()) || clip(url), mime_type: LINK_TYPE, size: 0, url }];
  }

  /** The pictures of a card are not in the export. */
  #cover({ cover }: TrelloCard): CardDocument['cover'] {
    const color = trelloColor(cover?.color ?? '');
    if (color !== undefined) return { color };
    if (cover?.idAttachment) this.#lostCovers += 1;
    return null;
  }

  /** Trello has the newest first. */
  #commentsOn({ id }: TrelloCard, place: CardPlace): CommentDocument[] {
    return (take(this.#comments, id) ?? []).toReversed().flatMap(({ date, data, memberCreator }) => {
      const body = this.longTexts.fit((data?.text ?? '').trim(), CARD_TEXT_CHARACTERS, { what: 'Comment', card: place });
      if (body === '') return [];
      const created_at = this.#date(date);
      return [
        {
          author: this.#emails.get(memberCreator?.id ?? '') ?? null,
          author_name: clip(memberCreator?.fullName || (memberCreator?.username ?? '')),
          body,
          ...(created_at === null ? {} : { created_at, updated_at: created_at }),
        },
      ];
    });
  }

  /** Trello says that a card is complete, and not since when: the time of its last change is the nearest. */
  #dates({
    start,
    due,
    dueReminder,
    dueComplete,
    dateLastActivity,
  }: TrelloCard): Pick<CardDocument, 'start_at' | 'due_at' | 'completed_at' | 'reminder_minutes'> {
    const due_at = this.#date(due);
    const given = this.#date(start);
    const isTooLate = given !== null && due_at !== null && isAfter(given, due_at);
    if (isTooLate) this.#lostDates += 1;
    const completed_at = dueComplete ? (this.#date(dateLastActivity) ?? due_at) : null;
    return { start_at: isTooLate ? null : given, due_at, completed_at, reminder_minutes: reminderOf(dueReminder) };
  }

  #date(text: string | null): string | null {
    const date = toIso(text);
    if (text !== null && date === null) this.#lostDates += 1;
    return date;
  }

  #checklist({ name, checkItems }: TrelloBoard['checklists'][number], place: CardPlace): ChecklistDocument {
    return {
      title: this.#title(name, { what: 'Checklist', card: place }),
      items: inOrder(checkItems).map((item) => ({
        content: this.longTexts.fit(item.name, LONG_TEXT_CHARACTERS, { what: 'Item', card: place }) || UNNAMED,
        is_done: item.state === 'complete',
        due_at: this.#date(item.due),
        assignees: this.#assignees(item.idMember === null ? [] : [item.idMember]),
      })),
    };
  }

  /** Members without an address stand for themselves, so that they are counted as lost. */
  #assignees(members: readonly string[]): string[] {
    return members.map((id) => this.#emails.get(id) ?? id);
  }

  #noteWhatHasNoPlace(): void {
    const { actions, customFields } = this.#board;
    const lost = [...this.#comments.values()].reduce((sum, { length }) => sum + length, 0);
    this.#leftOut.count(lost, (n) => `${n}: ${lost === 1 ? 'its card is' : 'their cards are'} not imported.`, ['comment', 'comments']);
    if (actions.length >= MAX_ACTIONS) {
      const oldest = actions.map(({ date }) => toIso(date)).findLast((date) => date !== null);
      const missing = oldest == null ? 'Older comments' : `Comments before ${oldest}`;
      this.#leftOut.summarize(`${missing}: the export has only the last ${actions.length} actions.`);
    }
    const none = (things: string): string => `${things}: boards do not have them.`;
    this.#leftOut.count(this.#lostDates, (n) => `${n} cannot be read, or begins after the card is due.`, ['date', 'dates']);
    this.#leftOut.count(this.#lostCovers, (n) => `${n}: the export does not contain the pictures.`, ['cover', 'covers']);
    this.#leftOut.count(customFields.length, none, ['custom field', 'custom fields']);
  }

  #title(text: string, role: TextRole): string {
    return this.longTexts.fit(text.trim(), TITLE_CHARACTERS, role).trim() || UNNAMED;
  }
}

/** Null for none, for text that is no date, and for years of more than four digits. */
function toIso(text: string | null): string | null {
  const ms = text === null ? NaN : Date.parse(text);
  const date = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  return /^\d{4}-/.test(date) ? date : null;
}

/** Trello numbers cards as boards here do. */
function numberOf({ idShort }: TrelloCard): number | null {
  return idShort !== null && Number.isInteger(idShort) && idShort >= 1 && idShort <= MAX_NUMBER ? idShort : null;
}

/** Observers see a board in Trello, and on some boards comment. */
function roleOf(memberType: string | undefined): Role {
  switch (memberType) {
    case 'admin':
      return 'owner';
    case 'observer':
      return 'viewer';
    default:
      return 'member';
  }
}

/** By Trello's positions; entries without one stay in file order, at the end. */
function inOrder<T extends { readonly pos: number | null }>(things: readonly T[]): T[] {
  return [...things].sort((a, b) => (a.pos ?? Infinity) - (b.pos ?? Infinity) || 0);
}

/** Null if it is not there, or was taken before. */
function take<T>(things: Map<string, T>, id: string): T | null {
  const found = things.get(id) ?? null;
  things.delete(id);
  return found;
}

function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}

function split<T>(things: readonly T[], holds: (thing: T) => boolean): [yes: T[], no: T[]] {
  return [things.filter(holds), things.filter((thing) => !holds(thing))];
}

/** Trello has minutes as well, and -1 for none. */
function reminderOf(minutes: number | null): number | null {
  return minutes !== null && Number.isInteger(minutes) && minutes >= NO_REMINDER && minutes <= MAX_REMINDER_MINUTES ? minutes : null;
}
