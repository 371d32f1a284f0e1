/** Messages between the I/O thread and a store thread. Everything here is plain data. */
import type { Claim, LogOwner } from '../domain/ports/partitionLog.js';
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { BoardCommand } from '../domain/commands/commands.js';
import type { NewRole } from '../domain/commands/decide.js';
import type { BoardListChange, DirectoryCommand, MembershipChanges } from '../domain/commands/directoryCommands.js';
import type { Refused } from '../domain/result.js';
import type { FeedMessage } from '../domain/feed.js';
import type { PublishedEvent } from '../domain/events.js';
import type { BoardKey, Uuid } from '../domain/ids.js';
import type { BoardAnswer, ImportAnswer } from '../domain/ports/boardsPort.js';
import type { Connection, ConnectionState, PresenceMessage } from '../domain/ports/presence.js';
import type { Position } from '../domain/position.js';
import type { SessionMessage } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';
import type { SentNotification } from '../domain/account/notification.js';
import type { Pause, Webhook } from '../domain/webhook/webhook.js';
import type { Attempts, OverAllList, Progress, WebhookAction } from '../domain/webhook/webhookCommands.js';

/** Data with one owner and one file: the directory, or one shard of the boards. */
export type PartitionName = 'directory' | ShardName;
export type ShardName = `shard ${number}`;

export type PartitionCommand = DirectoryCommand | ShardCommand;

export type ShardCommand =
  | { readonly kind: 'board'; readonly command: BoardCommand }
  /** With `idempotency`. A kind of its own, because an older instance would ignore a new field; this kind it refuses. */
  | { readonly kind: 'keyed'; readonly command: BoardCommand }
  /** Answered like a board command. `keep`: the answer, if the request has a key; `answer.find` comes before it. */
  | { readonly kind: 'import'; readonly plan: BoardPlan; readonly keep?: ImportAnswer }
  /** Before a board is created by a request with a key. Answers a `FoundAnswer`. */
  | { readonly kind: 'answer.find'; readonly board_id: Uuid; readonly user_id: Uuid; readonly key: string }
  | { readonly kind: 'upload.start'; readonly id: Uuid }
  | { readonly kind: 'upload.append'; readonly id: Uuid; readonly n: number; readonly bytes: Uint8Array }
  | { readonly kind: 'upload.drop'; readonly id: Uuid }
  | { readonly kind: 'content.read'; readonly id: Uuid; readonly from: number; readonly to: number }
  /** Publishes the undelivered outbox rows after this id as one `outbox.page`. */
  | { readonly kind: 'outbox.push'; readonly after: number }
  /** Deletes the outbox row. */
  | { readonly kind: 'outbox.delivered'; readonly id: number }
  /** With `attendance` the answer includes it. */
  | { readonly kind: 'presence.join'; readonly connection: Connection; readonly attendance?: true }
  | { readonly kind: 'presence.state'; readonly connection: Connection }
  | { readonly kind: 'presence.refresh'; readonly connections: readonly Connection[] }
  /** A refresh after messages may have been lost: users who are no longer members get `board.left` again. */
  | { readonly kind: 'presence.recheck'; readonly connections: readonly Connection[] }
  | { readonly kind: 'presence.leave'; readonly connection: Connection }
  | { readonly kind: 'presence.list'; readonly board_id: Uuid }
  | { readonly kind: 'presence.states'; readonly board_id: Uuid }
  | { readonly kind: 'events.read'; readonly board_id: Uuid; readonly since: Position }
  /** Deletes some of the board's kept events up to this number. Answers whether others are left. */
  | { readonly kind: 'events.forget'; readonly board_id: Uuid; readonly upTo: number }
  /** The board in the trash can be restored no longer. Answered like a board command, also if it is not there. */
  | { readonly kind: 'board.discard'; readonly board_id: Uuid }
  /** By an owner of the board. `target` is the board, or a webhook on it. */
  | { readonly kind: 'webhook'; readonly target: Uuid; readonly user_id: Uuid; readonly action: WebhookAction }
  /** The webhooks that get events, as `FeedName`s: of this board, or of all boards of the shard. */
  | { readonly kind: 'webhooks.running'; readonly board_id: Uuid | null }
  /** Boards with something to deliver by webhooks over all boards, after this key. Answers `PendingFeeds`. */
  | { readonly kind: 'webhooks.pending'; readonly after: BoardKey }
  /** Answers a `DuePage`; null if there is nothing to deliver any more. `after`: how far the relay is in this generation. */
  | {
      readonly kind: 'webhooks.page';
      readonly webhook_id: Uuid;
      readonly board_id: Uuid;
      readonly generation: number | null;
      readonly after: Position | null;
    }
  | { readonly kind: 'webhooks.progress'; readonly progress: readonly Progress[]; readonly attempts: readonly Attempts[] }
  /** By a superuser, in the shard that decides on webhooks over all boards. `target` is null for all. Answers an `OverAllAnswer`. */
  | { readonly kind: 'webhooks.admin'; readonly target: Uuid | null; readonly user_id: Uuid; readonly action: WebhookAction }
  /** A webhook over all boards must rest. Answers an `OverAllAnswer`. */
  | { readonly kind: 'webhooks.pause'; readonly webhook_id: Uuid; readonly generation: number; readonly pause: Pause }
  /** Those over all boards, as the shard has them. Answers an `OverAllList`. */
  | { readonly kind: 'webhooks.overAll' }
  /** What the deciding shard has. A webhook whose start has changed begins anew. */
  | ({ readonly kind: 'webhooks.setOverAll' } & OverAllList)
  /** The last ones in this shard of a webhook over all boards. */
  | { readonly kind: 'webhooks.deliveries'; readonly webhook_id: Uuid };

