/**
 * Turns a document into the plan of a board: resolves references to positions and users, and notes what does not fit.
 */
import type { AttachmentDocument, BoardDocument, CardDocument, RuleDocument } from '../domain/document/boardDocument.js';
import { LINK_TYPE } from '../domain/content/links.js';
import { isPictureType } from '../domain/content/pictures.js';
import { cleanFileName } from '../domain/content/fileName.js';
import type { Uuid } from '../domain/ids.js';
import type { ImportedBoard, ImportedCard, ImportedRule } from '../domain/document/importedBoard.js';
import { isRestricted } from '../domain/model.js';
import type { PublicUser } from '../domain/account/user.js';
import type { Omissions } from './omissions.js';

/** The result of receiving a file of the document. */
export type ReceivedFile =
  | { readonly kind: 'stored'; readonly id: Uuid; readonly size: number; readonly digest: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'missing' };

export interface ImportSources {
  readonly importer: PublicUser;
  /** By e-mail address as written in the document; null if there is no such user. */
  readonly people: ReadonlyMap<string, PublicUser | null>;
  /** Users whom the importer may not add to a board today. */
  readonly notInvited: ReadonlySet<Uuid>;
  /** By mark. Each file is returned only once. */
  takeFile(mark: string): ReceivedFile;
}

const NOT_INVITED = 'you cannot add more members today (MAX_INVITES_PER_DAY)';

export function planImport(document: BoardDocument, sources: ImportSources, leftOut: Omissions): ImportedBoard {
  const { importer, people, notInvited } = sources;
  const members = document.members.flatMap(({ email, username, role }) => {
    const user = people.get(email) ?? null;
    if (user !== null && !notInvited.has(user.id)) return [{ user, role }];
    const reason = user === null ? 'no user has this e-mail address' : NOT_INVITED;
    leftOut.name('member', `Member ${username} (${email}): ${reason}.`);
    return [];
  });
  const assignable = new Set([importer.id, ...members.flatMap(({ user, role }) => (isRestricted(role) ? [] : [user.id]))]);
  const references = new References(document, (email) => {
    const user = people.get(email) ?? null;
    return user !== null && assignable.has(user.id) ? user.id : null;
  });
  const { format: _format, version: _version, ...own } = document;
  const plan: ImportedBoard = {
    ...own,
    importer,
    members,
    columns: document.columns.map((column) => ({
      ...column,
      cards: column.cards.map((card) => planCard(card, references, sources, leftOut)),
    })),
    rules: document.rules.map((rule) => planRule(rule, references, leftOut)),
  };
  const { lostAssignments, lostLabels } = references;
  leftOut.count(lostAssignments, (n) => `${n}: the users are not members of the new board.`, ['assignment', 'assignments']);
  leftOut.count(lostLabels, (n) => `${n} of cards: the document does not have them.`, ['label', 'labels']);
  return plan;
}

/** Resolves names in a document to positions and users. */
class References {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #labels: ReadonlyMap<string, number>;
  readonly #memberOf: (email: string) => Uuid | null;
  lostAssignments = 0;
  lostLabels = 0;

  constructor({ columns, labels }: BoardDocument, memberOf: (email: string) => Uuid | null) {
    this.#columns = new Map(columns.map(({ id }, place) => [id, place]));
    this.#labels = new Map(labels.map(({ id }, place) => [id, place]));
    this.#memberOf = memberOf;
  }

  column(id: string | null): number | null {
    return id === null ? null : (this.#columns.get(id) ?? null);
  }

  label(id: string | null): number | null {
    return id === null ? null : (this.#labels.get(id) ?? null);
  }

  member(email: string | null): Uuid | null {
    return email === null ? null : this.#memberOf(email);
  }

  labels(ids: readonly string[]): number[] {
    const places = ids.map((id) => this.label(id));
    this.lostLabels += places.filter((place) => place === null).length;
    return known(places);
  }

  assignees(emails: readonly string[]): Uuid[] {
    const users = emails.map((email) => this.member(email));
    this.lostAssignments += users.filter((user) => user === null).length;
    return known(users);
  }
}

function planCard(card: CardDocument, references: References, sources: ImportSources, leftOut: Omissions): ImportedCard {
  const files = card.attachments.map(({ comment, ...attachment }) => {
    // One that the document does not have is none.
    const place = typeof comment === 'number' && comment < card.comments.length ? comment : null;
    return planAttachment({ ...attachment, comment: place }, card.title, sources, leftOut);
  });
  return {
    title: card.title,
    description: card.description,
    start_at: card.start_at,
    due_at: card.due_at,
    completed_at: card.completed_at,
    reminder_minutes: card.reminder_minutes,
    number: card.number,
    archived_at: card.archived_at,
    created_at: card.created_at,
    updated_at: card.updated_at,
    cover: planCover(card.cover, files),
    labels: references.labels(card.labels),
    assignee_ids: references.assignees(card.assignees),
    checklists: card.checklists.map((checklist) => ({
      ...checklist,
      items: checklist.items.map(({ assignees: emails, ...item }) => {
        return { ...item, assignee_ids: references.assignees(emails) };
      }),
    })),
    attachments: files.flat(),
    comments: card.comments.map(({ author, ...comment }) => ({ ...comment, created_by: references.member(author) })),
  };
}

/** A picture that was left out is no cover; nor is any other file. */
function planCover(cover: CardDocument['cover'], files: ReadonlyArray<ImportedCard['attachments']>): ImportedCard['cover'] {
  if (cover === null || 'color' in cover) return cover;
  const file = files[cover.attachment]?.[0];
  return file !== undefined && file.id !== null && isPictureType(file.mime_type) ? { attachment_id: file.id } : null;
}

function planAttachment(
  { content_base64: mark = '', url, ...attachment }: AttachmentDocument,
  card: string,
  sources: ImportSources,
  leftOut: Omissions,
): ImportedCard['attachments'] {
  if (url !== null) return [{ ...attachment, id: null, mime_type: LINK_TYPE, size: 0, digest: null, url }];
  const file = sources.takeFile(mark);
  const name = cleanFileName(attachment.name);
  if (file.kind === 'stored') return [{ ...attachment, name, id: file.id, size: file.size, digest: file.digest, url }];
  const reason = file.kind === 'too_large' ? 'it is larger than the file limit' : 'its content is missing';
  leftOut.name('file', `File "${name}" of card "${card}": ${reason}.`);
  return [];
}

function planRule(rule: RuleDocument, references: References, leftOut: Omissions): ImportedRule {
  const { trigger_column, trigger_label, action_column, action_member, ...own } = rule;
  const found = {
    trigger_column: references.column(trigger_column),
    trigger_label: references.label(trigger_label),
    action_column: references.column(action_column),
  };
  const action_user_id = references.member(action_member);
  const pairs: ReadonlyArray<readonly [named: string | null, found: number | string | null]> = [
    [trigger_column, found.trigger_column],
    [trigger_label, found.trigger_label],
    [action_column, found.action_column],
    [action_member, action_user_id],
  ];
  const isWhole = pairs.every(([name, place]) => name === null || place !== null);
  if (!isWhole) leftOut.name('rule', `Rule "${rule.name}" is disabled: a column, label or member that it refers to is missing.`);
  return { ...own, ...found, action_user_id, is_enabled: rule.is_enabled && isWhole };
}

/** The known entries, each once. */
function known<T>(found: ReadonlyArray<T | null>): T[] {
  return [...new Set(found.filter((each) => each !== null))];
}
