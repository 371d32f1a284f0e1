/** The resources as they are sent. These schemas describe answers; tests validate every answer against them. */
import * as v from 'valibot';
import {
  DOCUMENT_FORMAT,
  DOCUMENT_VERSION,
  type AttachmentDocument,
  type BoardDocument as WholeDocument,
  type CardDocument,
  type ChecklistDocument,
  type ColumnDocument,
  type CommentDocument,
  type ItemDocument,
  type LabelDocument,
  type MemberDocument,
  type RuleDocument,
} from '../../domain/document/boardDocument.js';
import type { AssignedCard as AssignedCardFields } from '../../domain/commands/steps/assignedCards.js';
import { NOTICE_MAILS, type NoticeSettings } from '../../domain/account/noticeSettings.js';
import { NOTIFICATION_KINDS, type NotificationKind, type Notification as NotificationFields } from '../../domain/account/notification.js';
import { SCOPES } from '../../domain/account/apiKey.js';
import { EVENT_TYPES, EVENT_VERSION } from '../../domain/events.js';
import { MAX_ON_ONE } from '../../domain/limits.js';
import type { ShownKind, WireField } from '../../domain/board/wireFields.js';
import { ACTION_TYPES, ROLES, TRIGGER_TYPES } from '../../domain/model.js';
import { PUBSUB_STATUSES } from '../../domain/ports/pubsub.js';
import type { Account as OwnAccount, PublicUser as UserProfile } from '../../domain/account/user.js';
import { DATE, documented, reminderMinutes } from './fields.js';
import { IMPORT_SOURCES } from '../documentsPort.js';
import type { Schema, SchemasOf } from '../operation/operation.js';
import { id, seq, timestamp } from './basics.js';
import { NewWebhook, Webhook, WebhookDelivery } from './webhooks.js';

/** Schemas of exactly the fields that a resource shows. */
type Fields<K extends ShownKind> = Readonly<Record<WireField<K>, Schema>>;

const date = () => v.pipe(v.string(), documented<string>(DATE));

export const PublicUser = v.object({
  id: id(),
  email: v.string(),
  username: v.string(),
  firstname: v.nullable(v.string()),
  lastname: v.nullable(v.string()),
  is_active: v.boolean(),
  is_verified: v.boolean(),
  is_superuser: v.boolean(),
} satisfies SchemasOf<UserProfile>);

export const Account = v.object({
  ...PublicUser.entries,
  language: v.nullable(v.pipe(v.string(), v.description('A tag of BCP 47; null: that of the browser'))),
  time_zone: v.nullable(v.pipe(v.string(), v.description('A name of the IANA time zone database; null: that of the browser'))),
} satisfies SchemasOf<OwnAccount>);

const times = { created_at: timestamp(), updated_at: timestamp() };
/** Null if an automation rule acted last. */
const authors = { created_by: v.nullable(id()), updated_by: v.nullable(id()) };
const archivedAt = () => v.pipe(v.nullable(timestamp()), v.description('Null on the board'));
const rank = () => v.pipe(v.number(), v.integer());

export const Label = v.object({ id: id(), board_id: id(), name: v.string(), color: v.string(), ...times } satisfies Fields<'label'>);

export const LabelUsage = v.object({
  label_id: id(),
  name: v.string(),
  color: v.string(),
  card_count: v.pipe(v.number(), v.integer()),
});

export const BoardMember = v.object({
  board_id: id(),
  user_id: id(),
  role: v.picklist(ROLES),
  user: PublicUser,
  ...times,
} satisfies Fields<'member'>);

export const ChecklistItem = v.object({
  id: id(),
  checklist_id: id(),
  content: v.string(),
  is_done: v.boolean(),
  due_at: v.nullable(date()),
  rank: rank(),
  assignees: v.array(PublicUser),
  ...times,
} satisfies Fields<'item'>);

export const Checklist = v.object({
  id: id(),
  card_id: id(),
  title: v.string(),
  rank: rank(),
  items: v.array(ChecklistItem),
  ...times,
} satisfies Fields<'checklist'>);

