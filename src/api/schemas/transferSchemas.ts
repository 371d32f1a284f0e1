/** The schema of an imported document, with the same limits as the operations that would create the same board. */
import * as v from 'valibot';
import {
  DOCUMENT_FORMAT,
  DOCUMENT_VERSION,
  type AttachmentDocument,
  type BoardDocument,
  type CardDocument,
  type ChecklistDocument,
  type ColumnDocument,
  type CommentDocument,
  type ItemDocument,
  type LabelDocument,
  type MemberDocument,
  type RuleDocument,
} from '../../domain/document/boardDocument.js';
import { isAfter } from '../../domain/board/dates.js';
import { MAX_NUMBER } from '../../domain/board/order/numbering.js';
import { ACTION_TYPES, ROLES, TRIGGER_TYPES } from '../../domain/model.js';
import { EMAIL_CHARACTERS } from '../../domain/textLimits.js';
import { TrelloBoard } from '../../transfer/trelloBoard.js';
import {
  color,
  cardDescription,
  commentText,
  date,
  documented,
  documentedCheck,
  emoji,
  enumeration,
  longText,
  personName,
  reminderMinutes,
  time,
  title,
  webUrl,
} from './fields.js';
import { MEDIA_TYPE } from '../operation/mediaType.js';
import type { SchemasOf } from '../operation/operation.js';
import { DEFAULT_COLOR } from '../../domain/content/defaults.js';

/** Far more than boards have; each is looked up in the directory. */
const MAX_MEMBERS = 1_000;

/** A reference within the document: an id or an e-mail address. */
const reference = () => v.pipe(v.string(), v.maxLength(EMAIL_CHARACTERS, `must be at most ${EMAIL_CHARACTERS} characters`));
const references = () => v.optional(v.array(reference()), []);

const timestamp = () => v.optional(time());
const archivedAt = () => v.optional(v.nullable(time()), null);
const times = { created_at: timestamp(), updated_at: timestamp() };

const Item = v.object({
  content: longText(1),
  is_done: v.optional(v.boolean(), false),
  due_at: v.optional(v.nullable(date()), null),
  assignees: references(),
  ...times,
} satisfies SchemasOf<ItemDocument>);

/** The decoder checks it while the file arrives; the schema sees a mark in its place. */
const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

const Attachment = v.object({
  name: title(),
  mime_type: v.pipe(v.string(), v.regex(MEDIA_TYPE, 'must be a content type such as text/plain')),
  size: v.optional(v.number(), 0),
  url: v.optional(v.nullable(webUrl()), null),
  comment: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))),
  content_base64: v.optional(v.pipe(v.string(), documented({ contentEncoding: 'base64', pattern: BASE64 }))),
  ...times,
} satisfies SchemasOf<AttachmentDocument>);

const Comment = v.object({
  author: v.optional(v.nullable(reference()), null),
  author_name: v.optional(personName(), ''),
  body: commentText(),
  ...times,
} satisfies SchemasOf<CommentDocument>);

const Checklist = v.object({
  title: title(),
  items: v.optional(v.array(Item), []),
  ...times,
} satisfies SchemasOf<ChecklistDocument>);

const number = () =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(MAX_NUMBER, `must be at most ${MAX_NUMBER}`),
  );

const cover = v.union(
  [v.strictObject({ attachment: v.pipe(v.number(), v.integer(), v.minValue(0)) }), v.strictObject({ color: color() })],
  'must have the place of an attachment, or a color',
);

const Card = v.pipe(
  v.object({
    number: v.optional(v.nullable(number()), null),
    cover: v.optional(v.nullable(cover), null),
    title: title(),
    description: v.optional(v.nullable(cardDescription()), null),
    start_at: v.optional(v.nullable(date()), null),
    due_at: v.optional(v.nullable(date()), null),
    completed_at: v.optional(v.nullable(date()), null),
    reminder_minutes: v.optional(v.nullable(reminderMinutes()), null),
    labels: references(),
    assignees: references(),
    checklists: v.optional(v.array(Checklist), []),
    attachments: v.optional(v.array(Attachment), []),
    comments: v.optional(v.array(Comment), []),
    archived_at: archivedAt(),
    ...times,
  } satisfies SchemasOf<CardDocument>),
  documentedCheck(
    ({ start_at, due_at }) => start_at === null || due_at === null || !isAfter(start_at, due_at),
    'start_at must not be after due_at',
    {},
  ),
);

const Column = v.object({
  id: reference(),
  title: title(),
  color: v.optional(color(), DEFAULT_COLOR),
  is_done_column: v.optional(v.boolean(), false),
  cards: v.optional(v.array(Card), []),
  archived_at: archivedAt(),
  ...times,
} satisfies SchemasOf<ColumnDocument>);

const Rule = v.object({
  name: title(),
  trigger_type: enumeration(TRIGGER_TYPES),
  trigger_column: v.optional(v.nullable(reference()), null),
  trigger_label: v.optional(v.nullable(reference()), null),
  action_type: enumeration(ACTION_TYPES),
  action_column: v.optional(v.nullable(reference()), null),
  action_member: v.optional(v.nullable(reference()), null),
  is_enabled: v.optional(v.boolean(), true),
  ...times,
} satisfies SchemasOf<RuleDocument>);

export const IncomingBoard = v.object({
  format: v.literal(DOCUMENT_FORMAT, `must be "${DOCUMENT_FORMAT}", or the document must be a Trello export`),
  version: v.literal(DOCUMENT_VERSION, `must be ${DOCUMENT_VERSION}: a newer service wrote this document`),
  title: title(),
  description: v.optional(v.nullable(longText()), null),
  color: v.optional(v.nullable(color()), null),
  icon: v.optional(v.nullable(emoji()), null),
  members: v.optional(
    v.pipe(
      v.array(
        v.object({
          email: reference(),
          username: v.optional(personName(), ''),
          role: v.picklist(ROLES),
        } satisfies SchemasOf<MemberDocument>),
      ),
      v.maxLength(MAX_MEMBERS, `must be at most ${MAX_MEMBERS}`),
    ),
    [],
  ),
  labels: v.optional(
    v.array(
      v.object({
        id: reference(),
        name: title(),
        color: v.optional(color(), DEFAULT_COLOR),
        ...times,
      } satisfies SchemasOf<LabelDocument>),
    ),
    [],
  ),
  columns: v.optional(v.array(Column), []),
  rules: v.optional(v.array(Rule), []),
  ...times,
} satisfies SchemasOf<BoardDocument>);

/** A Trello export: what of it is read. */
export const TrelloExport = v.object({ ...TrelloBoard.entries, name: v.string() });
