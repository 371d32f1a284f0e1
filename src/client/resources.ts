/** The resources as they are sent. Generated from the table of operations by `npm run openapi`; do not edit. */

export interface PublicUser {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly is_superuser: boolean;
}

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly is_superuser: boolean;
  readonly language: string | null;
  readonly time_zone: string | null;
}

export interface Label {
  readonly id: string;
  readonly board_id: string;
  readonly name: string;
  readonly color: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface LabelUsage {
  readonly label_id: string;
  readonly name: string;
  readonly color: string;
  readonly card_count: number;
}

export interface BoardMember {
  readonly board_id: string;
  readonly user_id: string;
  readonly role: 'owner' | 'member' | 'commenter' | 'viewer';
  readonly user: PublicUser;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ChecklistItem {
  readonly id: string;
  readonly checklist_id: string;
  readonly content: string;
  readonly is_done: boolean;
  readonly due_at: string | null;
  readonly rank: number;
  readonly assignees: readonly PublicUser[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Checklist {
  readonly id: string;
  readonly card_id: string;
  readonly title: string;
  readonly rank: number;
  readonly items: readonly ChecklistItem[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Attachment {
  readonly id: string;
  readonly card_id: string;
  /** The comment that it belongs to; null if it belongs to the card itself */
  readonly comment_id: string | null;
  readonly name: string;
  readonly mime_type: string;
  /** In bytes; 0 for a link */
  readonly size: number;
  /** Of a link to a web page; null for a file */
  readonly url: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Card {
  readonly id: string;
  readonly board_id: string;
  readonly column_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly rank: number;
  /** Unique on the board, from 1, and never given again. Null only while an older version of the service is still running */
  readonly number: number | null;
  /** A picture among the attachments of the card, or a colour */
  readonly cover: { readonly attachment_id: string } | { readonly color: string } | null;
  readonly start_at: string | null;
  readonly due_at: string | null;
  readonly completed_at: string | null;
  /** How long before it is due its assignees get a notice; -1: none, null: as each of them wants, a day by default. A day without a time ends at midnight in UTC */
  readonly reminder_minutes: number | null;
  /** Of its comments */
  readonly comment_count: number;
  /** Of the description, from 1; each change of it raises it */
  readonly text_version: number;
  /** Null on the board */
  readonly archived_at: string | null;
  readonly labels: readonly Label[];
  readonly assignees: readonly PublicUser[];
  readonly checklists: readonly Checklist[];
  readonly attachments: readonly Attachment[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AssignedCard {
  readonly id: string;
  readonly board_id: string;
  readonly column_id: string;
  readonly number: number | null;
  readonly title: string;
  readonly start_at: string | null;
  readonly due_at: string | null;
  readonly board_title: string;
  readonly column_title: string;
}

export interface Notification {
  readonly id: string;
  /** Later versions may add kinds */
  readonly kind: 'assigned' | 'mentioned' | 'commented' | 'moved' | 'due' | 'invited';
  readonly created_at: string;
  readonly read_at: string | null;
  /** Null, as what follows, once the caller has left the board */
  readonly board_id: string | null;
  /** Null also if it is about the board: of an invitation */
  readonly card_id: string | null;
  /** Of a mention or a comment */
  readonly comment_id: string | null;
  /** Who did it; null if a rule, the service or the time did */
  readonly user: PublicUser | null;
  /** Of the card, or else of the board, at that time */
  readonly title: string | null;
  /** The date of the card, of a reminder */
  readonly due_at: string | null;
  /** Whether a reminder comes long after its time, because the service was not running */
  readonly is_late: boolean;
}

export interface NotificationSettings {
  /** How long before its date a card reminds the user if it does not say so itself. -1: not at all */
  readonly reminder_minutes: number;
  readonly kinds: {
    readonly assigned: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
    readonly mentioned: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
    readonly commented: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
    readonly moved: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
    readonly due: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
    readonly invited: { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' };
  };
  /** By id, the boards of which the user wants less: of a kind and its board, the less counts */
  readonly boards: Readonly<Record<string, { readonly app: boolean; readonly mail: 'off' | 'daily' | 'now' }>>;
}

export interface Comment {
  readonly id: string;
  readonly card_id: string;
  /** Null if the author is not on the board; `author_name` says who it was */
  readonly author: PublicUser | null;
  readonly author_name: string;
  /** Markdown */
  readonly body: string;
  /** Members whom the body names with `@` and their username */
  readonly mentions: readonly PublicUser[];
  /** From 1; each change of the body raises it */
  readonly text_version: number;
  /** Its files, which are among the attachments of its card */
  readonly attachment_ids: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Activity {
  /** The number of the event */
  readonly seq: number;
  readonly at: string;
  /** The type of the event. Later versions may add kinds */
  readonly kind: string;
  /** Null if a rule or the service acted, or someone who is not on the board any more */
  readonly user: PublicUser | null;
  /** Null if a rule or the service acted */
  readonly user_name: string | null;
  readonly card_id: string | null;
  /** Of what was changed; of a member the id of the user */
  readonly id: string;
  /** What it was called then. Comments have none */
  readonly name?: string;
  /** Of something on a card */
  readonly card_title?: string;
  readonly before?: Readonly<Record<string, string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>>>;
  readonly after?: Readonly<Record<string, string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>>>;
  /** What is not repeated here */
  readonly omitted?: readonly string[];
  readonly by_rule?: { readonly id: string; readonly name: string };
  /** The number of the change that was taken back */
  readonly undoes?: number;
  /** The card came from another board, or went there */
  readonly moved?: true;
}

export interface Column {
  readonly id: string;
  readonly board_id: string;
  readonly title: string;
  readonly rank: number;
  readonly color: string;
  readonly is_done_column: boolean;
  /** Null on the board */
  readonly archived_at: string | null;
  /** Of the cards that were archived with it: only of an archived column, which shows no cards */
  readonly card_count?: number;
  readonly cards: readonly Card[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Board {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly icon: string | null;
  readonly labels: readonly Label[];
  readonly members: readonly BoardMember[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface FullBoard {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly icon: string | null;
  readonly labels: readonly Label[];
  readonly members: readonly BoardMember[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly columns: readonly Column[];
}

export interface BoardSummary {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly icon: string | null;
  readonly labels: readonly Label[];
  readonly members: readonly BoardMember[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** When the content of the board last changed, such as a card */
  readonly last_activity_at: string;
  readonly role: 'owner' | 'member' | 'commenter' | 'viewer';
  /** Whether the caller has starred the board */
  readonly is_starred: boolean;
}

export interface Invitation {
  readonly user_id: string;
  readonly role: 'owner' | 'member' | 'commenter' | 'viewer';
}

export interface InviteLink {
  readonly id: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly max_uses: number;
  readonly uses: number;
  readonly board_id: string | null;
  readonly role: 'owner' | 'member' | 'commenter' | 'viewer' | null;
}

export interface NewInviteLink {
  readonly id: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly max_uses: number;
  readonly uses: number;
  readonly board_id: string | null;
  readonly role: 'owner' | 'member' | 'commenter' | 'viewer' | null;
  /** The secret of the invitation, in this answer alone */
  readonly token: string;
  /** The page to accept it; absent without `PUBLIC_URL` */
  readonly url?: string;
}

export interface AutomationRule {
  readonly id: string;
  readonly board_id: string;
  readonly name: string;
  readonly trigger_type: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
  readonly trigger_column_id: string | null;
  readonly trigger_label_id: string | null;
  readonly action_type: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
  readonly action_column_id: string | null;
  readonly action_user_id: string | null;
  readonly is_enabled: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Webhook {
  readonly id: string;
  /** Null if it is over all boards */
  readonly board_id: string | null;
  readonly url: string;
  readonly format: 'standard' | 'slack' | 'ntfy';
  /** Null for all */
  readonly event_types: ReadonlyArray<
    | 'board.updated'
    | 'board.deleted'
    | 'board.member_added'
    | 'board.member_removed'
    | 'column.created'
    | 'column.updated'
    | 'column.deleted'
    | 'column.moved'
    | 'column.archived'
    | 'column.restored'
    | 'card.created'
    | 'card.updated'
    | 'card.deleted'
    | 'card.moved'
    | 'card.labeled'
    | 'card.unlabeled'
    | 'card.assigned'
    | 'card.unassigned'
    | 'card.archived'
    | 'card.restored'
    | 'label.created'
    | 'label.updated'
    | 'label.deleted'
    | 'checklist.created'
    | 'checklist.updated'
    | 'checklist.deleted'
    | 'checklist.moved'
    | 'checklist_item.created'
    | 'checklist_item.updated'
    | 'checklist_item.deleted'
    | 'checklist_item.moved'
    | 'checklist_item.assigned'
    | 'checklist_item.unassigned'
    | 'attachment.created'
    | 'attachment.deleted'
    | 'comment.created'
    | 'comment.updated'
    | 'comment.deleted'
    | 'rule.created'
    | 'rule.updated'
    | 'rule.deleted'> | null;
  readonly is_enabled: boolean;
  /** Who created it, or resumed it last */
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: 'active' | 'retrying' | 'paused' | 'disabled';
  /** `failing`: nothing arrived for three days. `gone`: the receiver answered 410. `creator`: who created it is no active owner (superuser) any more. `secret`: its secret cannot be opened; rotate it */
  readonly paused_because: 'failing' | 'gone' | 'creator' | 'secret' | 'restored' | null;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
}

export interface NewWebhook {
  readonly id: string;
  /** Null if it is over all boards */
  readonly board_id: string | null;
  readonly url: string;
  readonly format: 'standard' | 'slack' | 'ntfy';
  /** Null for all */
  readonly event_types: ReadonlyArray<
    | 'board.updated'
    | 'board.deleted'
    | 'board.member_added'
    | 'board.member_removed'
    | 'column.created'
    | 'column.updated'
    | 'column.deleted'
    | 'column.moved'
    | 'column.archived'
    | 'column.restored'
    | 'card.created'
    | 'card.updated'
    | 'card.deleted'
    | 'card.moved'
    | 'card.labeled'
    | 'card.unlabeled'
    | 'card.assigned'
    | 'card.unassigned'
    | 'card.archived'
    | 'card.restored'
    | 'label.created'
    | 'label.updated'
    | 'label.deleted'
    | 'checklist.created'
    | 'checklist.updated'
    | 'checklist.deleted'
    | 'checklist.moved'
    | 'checklist_item.created'
    | 'checklist_item.updated'
    | 'checklist_item.deleted'
    | 'checklist_item.moved'
    | 'checklist_item.assigned'
    | 'checklist_item.unassigned'
    | 'attachment.created'
    | 'attachment.deleted'
    | 'comment.created'
    | 'comment.updated'
    | 'comment.deleted'
    | 'rule.created'
    | 'rule.updated'
    | 'rule.deleted'> | null;
  readonly is_enabled: boolean;
  /** Who created it, or resumed it last */
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: 'active' | 'retrying' | 'paused' | 'disabled';
  /** `failing`: nothing arrived for three days. `gone`: the receiver answered 410. `creator`: who created it is no active owner (superuser) any more. `secret`: its secret cannot be opened; rotate it */
  readonly paused_because: 'failing' | 'gone' | 'creator' | 'secret' | 'restored' | null;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  /** Signs deliveries as Standard Webhooks say; in this answer alone */
  readonly secret: string;
}

export interface WebhookDelivery {
  /** The `webhook-id` */
  readonly id: string;
  readonly board_id: string | null;
  readonly type: string;
  readonly seq: number | null;
  readonly at: string;
  readonly attempt: number;
  /** Of the receiver’s answer; null if there was none */
  readonly status: number | null;
  /** Why there was no answer */
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface NumberedEvent {
  /** The epoch of `seq`; absent if the board’s history was never cut */
  readonly epoch?: string;
  readonly seq: number;
  readonly type:
    | 'board.updated'
    | 'board.deleted'
    | 'board.member_added'
    | 'board.member_removed'
    | 'column.created'
    | 'column.updated'
    | 'column.deleted'
    | 'column.moved'
    | 'column.archived'
    | 'column.restored'
    | 'card.created'
    | 'card.updated'
    | 'card.deleted'
    | 'card.moved'
    | 'card.labeled'
    | 'card.unlabeled'
    | 'card.assigned'
    | 'card.unassigned'
    | 'card.archived'
    | 'card.restored'
    | 'label.created'
    | 'label.updated'
    | 'label.deleted'
    | 'checklist.created'
    | 'checklist.updated'
    | 'checklist.deleted'
    | 'checklist.moved'
    | 'checklist_item.created'
    | 'checklist_item.updated'
    | 'checklist_item.deleted'
    | 'checklist_item.moved'
    | 'checklist_item.assigned'
    | 'checklist_item.unassigned'
    | 'attachment.created'
    | 'attachment.deleted'
    | 'comment.created'
    | 'comment.updated'
    | 'comment.deleted'
    | 'rule.created'
    | 'rule.updated'
    | 'rule.deleted';
  readonly data: Readonly<Record<string, unknown>>;
  readonly user_id: string | null;
  readonly timestamp: string;
  readonly version: '1.0';
}

export interface EventPage {
  readonly events: readonly NumberedEvent[];
  /** The epoch of `seq`; absent if the board’s history was never cut */
  readonly epoch?: string;
  /** The number of the board’s latest event */
  readonly seq: number;
  /** The events are no longer kept: read the board again */
  readonly resync: boolean;
}

export interface BoardDocument {
  readonly format: 'switchboard-board';
  readonly version: 1;
  readonly title: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly icon: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly members: ReadonlyArray<{
    readonly email: string;
    readonly username: string;
    readonly role: 'owner' | 'member' | 'commenter' | 'viewer';
  }>;
  readonly labels: ReadonlyArray<{
    /** Cards and rules refer to this id; an imported board has new ids */
    readonly id: string;
    readonly name: string;
    readonly color: string;
    readonly created_at: string;
    readonly updated_at: string;
  }>;
  readonly columns: ReadonlyArray<{
    /** Rules refer to this id */
    readonly id: string;
    readonly title: string;
    readonly color: string;
    readonly is_done_column: boolean;
    readonly created_at: string;
    readonly updated_at: string;
    readonly cards: ReadonlyArray<{
      readonly number: number | null;
      /** The place of a picture in the list of attachments, from 0, or a colour */
      readonly cover: { readonly attachment: number } | { readonly color: string } | null;
      readonly title: string;
      readonly description: string | null;
      readonly start_at: string | null;
      readonly due_at: string | null;
      readonly completed_at: string | null;
      readonly reminder_minutes: number | null;
      /** Ids of labels */
      readonly labels: readonly string[];
      /** E-mail addresses */
      readonly assignees: readonly string[];
      readonly created_at: string;
      readonly updated_at: string;
      readonly checklists: ReadonlyArray<{
        readonly title: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly items: ReadonlyArray<{
          readonly content: string;
          readonly is_done: boolean;
          readonly due_at: string | null;
          readonly assignees: readonly string[];
          readonly created_at: string;
          readonly updated_at: string;
        }>;
      }>;
      readonly attachments: ReadonlyArray<{
        readonly name: string;
        readonly mime_type: string;
        readonly url: string | null;
        /** The place of its comment in `comments`; absent, or of a comment with 20 already: of the card itself */
        readonly comment?: number | null;
        readonly created_at: string;
        readonly updated_at: string;
        /** In bytes */
        readonly size: number;
        /** Absent for a link */
        readonly content_base64?: string;
      }>;
      /** The oldest first */
      readonly comments: ReadonlyArray<{
        /** An e-mail address; null if the author is not on the board */
        readonly author: string | null;
        readonly author_name: string;
        readonly body: string;
        readonly created_at: string;
        readonly updated_at: string;
      }>;
      /** Of an archived card */
      readonly archived_at?: string | null;
    }>;
    /** Of an archived column */
    readonly archived_at?: string | null;
  }>;
  readonly rules: ReadonlyArray<{
    readonly name: string;
    readonly trigger_type: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
    readonly trigger_column: string | null;
    readonly trigger_label: string | null;
    readonly action_type: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
    readonly action_column: string | null;
    /** An e-mail address */
    readonly action_member: string | null;
    readonly is_enabled: boolean;
    readonly created_at: string;
    readonly updated_at: string;
  }>;
}

export interface ImportedBoard {
  readonly board: Board;
  readonly source: 'switchboard' | 'trello';
  readonly imported: {
    readonly members: number;
    readonly labels: number;
    readonly columns: number;
    readonly cards: number;
    readonly checklists: number;
    readonly items: number;
    readonly attachments: number;
    readonly comments: number;
    readonly rules: number;
  };
  /** One sentence for each part of the document that was not imported, or was cut */
  readonly left_out: readonly string[];
}

export interface Presence {
  readonly board_id: string;
  readonly online_users: ReadonlyArray<{ readonly user_id: string; readonly username: string }>;
}

export interface ClusterOverview {
  readonly pubsub: 'connected' | 'embedded' | 'disconnected';
  readonly instances: ReadonlyArray<{
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly url: string;
    readonly version: string;
    readonly started_at: string;
    readonly leaving: boolean;
    /** It owns nothing by order of an operator */
    readonly drained: boolean;
    readonly sockets: number;
    /** The partitions that the instance owns: the directory and shards */
    readonly owns: readonly string[];
  }>;
  /** Every partition, if several machines have copies of the data */
  readonly replicated?: ReadonlyArray<{
    readonly partition: string;
    /** The id of the instance that owns it */
    readonly owner: string | null;
    /** How often it was claimed */
    readonly term: number;
    /** How long its owner may answer reads without asking the log */
    readonly lease_left_ms: number | null;
    readonly log: {
      /** The NATS server that leads the log */
      readonly leader: string | null;
      readonly has_quorum: boolean;
      readonly servers: ReadonlyArray<{ readonly name: string; readonly current: boolean }>;
      readonly bytes: number;
    };
    readonly copies: ReadonlyArray<{
      readonly instance: string;
      readonly state: 'following' | 'claiming' | 'owning' | 'halted' | 'stopped';
      /** Why it halted */
      readonly reason?: string;
      /** The number of its last record */
      readonly applied: number;
      /** A digest of all records up to that one */
      readonly chain: string;
      readonly term: number;
      /** How many records another copy is ahead */
      readonly lag: number;
    }>;
  }>;
}

export interface Statistics {
  readonly users: number;
  readonly active_users: number;
  /** Boards that have members */
  readonly boards: number;
  readonly memberships: number;
  readonly instances: number;
  /** The sockets on all instances */
  readonly sockets: number;
}

export interface Detail {
  readonly detail: string;
}

export interface AccessToken {
  readonly access_token: string;
  readonly token_type: 'bearer';
  /** For `POST /auth/refresh` */
  readonly refresh_token: string;
}

export interface LoginSession {
  readonly id: string;
  /** What the client called itself at the login (`User-Agent`) */
  readonly device: string;
  /** The address of the client at the login */
  readonly address: string;
  readonly created_at: string;
  /** Up to a minute late */
  readonly last_seen: string;
  readonly expires_at: string;
  /** Whether the request itself belongs to this session */
  readonly current: boolean;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The beginning of the key, to recognise it by */
  readonly prefix: string;
  readonly scopes: ReadonlyArray<'read' | 'write' | 'admin'>;
  /** The boards that the key is for; null for all of its user */
  readonly board_ids: readonly string[] | null;
  readonly created_at: string;
  /** Null if it does not expire */
  readonly expires_at: string | null;
  /** Up to a minute late; null if it was never used */
  readonly last_used: string | null;
}

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  /** The beginning of the key, to recognise it by */
  readonly prefix: string;
  readonly scopes: ReadonlyArray<'read' | 'write' | 'admin'>;
  /** The boards that the key is for; null for all of its user */
  readonly board_ids: readonly string[] | null;
  readonly created_at: string;
  /** Null if it does not expire */
  readonly expires_at: string | null;
  /** Up to a minute late; null if it was never used */
  readonly last_used: string | null;
  /** The key itself, in this answer alone */
  readonly key: string;
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly database: 'connected' | 'error';
  readonly pubsub: 'connected' | 'embedded' | 'disconnected';
  readonly log?: 'ok' | 'no quorum' | 'halted';
  readonly differing_settings?: readonly string[];
  readonly reserve?: 'ok' | 'lost';
  readonly problems?: readonly string[];
}

export interface IncomingBoard {
  readonly format: 'switchboard-board';
  readonly version: 1;
  readonly title: string;
  readonly description?: string | null;
  readonly color?: string | null;
  readonly icon?: string | null;
  readonly members?: ReadonlyArray<{
    readonly email: string;
    readonly username?: string;
    readonly role: 'owner' | 'member' | 'commenter' | 'viewer';
  }>;
  readonly labels?: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    /** `#rgb`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour */
    readonly color?: string;
    readonly created_at?: string;
    readonly updated_at?: string;
  }>;
  readonly columns?: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    /** `#rgb`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour */
    readonly color?: string;
    readonly is_done_column?: boolean;
    readonly cards?: ReadonlyArray<{
      readonly number?: number | null;
      readonly cover?: { readonly attachment: number } | { readonly color: string } | null;
      readonly title: string;
      readonly description?: string | null;
      readonly start_at?: string | null;
      readonly due_at?: string | null;
      readonly completed_at?: string | null;
      readonly reminder_minutes?: number | null;
      readonly labels?: readonly string[];
      readonly assignees?: readonly string[];
      readonly checklists?: ReadonlyArray<{
        readonly title: string;
        readonly items?: ReadonlyArray<{
          readonly content: string;
          readonly is_done?: boolean;
          readonly due_at?: string | null;
          readonly assignees?: readonly string[];
          readonly created_at?: string;
          readonly updated_at?: string;
        }>;
        readonly created_at?: string;
        readonly updated_at?: string;
      }>;
      readonly attachments?: ReadonlyArray<{
        readonly name: string;
        readonly mime_type: string;
        readonly size?: number;
        readonly url?: string | null;
        readonly comment?: number | null;
        readonly content_base64?: string;
        readonly created_at?: string;
        readonly updated_at?: string;
      }>;
      readonly comments?: ReadonlyArray<{
        readonly author?: string | null;
        readonly author_name?: string;
        readonly body: string;
        readonly created_at?: string;
        readonly updated_at?: string;
      }>;
      readonly archived_at?: string | null;
      readonly created_at?: string;
      readonly updated_at?: string;
    }>;
    readonly archived_at?: string | null;
    readonly created_at?: string;
    readonly updated_at?: string;
  }>;
  readonly rules?: ReadonlyArray<{
    readonly name: string;
    /** Accepted in any case, returned in capitals */
    readonly trigger_type: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
    readonly trigger_column?: string | null;
    readonly trigger_label?: string | null;
    /** Accepted in any case, returned in capitals */
    readonly action_type: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
    readonly action_column?: string | null;
    readonly action_member?: string | null;
    readonly is_enabled?: boolean;
    readonly created_at?: string;
    readonly updated_at?: string;
  }>;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface TrelloExport {
  readonly name: string;
  readonly desc?: string | null;
  readonly lists: ReadonlyArray<{
    readonly id: string;
    readonly name?: string | null;
    readonly closed?: boolean | null;
    readonly pos?: number | null;
  }>;
  readonly cards: ReadonlyArray<{
    readonly id?: string | null;
    readonly name?: string | null;
    readonly desc?: string | null;
    readonly idList: string;
    readonly closed?: boolean | null;
    readonly pos?: number | null;
    readonly cover?: { readonly color?: string | null; readonly idAttachment?: string | null } | null;
    readonly idShort?: number | null;
    readonly idLabels?: readonly string[] | null;
    readonly idMembers?: readonly string[] | null;
    readonly idChecklists?: readonly string[] | null;
    readonly due?: string | null;
    readonly start?: string | null;
    readonly dueReminder?: number | null;
    readonly dueComplete?: boolean | null;
    readonly dateLastActivity?: string | null;
    readonly attachments?: ReadonlyArray<{
      readonly name?: string | null;
      readonly url?: string | null;
      readonly isUpload?: boolean | null;
    }> | null;
  }>;
  readonly labels?: ReadonlyArray<{ readonly id: string; readonly name?: string | null; readonly color?: string | null }> | null;
  readonly checklists?: ReadonlyArray<{
    readonly id: string;
    readonly name?: string | null;
    readonly pos?: number | null;
    readonly checkItems?: ReadonlyArray<{
      readonly name?: string | null;
      readonly state?: string | null;
      readonly pos?: number | null;
      readonly idMember?: string | null;
      readonly due?: string | null;
    }> | null;
  }> | null;
  readonly members?: ReadonlyArray<{
    readonly id: string;
    readonly fullName?: string | null;
    readonly username?: string | null;
    readonly email?: string | null;
  }> | null;
  readonly memberships?: ReadonlyArray<{ readonly idMember: string; readonly memberType?: string | null }> | null;
  readonly actions?: ReadonlyArray<{
    readonly type?: string | null;
    readonly date?: string | null;
    readonly data?: { readonly text?: string | null; readonly card?: { readonly id?: string | null } | null } | null;
    readonly memberCreator?: {
      readonly id?: string | null;
      readonly fullName?: string | null;
      readonly username?: string | null;
    } | null;
  }> | null;
  readonly customFields?: readonly unknown[] | null;
}