export const Attachment = v.object({
  id: id(),
  card_id: id(),
  comment_id: v.pipe(v.nullable(id()), v.description('The comment that it belongs to; null if it belongs to the card itself')),
  name: v.string(),
  mime_type: v.string(),
  size: v.pipe(v.number(), v.integer(), v.description('In bytes; 0 for a link')),
  url: v.pipe(v.nullable(v.string()), v.description('Of a link to a web page; null for a file')),
  ...times,
} satisfies Fields<'attachment'>);

export const Card = v.object({
  id: id(),
  board_id: id(),
  column_id: id(),
  title: v.string(),
  description: v.nullable(v.string()),
  rank: rank(),
  number: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description('Unique on the board, from 1, and never given again. Null only while an older version of the service is still running'),
  ),
  cover: v.pipe(
    v.nullable(v.union([v.object({ attachment_id: id() }), v.object({ color: v.string() })])),
    v.description('A picture among the attachments of the card, or a colour'),
  ),
  start_at: v.nullable(date()),
  due_at: v.nullable(date()),
  completed_at: v.nullable(date()),
  reminder_minutes: v.pipe(
    v.nullable(reminderMinutes()),
    v.description(
      'How long before it is due its assignees get a notice; -1: none, null: as each of them wants, a day by default. A day without a time ends at midnight in UTC',
    ),
  ),
  comment_count: v.pipe(v.number(), v.integer(), v.description('Of its comments')),
  text_version: v.pipe(v.number(), v.integer(), v.description('Of the description, from 1; each change of it raises it')),
  archived_at: archivedAt(),
  labels: v.array(Label),
  assignees: v.array(PublicUser),
  checklists: v.array(Checklist),
  attachments: v.array(Attachment),
  ...authors,
  ...times,
} satisfies Fields<'card'>);

export const Comment = v.object({
  id: id(),
  card_id: id(),
  author: v.pipe(v.nullable(PublicUser), v.description('Null if the author is not on the board; `author_name` says who it was')),
  author_name: v.string(),
  body: v.pipe(v.string(), v.description('Markdown')),
  mentions: v.pipe(v.array(PublicUser), v.description('Members whom the body names with `@` and their username')),
  text_version: v.pipe(v.number(), v.integer(), v.description('From 1; each change of the body raises it')),
  attachment_ids: v.pipe(v.array(id()), v.description('Its files, which are among the attachments of its card')),
  ...times,
} satisfies Fields<'comment'>);

const changedFields = v.record(
  v.string(),
  v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(v.string()), v.record(v.string(), v.string())]),
);

export const Activity = v.object({
  seq: v.pipe(seq(), v.description('The number of the event')),
  at: timestamp(),
  kind: v.pipe(v.string(), v.description('The type of the event. Later versions may add kinds')),
  user: v.pipe(v.nullable(PublicUser), v.description('Null if a rule or the service acted, or someone who is not on the board any more')),
  user_name: v.pipe(v.nullable(v.string()), v.description('Null if a rule or the service acted')),
  card_id: v.nullable(id()),
  id: v.pipe(id(), v.description('Of what was changed; of a member the id of the user')),
  name: v.pipe(v.optional(v.string()), v.description('What it was called then. Comments have none')),
  card_title: v.pipe(v.optional(v.string()), v.description('Of something on a card')),
  before: v.optional(changedFields),
  after: v.optional(changedFields),
  omitted: v.pipe(v.optional(v.array(v.string())), v.description('What is not repeated here')),
  by_rule: v.optional(v.object({ id: id(), name: v.string() })),
  undoes: v.pipe(v.optional(seq()), v.description('The number of the change that was taken back')),
  moved: v.pipe(v.optional(v.literal(true)), v.description('The card came from another board, or went there')),
});

