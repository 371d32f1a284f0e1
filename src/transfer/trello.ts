/** Converts a Trello export to a board document. Features that boards here lack are noted. */
import {
  DOCUMENT_FORMAT,
  DOCUMENT_VERSION,
  type BoardDocument,
  type CardDocument,
  type ChecklistDocument,
} from '../domain/document/boardDocument.js';
import { DEFAULT_COLOR } from '../domain/model.js';
import { LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../domain/textLimits.js';
import type { Omissions } from './omissions.js';
import type { TrelloBoard, TrelloCard } from './trelloBoard.js';
import { trelloColor } from './trelloColors.js';

const UNNAMED = 'Untitled';

export function fromTrello(board: TrelloBoard, leftOut: Omissions): BoardDocument {
  const reader = new TrelloReader(board, leftOut);
  return reader.read();
}

class TrelloReader {
  readonly #board: TrelloBoard;
  readonly #leftOut: Omissions;
  /** E-mail addresses by Trello's ids. */
  readonly #emails: ReadonlyMap<string, string>;
  readonly #checklists: ReadonlyMap<string, TrelloBoard['checklists'][number]>;
  #shortened = 0;

  constructor(board: TrelloBoard, leftOut: Omissions) {
    this.#board = board;
    this.#leftOut = leftOut;
    this.#emails = new Map(board.members.flatMap(({ id, email }) => (email ? [[id, email]] : [])));
    this.#checklists = new Map(board.checklists.map((checklist) => [checklist.id, checklist]));
  }

  read(): BoardDocument {
    const { name, desc, lists } = this.#board;
    const open = inOrder(lists.filter(({ closed }) => !closed));
    const cards = this.#openCards(new Set(open.map(({ id }) => id)));
    const byList = groupByList(cards);
    const document: BoardDocument = {
      format: DOCUMENT_FORMAT,
      version: DOCUMENT_VERSION,
      title: this.#title(name),
      description: this.#text(desc) || null,
      members: this.#members(),
      labels: this.#labels(),
      columns: open.map(({ id, name: listName }) => ({
        id,
        title: this.#title(listName),
        color: DEFAULT_COLOR,
        is_done_column: false,
        cards: inOrder(byList.get(id) ?? []).map((card) => this.#card(card)),
      })),
      rules: [],
    };
    this.#noteWhatHasNoPlace(cards);
    return document;
  }

  #openCards(openLists: ReadonlySet<string>): TrelloCard[] {
    const [open, archived] = split(this.#board.cards, ({ closed }) => !closed);
    const [placed, listless] = split(open, ({ idList }) => openLists.has(idList));
    const closedLists = this.#board.lists.filter(({ closed }) => closed);
    for (const { name } of closedLists) this.#leftOut.note(`List "${clip(name)}": it is archived.`);
    for (const { name } of archived) this.#leftOut.note(`Card "${clip(name)}": it is archived.`);
    for (const { name } of listless) this.#leftOut.note(`Card "${clip(name)}": its list is archived or missing.`);
    return placed;
  }

  #members(): BoardDocument['members'] {
    const admins = new Set(this.#board.memberships.flatMap(({ idMember, memberType }) => (memberType === 'admin' ? [idMember] : [])));
    return this.#board.members.flatMap(({ id, email, fullName, username }) => {
      if (email) return [{ email, username: clip(fullName || username), role: admins.has(id) ? 'owner' : 'member' }];
      this.#leftOut.note(`Member ${clip(fullName)} (@${clip(username)}): the export does not contain the e-mail address.`);
      return [];
    });
  }

  /** Trello's labels often have a colour and no name, and sometimes a name and no colour. */
  #labels(): BoardDocument['labels'] {
    return this.#board.labels.map(({ id, name, color }) => {
      const known = color === null ? DEFAULT_COLOR : trelloColor(color);
      if (known === undefined) {
        this.#leftOut.note(`Colour "${clip(color ?? '')}" of label "${clip(name)}" is unknown.`);
      }
      return { id, name: this.#title(name || (color ?? '').replaceAll('_', ' ')), color: known ?? DEFAULT_COLOR };
    });
  }

  #card(card: TrelloCard): CardDocument {
    for (const { name, url } of card.attachments) {
      const link = url === '' ? '' : ` It is at ${clip(url)}`;
      const attachment = `Attachment "${clip(name)}" of card "${clip(card.name)}"`;
      this.#leftOut.note(`${attachment}: the export only links to it.${link}`);
    }
    return {
      title: this.#title(card.name),
      description: this.#text(card.desc) || null,
      labels: card.idLabels,
      assignees: this.#assignees(card.idMembers),
      checklists: inOrder(card.idChecklists.flatMap((id) => this.#checklists.get(id) ?? [])).map((checklist) => this.#checklist(checklist)),
      attachments: [],
    };
  }

  #checklist({ name, checkItems }: TrelloBoard['checklists'][number]): ChecklistDocument {
    return {
      title: this.#title(name),
      items: inOrder(checkItems).map((item) => ({
        content: this.#text(item.name) || UNNAMED,
        is_done: item.state === 'complete',
        assignees: this.#assignees(item.idMember === null ? [] : [item.idMember]),
      })),
    };
  }

  /** Members without an address stand for themselves, so that they are counted as lost. */
  #assignees(members: readonly string[]): string[] {
    return members.map((id) => this.#emails.get(id) ?? id);
  }

  #noteWhatHasNoPlace(cards: readonly TrelloCard[]): void {
    const { actions, customFields } = this.#board;
    const comments = actions.filter(({ type }) => type === 'commentCard').length;
    const due = cards.filter((card) => card.due !== null).length;
    const none = (things: string): string => `${things}: boards do not have them.`;
    this.#leftOut.count(comments, none, ['comment', 'comments']);
    this.#leftOut.count(due, none, ['due date', 'due dates']);
    this.#leftOut.count(customFields.length, none, ['custom field', 'custom fields']);
    this.#leftOut.count(this.#shortened, (n) => `${n} shortened to the maximum length.`, ['text was', 'texts were']);
  }

  #title(text: string): string {
    return this.#fit(text.trim(), TITLE_CHARACTERS).trim() || UNNAMED;
  }

  #text(text: string): string {
    return this.#fit(text, LONG_TEXT_CHARACTERS);
  }

  #fit(text: string, most: number): string {
    const sound = text.toWellFormed().replaceAll('\0', '');
    if (sound.length <= most) return sound;
    const characters = [...sound];
    if (characters.length <= most) return sound;
    this.#shortened += 1;
    return `${characters.slice(0, most - 1).join('')}…`;
  }
}

/** By Trello's positions; entries without one stay in file order, at the end. */
function inOrder<T extends { readonly pos: number | null }>(things: readonly T[]): T[] {
  return [...things].sort((a, b) => (a.pos ?? Infinity) - (b.pos ?? Infinity) || 0);
}

function groupByList(cards: readonly TrelloCard[]): ReadonlyMap<string, readonly TrelloCard[]> {
  const groups = new Map<string, TrelloCard[]>();
  for (const card of cards) {
    const group = groups.get(card.idList);
    if (group === undefined) groups.set(card.idList, [card]);
    else group.push(card);
  }
  return groups;
}

function split<T>(things: readonly T[], holds: (thing: T) => boolean): [yes: T[], no: T[]] {
  return [things.filter(holds), things.filter((thing) => !holds(thing))];
}

/** Shortens a text for a sentence. */
function clip(text: string): string {
  return [...text.slice(0, 2 * TITLE_CHARACTERS)].slice(0, TITLE_CHARACTERS).join('').toWellFormed();
}