/**
 * A shard's answer to a board command. The caller is answered when the directory has the membership change with the id
 * `outboxId`.
 */
export interface BoardReply {
  readonly outcome: BoardAnswer;
  readonly outboxId?: number;
}

export interface Ask {
  readonly id: number;
  readonly partition: PartitionName;
  readonly command: PartitionCommand;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  /** `notHere`: the partition is not open there, or the command came too early. Nothing was done: it is sent again. */
  /** `isUnknown`: it may or may not have been done. */
  | (Refused & { readonly notHere?: true; readonly isUnknown?: true });

/** A command without a value was done. */
export const DONE: Outcome = { ok: true, value: null };

export interface Reply {
  readonly id: number;
  readonly outcome: Outcome;
}

/** Published after a commit. */
export type Notice =
  | { readonly kind: 'user.changed'; readonly user: PublicUser }
  /** Sessions of a user ended or were renewed. */
  | { readonly kind: 'sessions'; readonly message: SessionMessage }
  | { readonly kind: 'board.events'; readonly board_id: Uuid; readonly epoch: string; readonly events: readonly PublishedEvent[] }
  /** A change without an event, such as a rule. */
  | { readonly kind: 'board.changed'; readonly board_id: Uuid }
  | { readonly kind: 'board.left'; readonly board_id: Uuid; readonly user_ids: readonly Uuid[] }
  /** What sockets of these users may send has changed. */
  | { readonly kind: 'board.roles'; readonly board_id: Uuid; readonly roles: readonly NewRole[] }
  | { readonly kind: 'board.gone'; readonly board_id: Uuid }
  | {
      readonly kind: 'board.presence';
      readonly board_id: Uuid;
      readonly connection_id: number;
      readonly message: PresenceMessage;
    }
  | { readonly kind: 'board.state'; readonly board_id: Uuid; readonly change: ConnectionState }
  /** What a list of boards shows of this board has changed, for its members. */
  | { readonly kind: 'board.listed'; readonly board_id: Uuid; readonly title: string; readonly user_ids: readonly Uuid[] }
  /** Boards that users joined or left. */
  | { readonly kind: 'memberships'; readonly changes: readonly BoardListChange[] }
  /** Users got something to read, or it changed. */
  | { readonly kind: 'notifications'; readonly messages: readonly FeedMessage[] }
  /** Webhooks of the board were added, changed or removed. */
  | { readonly kind: 'webhooks.changed'; readonly board_id: Uuid }
  /** The webhooks over all boards have changed in this shard. */
  | { readonly kind: 'webhooks.overAll'; readonly source: PartitionName; readonly webhooks: readonly Webhook[] }
  /** The outbox entry of a commit. */
  | { readonly kind: 'outbox'; readonly entry: OutboxEntry }
  | OutboxPage;

/** What an outbox entry of each kind carries. */
export interface OutboxPayloads {
  /** Users who joined or left a board, for the directory. The id of the entry is the version of the change. */
  readonly membership: Omit<MembershipChanges, 'version'>;
  /** A changed profile, for the boards of its user. */
  readonly profile: { readonly user: PublicUser };
  /** A card that moves to another board. The target is that board. */
  readonly cardMove: { readonly card_id: Uuid };
  /** What concerns users, for the directory. */
  readonly notification: { readonly notifications: readonly SentNotification[] };
}

export type OutboxKind = keyof OutboxPayloads;

export type EntryOf<Kind extends OutboxKind> = {
  readonly [K in Kind]: {
    readonly source: PartitionName;
    /** Rises with every entry of the source. */
    readonly id: number;
    readonly kind: K;
    /** Entries of one source for one target arrive in order. */
    readonly target: string;
    readonly payload: OutboxPayloads[K];
  };
}[Kind];

/** What a commit left for elsewhere. The source keeps it in a row until the delivery is confirmed. */
export type OutboxEntry = EntryOf<OutboxKind>;

/**
 * Undelivered entries of a partition after the id `after`, in order: published when it opens, be there any or not, and
 * when it is asked to.
 * A notice and not an answer, so that it is in order with the notices of the commits before and after it.
 */
export interface OutboxPage {
  readonly kind: 'outbox.page';
  readonly source: PartitionName;
  readonly after: number;
  readonly entries: readonly OutboxEntry[];
  /** The id after which the next page begins; null if this is the last. */
  readonly next: number | null;
}

/** A copy of a replicated partition, as its thread reports it. */
export interface CopyState {
  readonly partition: PartitionName;
  readonly state: 'following' | 'claiming' | 'owning' | 'halted' | 'stopped';
  /** The last record that the copy has. */
  readonly applied: number;
  readonly chain: string;
  /** Of the last known owner. */
  readonly term: number;
  /** The newest schema of the file that the program knows. */
  readonly schema: number;
  readonly owner: LogOwner | null;
  /** When the last record was seen, by the clock of the machine. */
  readonly seenAt: number;
  /** Why it halted. */
  readonly reason?: string;
}

/** See `codec.ts`. */
export type EncodedAsks = readonly unknown[];
export type EncodedReplies = readonly unknown[];
export type EncodedNotices = readonly unknown[];

export type ToThread =
  /** `claim`: if the partition is replicated. */
  | { readonly kind: 'open'; readonly id: number; readonly partition: PartitionName; readonly claim?: Claim }
  /** Opens the copy of a replicated partition and follows its log. Answered when it has caught up. */
  | { readonly kind: 'follow'; readonly id: number; readonly partition: PartitionName }
  /** Another instance has this many records of the partition. */
  | { readonly kind: 'records'; readonly partition: PartitionName; readonly applied: number }
  | { readonly kind: 'asks'; readonly asks: EncodedAsks }
  /** Closes one partition after its earlier asks. */
  | { readonly kind: 'release'; readonly id: number; readonly partition: PartitionName }
  /** Answered with `ThreadStats`. */
  | { readonly kind: 'stats'; readonly id: number }
  /** Answered with the chains of the partition's copy, see `PartitionSource`. */
  | { readonly kind: 'chains'; readonly id: number; readonly partition: PartitionName }
  /** Answered when the file of the partition's copy has its position, see `PartitionSource`. */
  | { readonly kind: 'position'; readonly id: number; readonly partition: PartitionName }
  /** Finishes waiting asks, closes every file and answers `closed`. */
  | { readonly kind: 'close' };

export type FromThread =
  /** Notices come before the replies of the same commits: a caller that reads a reply has received its events. */
  | { readonly kind: 'settled'; readonly notices: EncodedNotices; readonly replies: EncodedReplies }
  | { readonly kind: 'trouble'; readonly error: unknown }
  /** Writes fail there until `working` follows. */
  | { readonly kind: 'failing'; readonly partition: PartitionName; readonly error: unknown }
  /** `released`: closed while writes failed; their state is now unknown. */
  | {
      readonly kind: 'working' | 'released';
      readonly partition: PartitionName;
      readonly failures: number;
    }
  /** Another process owns it now. It is no longer open here. */
  | { readonly kind: 'deposed'; readonly partition: PartitionName }
  /** A copy of a replicated partition has changed. */
  | { readonly kind: 'copy'; readonly copy: CopyState }
  | { readonly kind: 'closed' };