export const Notification = v.object({
  id: id(),
  kind: v.pipe(v.picklist(NOTIFICATION_KINDS), v.description('Later versions may add kinds')),
  created_at: timestamp(),
  read_at: v.nullable(timestamp()),
  board_id: v.pipe(v.nullable(id()), v.description('Null, as what follows, once the caller has left the board')),
  card_id: v.pipe(v.nullable(id()), v.description('Null also if it is about the board: of an invitation')),
  comment_id: v.pipe(v.nullable(id()), v.description('Of a mention or a comment')),
  user: v.pipe(v.nullable(PublicUser), v.description('Who did it; null if a rule, the service or the time did')),
  title: v.pipe(v.nullable(v.string()), v.description('Of the card, or else of the board, at that time')),
  due_at: v.pipe(v.nullable(date()), v.description('The date of the card, of a reminder')),
  is_late: v.pipe(v.boolean(), v.description('Whether a reminder comes long after its time, because the service was not running')),
} satisfies SchemasOf<NotificationFields>);

/** The answer to a move. */
export const MovedCard = v.object({
  ...Card.entries,
  dropped_people: v.pipe(
    v.optional(v.array(v.object({ id: id(), username: v.string() }))),
    v.description('After a move to another board: who was assigned to the card or its items and cannot be there'),
  ),
});

const noticeWish = () =>
  v.object({
    app: v.pipe(v.boolean(), v.description('Whether the list of notices and `user.notification` have it')),
    mail: v.pipe(
      v.picklist(NOTICE_MAILS),
      v.description('`now`: with what else comes within a minute. `daily`: in one mail, at eight in the morning in the time zone of the user'),
    ),
  });

export const NotificationSettings = v.object({
  reminder_minutes: v.pipe(
    reminderMinutes(),
    v.description('How long before its date a card reminds the user if it does not say so itself. -1: not at all'),
  ),
  kinds: v.object(
    Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, noticeWish()])) as {
      readonly [Kind in NotificationKind]: ReturnType<typeof noticeWish>;
    },
  ),
  boards: v.pipe(
    v.record(v.string(), noticeWish()),
    v.description('By id, the boards of which the user wants less: of a kind and its board, the less counts'),
  ),
} satisfies SchemasOf<NoticeSettings>);

export const AssignedCard = v.object({
  id: id(),
  board_id: id(),
  column_id: id(),
  number: v.nullable(v.pipe(v.number(), v.integer())),
  title: v.string(),
  start_at: v.nullable(date()),
  due_at: v.nullable(date()),
  board_title: v.string(),
  column_title: v.string(),
} satisfies SchemasOf<AssignedCardFields>);

export const Column = v.object({
  id: id(),
  board_id: id(),
  title: v.string(),
  rank: rank(),
  color: v.string(),
  is_done_column: v.boolean(),
  archived_at: archivedAt(),
  card_count: v.optional(
    v.pipe(v.number(), v.integer(), v.description('Of the cards that were archived with it: only of an archived column, which shows no cards')),
  ),
  cards: v.array(Card),
  ...authors,
  ...times,
} satisfies Fields<'column'>);

const boardFields = {
  id: id(),
  title: v.string(),
  description: v.nullable(v.string()),
  color: v.nullable(v.string()),
  icon: v.nullable(v.pipe(v.string(), v.description('One emoji'))),
  labels: v.array(Label),
  members: v.array(BoardMember),
  ...authors,
  ...times,
} satisfies Fields<'board'>;

export const Board = v.object(boardFields);
export const FullBoard = v.object({ ...boardFields, columns: v.array(Column) });
export const BoardSummary = v.object({
  ...boardFields,
  last_activity_at: v.pipe(timestamp(), v.description('When the content of the board last changed, such as a card')),
  role: v.picklist(ROLES),
  is_starred: v.pipe(v.boolean(), v.description('Whether the caller has starred the board')),
});

export const Invitation = v.object({ user_id: id(), role: v.picklist(ROLES) });

