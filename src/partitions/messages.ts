/** Messages between the I/O thread and a store thread. Everything here is plain data. */
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { BoardCommand } from '../domain/commands/commands.js';
import type { DirectoryCommand, MembershipChanges } from '../domain/commands/directoryCommands.js';
import type { Refused } from '../domain/result.js';
import type { PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { BoardAnswer } from '../domain/ports/boardsPort.js';
import type { Connection, PresenceMessage } from '../domain/ports/presence.js';
import type { Position } from '../domain/position.js';
import type { PublicUser } from '../domain/user.js';

/** Data with one owner and one file: the directory, or one shard of the boards. */
export type PartitionName = 'directory' | ShardName;
export type ShardName = `shard ${number}`;

export type PartitionCommand = DirectoryCommand | ShardCommand;

export type ShardCommand =
  | { readonly kind: 'board'; readonly command: BoardCommand }
  /** Answered like a board command. */
  | { readonly kind: 'import'; readonly plan: BoardPlan }
  | { readonly kind: 'upload.start'; readonly id: Uuid }
  | { readonly kind: 'upload.append'; readonly id: Uuid; readonly n: number; readonly bytes: Uint8Array }
  | { readonly kind: 'upload.drop'; readonly id: Uuid }
  | { readonly kind: 'content.read'; readonly id: Uuid; readonly from: number; readonly to: number }
  | { readonly kind: 'outbox.delivered'; readonly id: number }
  | { readonly kind: 'presence.join'; readonly connection: Connection }
  | { readonly kind: 'presence.refresh'; readonly connections: readonly Connection[] }
  /** A refresh after messages may have been lost: users who are no longer members get `board.left` again. */
  | { readonly kind: 'presence.recheck'; readonly connections: readonly Connection[] }
  | { readonly kind: 'presence.leave'; readonly connection: Connection }
  | { readonly kind: 'presence.list'; readonly board_id: Uuid }
  | { readonly kind: 'events.read'; readonly board_id: Uuid; readonly since: Position };

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
  | (Refused & { readonly notHere?: true });

export interface Reply {
  readonly id: number;
  readonly outcome: Outcome;
}

/** Published after a commit. */
export type Notice =
  | { readonly kind: 'user.changed'; readonly user: PublicUser }
  | { readonly kind: 'board.events'; readonly board_id: Uuid; readonly epoch: string; readonly events: readonly PublishedEvent[] }
  /** A change without an event, such as a rule. */
  | { readonly kind: 'board.changed'; readonly board_id: Uuid }
  | { readonly kind: 'board.left'; readonly board_id: Uuid; readonly user_ids: readonly Uuid[] }
  | { readonly kind: 'board.gone'; readonly board_id: Uuid }
  | {
      readonly kind: 'board.presence';
      readonly board_id: Uuid;
      readonly connection_id: number;
      readonly message: PresenceMessage;
    }
  /** For the directory. Published again after a restart until it is delivered. */
  | { readonly kind: 'outbox'; readonly shard: ShardName; readonly id: number; readonly changes: MembershipChanges };

/** See `codec.ts`. */
export type EncodedAsks = readonly unknown[];
export type EncodedReplies = readonly unknown[];
export type EncodedNotices = readonly unknown[];

export type ToThread =
  | { readonly kind: 'open'; readonly id: number; readonly partition: PartitionName }
  | { readonly kind: 'asks'; readonly asks: EncodedAsks }
  /** Closes one partition after its earlier asks. */
  | { readonly kind: 'release'; readonly id: number; readonly partition: PartitionName }
  /** Answered with `ThreadStats`. */
  | { readonly kind: 'stats'; readonly id: number }
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
  | { readonly kind: 'closed' };
