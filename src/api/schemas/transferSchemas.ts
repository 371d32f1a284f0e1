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
  type ItemDocument,
  type LabelDocument,
  type MemberDocument,
  type RuleDocument,
} from '../../domain/document/boardDocument.js';
import { ACTION_TYPES, DEFAULT_COLOR, ROLES, TRIGGER_TYPES } from '../../domain/model.js';
import { EMAIL_CHARACTERS } from '../../domain/textLimits.js';
import { color, documentedCheck, enumeration, longText, title } from './fields.js';
import { MEDIA_TYPE } from '../operation/mediaType.js';
import type { SchemasOf } from '../operation/operation.js';

/** Far more than boards have; each is looked up in the directory. */
const MAX_MEMBERS = 1_000;

/** A reference within the document: an id or an e-mail address. */
const reference = () => v.pipe(v.string(), v.maxLength(EMAIL_CHARACTERS, `must be at most ${EMAIL_CHARACTERS} characters`));
const references = () => v.optional(v.array(reference()), []);

/** Converted to our own format. */
const timestamp = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.isoTimestamp('must be an ISO 8601 timestamp'),
      documentedCheck((text) => !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 timestamp', {}),
      v.transform((text) => new Date(text).toISOString()),
    ),
  );
const times = { created_at: timestamp(), updated_at: timestamp() };

const Item = v.object({
  content: longText(1),
  is_done: v.optional(v.boolean(), false),
  assignees: references(),
  ...times,
} satisfies SchemasOf<ItemDocument>);

const Attachment = v.object({
  name: title(),
  mime_type: v.pipe(v.string(), v.regex(MEDIA_TYPE, 'must be a content type such as text/plain')),
  size: v.optional(v.number(), 0),
  content_base64: v.string(),
  ...times,
} satisfies SchemasOf<AttachmentDocument>);

const Checklist = v.object({
  title: title(),
  items: v.optional(v.array(Item), []),
  ...times,
} satisfies SchemasOf<ChecklistDocument>);

const Card = v.object({
  title: title(),
  description: v.optional(v.nullable(longText()), null),
  labels: references(),
  assignees: references(),
  checklists: v.optional(v.array(Checklist), []),
  attachments: v.optional(v.array(Attachment), []),
  ...times,
} satisfies SchemasOf<CardDocument>);

const Column = v.object({
  id: reference(),
  title: title(),
  color: v.optional(color(), DEFAULT_COLOR),
  is_done_column: v.optional(v.boolean(), false),
  cards: v.optional(v.array(Card), []),
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
  members: v.optional(
    v.pipe(
      v.array(
        v.object({
          email: reference(),
          username: v.optional(reference(), ''),
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

/** A Trello export, as far as the API document describes it. */
export const TrelloExport = v.object({
  name: v.string(),
  lists: v.array(v.record(v.string(), v.unknown())),
  cards: v.array(v.record(v.string(), v.unknown())),
});