const inviteLinkFields = {
  id: id(),
  created_by: id(),
  created_at: timestamp(),
  expires_at: timestamp(),
  max_uses: v.pipe(v.number(), v.integer()),
  uses: v.pipe(v.number(), v.integer()),
  board_id: v.nullable(id()),
  role: v.nullable(v.picklist(ROLES)),
};
export const InviteLink = v.object(inviteLinkFields);
export const NewInviteLink = v.object({
  ...inviteLinkFields,
  token: v.pipe(v.string(), v.description('The secret of the invitation, in this answer alone')),
  url: v.optional(v.pipe(v.string(), v.description('The page to accept it; absent without `PUBLIC_URL`'))),
});

export const AutomationRule = v.object({
  id: id(),
  board_id: id(),
  name: v.string(),
  trigger_type: v.picklist(TRIGGER_TYPES),
  trigger_column_id: v.nullable(id()),
  trigger_label_id: v.nullable(id()),
  action_type: v.picklist(ACTION_TYPES),
  action_column_id: v.nullable(id()),
  action_user_id: v.nullable(id()),
  is_enabled: v.boolean(),
  ...times,
} satisfies Fields<'rule'>);

export const epoch = () => v.pipe(v.string(), v.description('The epoch of `seq`; absent if the board’s history was never cut'));

export const NumberedEvent = v.object({
  epoch: v.optional(epoch()),
  seq: v.pipe(v.number(), v.integer()),
  type: v.picklist(EVENT_TYPES),
  data: v.record(v.string(), v.unknown()),
  user_id: v.nullable(id()),
  timestamp: timestamp(),
  version: v.literal(EVENT_VERSION),
});

export const EventPage = v.object({
  events: v.array(NumberedEvent),
  epoch: v.optional(epoch()),
  seq: v.pipe(v.number(), v.integer(), v.description('The number of the board’s latest event')),
  resync: v.pipe(v.boolean(), v.description('The events are no longer kept: read the board again')),
});

/** A board as it is exported, and as it can be imported. */
export const BoardDocument = v.object({
  format: v.literal(DOCUMENT_FORMAT),
  version: v.literal(DOCUMENT_VERSION),
  title: v.string(),
  description: v.nullable(v.string()),
  color: v.nullable(v.string()),
  icon: v.nullable(v.string()),
  ...times,
  members: v.array(v.object({ email: v.string(), username: v.string(), role: v.picklist(ROLES) } satisfies SchemasOf<MemberDocument>)),
  labels: v.array(
    v.object({
      id: v.pipe(v.string(), v.description('Cards and rules refer to this id; an imported board has new ids')),
      name: v.string(),
      color: v.string(),
      ...times,
    } satisfies SchemasOf<LabelDocument>),
  ),
  columns: v.array(
    v.object({
      id: v.pipe(v.string(), v.description('Rules refer to this id')),
      title: v.string(),
      color: v.string(),
      is_done_column: v.boolean(),
      ...times,
      cards: v.array(
        v.object({
          number: v.nullable(v.pipe(v.number(), v.integer())),
          cover: v.pipe(
            v.nullable(v.union([v.object({ attachment: v.pipe(v.number(), v.integer()) }), v.object({ color: v.string() })])),
            v.description('The place of a picture in the list of attachments, from 0, or a colour'),
          ),
          title: v.string(),
          description: v.nullable(v.string()),
          start_at: v.nullable(date()),
          due_at: v.nullable(date()),
          completed_at: v.nullable(date()),
          reminder_minutes: v.nullable(reminderMinutes()),
          labels: v.pipe(v.array(v.string()), v.description('Ids of labels')),
          assignees: v.pipe(v.array(v.string()), v.description('E-mail addresses')),
          ...times,
          checklists: v.array(
            v.object({
              title: v.string(),
              ...times,
              items: v.array(
                v.object({
                  content: v.string(),
                  is_done: v.boolean(),
                  due_at: v.nullable(date()),
                  assignees: v.array(v.string()),
                  ...times,
                } satisfies SchemasOf<ItemDocument>),
              ),
            } satisfies SchemasOf<ChecklistDocument>),
          ),
          attachments: v.array(
            v.object({
              name: v.string(),
              mime_type: v.string(),
              url: v.nullable(v.string()),
              comment: v.optional(
                v.pipe(
                  v.nullable(v.pipe(v.number(), v.integer())),
                  v.description(
                    `The place of its comment in \`comments\`; absent, or of a comment with ${MAX_ON_ONE.files} already: of the card itself`,
                  ),
                ),
              ),
              ...times,
              size: v.pipe(v.number(), v.integer(), v.description('In bytes')),
              content_base64: v.optional(v.pipe(v.string(), v.description('Absent for a link'))),
            } satisfies SchemasOf<AttachmentDocument>),
          ),
          comments: v.pipe(
            v.array(
              v.object({
                author: v.pipe(v.nullable(v.string()), v.description('An e-mail address; null if the author is not on the board')),
                author_name: v.string(),
                body: v.string(),
                ...times,
              } satisfies SchemasOf<CommentDocument>),
            ),
            v.description('The oldest first'),
          ),
          archived_at: v.optional(v.pipe(v.nullable(timestamp()), v.description('Of an archived card'))),
        } satisfies SchemasOf<CardDocument>),
      ),
      archived_at: v.optional(v.pipe(v.nullable(timestamp()), v.description('Of an archived column'))),
    } satisfies SchemasOf<ColumnDocument>),
  ),
  rules: v.array(
    v.object({
      name: v.string(),
      trigger_type: v.picklist(TRIGGER_TYPES),
      trigger_column: v.nullable(v.string()),
      trigger_label: v.nullable(v.string()),
      action_type: v.picklist(ACTION_TYPES),
      action_column: v.nullable(v.string()),
      action_member: v.pipe(v.nullable(v.string()), v.description('An e-mail address')),
      is_enabled: v.boolean(),
      ...times,
    } satisfies SchemasOf<RuleDocument>),
  ),
} satisfies SchemasOf<WholeDocument>);

