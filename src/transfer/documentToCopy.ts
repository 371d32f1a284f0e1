/** What of an exported board becomes part of its copy. */
import type { BoardDocument, CardDocument, RuleDocument } from '../domain/document/boardDocument.js';
import type { Uuid } from '../domain/ids.js';

/** What of a board becomes part of its copy. */
export interface CopyOptions {
  readonly title: string;
  readonly comments: boolean;
  readonly people: boolean;
  /** The originals of the staged files, in their order; null: without files and links. */
  readonly files: readonly Uuid[] | null;
}

/** The ids in the place of the files become the marks of the staged ones. */
export function documentToCopy(document: BoardDocument, options: CopyOptions): BoardDocument {
  const { title, people, files } = options;
  const marks = new Map(files?.map((id, place) => [id, String(place)]));
  const columns = document.columns.map((column) => ({ ...column, cards: column.cards.map((card) => cardToCopy(card, options, marks)) }));
  const rules = people ? document.rules : document.rules.map(withoutPerson);
  // The board is new, and so is everything on it.
  const { created_at: _created, updated_at: _updated, ...own } = document;
  return { ...own, title, members: people ? document.members : [], columns, rules };
}

function cardToCopy(card: CardDocument, { comments, people, files }: CopyOptions, marks: ReadonlyMap<string, string>): CardDocument {
  const attachments = files === null ? [] : card.attachments.map(({ content_base64: id, ...file }) => withMark(file, id, marks));
  return {
    ...card,
    cover: files === null && card.cover !== null && 'attachment' in card.cover ? null : card.cover,
    assignees: people ? card.assignees : [],
    checklists: people ? card.checklists : card.checklists.map(withoutAssignees),
    attachments,
    comments: comments ? card.comments.map((comment) => (people ? comment : { ...comment, author: null, author_name: '' })) : [],
  };
}

/** Without a mark the file counts as missing. */
function withMark<T extends object>(file: T, id: string | undefined, marks: ReadonlyMap<string, string>): T & { content_base64?: string } {
  return id === undefined ? file : { ...file, content_base64: marks.get(id) ?? '' };
}

function withoutAssignees(checklist: CardDocument['checklists'][number]): CardDocument['checklists'][number] {
  return { ...checklist, items: checklist.items.map((item) => ({ ...item, assignees: [] })) };
}

/** One that assigns somebody names nobody then, and is off. */
function withoutPerson(rule: RuleDocument): RuleDocument {
  return rule.action_member === null ? rule : { ...rule, action_member: null, is_enabled: false };
}