const count = () => v.pipe(v.number(), v.integer());

export const ImportedBoard = v.object({
  board: Board,
  source: v.picklist(IMPORT_SOURCES),
  imported: v.object({
    members: count(),
    labels: count(),
    columns: count(),
    cards: count(),
    checklists: count(),
    items: count(),
    attachments: count(),
    comments: count(),
    rules: count(),
  }),
  left_out: v.pipe(v.array(v.string()), v.description('One sentence for each part of the document that was not imported, or was cut')),
});

/** Of an import whose report is forgotten. */
export const RepeatedImport = v.object({ board: BoardSummary });

export const Statistics = v.object({
  users: count(),
  active_users: count(),
  boards: v.pipe(count(), v.description('Boards that have members')),
  memberships: count(),
  instances: count(),
  sockets: v.pipe(count(), v.description('The sockets on all instances')),
});

const ReplicatedPartition = v.object({
  partition: v.string(),
  owner: v.pipe(v.nullable(v.string()), v.description('The id of the instance that owns it')),
  term: v.pipe(count(), v.description('How often it was claimed')),
  lease_left_ms: v.pipe(v.nullable(count()), v.description('How long its owner may answer reads without asking the log')),
  log: v.object({
    leader: v.pipe(v.nullable(v.string()), v.description('The NATS server that leads the log')),
    has_quorum: v.boolean(),
    servers: v.array(v.object({ name: v.string(), current: v.boolean() })),
    bytes: count(),
  }),
  copies: v.array(
    v.object({
      instance: v.string(),
      state: v.picklist(['following', 'claiming', 'owning', 'halted', 'stopped']),
      reason: v.pipe(v.exactOptional(v.string()), v.description('Why it halted')),
      applied: v.pipe(count(), v.description('The number of its last record')),
      chain: v.pipe(v.string(), v.description('A digest of all records up to that one')),
      term: count(),
      lag: v.pipe(count(), v.description('How many records another copy is ahead')),
    }),
  ),
});

export const ClusterOverview = v.object({
  pubsub: v.picklist(PUBSUB_STATUSES),
  instances: v.array(
    v.object({
      id: v.string(),
      host: v.string(),
      pid: v.pipe(v.number(), v.integer()),
      url: v.string(),
      version: v.string(),
      started_at: timestamp(),
      leaving: v.boolean(),
      drained: v.pipe(v.boolean(), v.description('It owns nothing by order of an operator')),
      sockets: v.pipe(v.number(), v.integer()),
      owns: v.pipe(v.array(v.string()), v.description('The partitions that the instance owns: the directory and shards')),
    }),
  ),
  replicated: v.pipe(v.exactOptional(v.array(ReplicatedPartition)), v.description('Every partition, if several machines have copies of the data')),
});

export const Presence = v.object({
  board_id: id(),
  online_users: v.array(v.object({ user_id: id(), username: v.string() })),
});

/** Errors, and the two answers that only confirm an action. */
export const Detail = v.object({ detail: v.string() });

export const TextConflict = v.object({
  ...Detail.entries,
  current: v.pipe(v.optional(v.nullable(v.string())), v.description('The current text, if the edit of a text is in conflict with another one')),
  text_version: v.pipe(v.optional(v.pipe(v.number(), v.integer())), v.description('That of the current text')),
});

export const AccessToken = v.object({
  access_token: v.string(),
  token_type: v.literal('bearer'),
  refresh_token: v.pipe(v.string(), v.description('For `POST /auth/refresh`')),
});

export const LoginSession = v.object({
  id: id(),
  device: v.pipe(v.string(), v.description('What the client called itself at the login (`User-Agent`)')),
  address: v.pipe(v.string(), v.description('The address of the client at the login')),
  created_at: timestamp(),
  last_seen: v.pipe(timestamp(), v.description('Up to a minute late')),
  expires_at: timestamp(),
  current: v.pipe(v.boolean(), v.description('Whether the request itself belongs to this session')),
});

const apiKeyFields = {
  id: id(),
  name: v.string(),
  prefix: v.pipe(v.string(), v.description('The beginning of the key, to recognise it by')),
  scopes: v.array(v.picklist(SCOPES)),
  board_ids: v.pipe(v.nullable(v.array(id())), v.description('The boards that the key is for; null for all of its user')),
  created_at: timestamp(),
  expires_at: v.pipe(v.nullable(timestamp()), v.description('Null if it does not expire')),
  last_used: v.pipe(v.nullable(timestamp()), v.description('Up to a minute late; null if it was never used')),
};

export const ApiKey = v.object(apiKeyFields);
export const NewApiKey = v.object({ ...apiKeyFields, key: v.pipe(v.string(), v.description('The key itself, in this answer alone')) });

export const Health = v.object({
  status: v.picklist(['ok', 'degraded', 'error']),
  database: v.picklist(['connected', 'error']),
  pubsub: v.picklist(PUBSUB_STATUSES),
  log: v.exactOptional(v.picklist(['ok', 'no quorum', 'halted'])),
  differing_settings: v.exactOptional(v.array(v.string())),
  reserve: v.exactOptional(v.picklist(['ok', 'lost'])),
  problems: v.exactOptional(v.array(v.string())),
});

/** Named in the OpenAPI document; all other schemas are written inline. */
export const NAMED_SCHEMAS = {
  PublicUser,
  Account,
  Label,
  LabelUsage,
  BoardMember,
  ChecklistItem,
  Checklist,
  Attachment,
  Card,
  AssignedCard,
  Notification,
  NotificationSettings,
  Comment,
  Activity,
  Column,
  Board,
  FullBoard,
  BoardSummary,
  Invitation,
  InviteLink,
  NewInviteLink,
  AutomationRule,
  Webhook,
  NewWebhook,
  WebhookDelivery,
  NumberedEvent,
  EventPage,
  BoardDocument,
  ImportedBoard,
  Presence,
  ClusterOverview,
  Statistics,
  Detail,
  AccessToken,
  LoginSession,
  ApiKey,
  NewApiKey,
  Health,
};
