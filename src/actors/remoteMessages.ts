/** Asks and replies as bytes, the way they travel between instances. */
import { deserialize, serialize } from 'node:v8';
import type { Outcome, StationCommand } from './messages.js';

/** Commands are serialised one by one, so that whoever fills a batch knows how large it gets. */
export interface RemoteBatch {
  /** When it was sent, in milliseconds since the epoch: instances share a machine, and so a clock. */
  readonly sentAt: number;
  readonly commands: readonly Uint8Array[];
}

/** `index` is the command's place in its batch. */
export interface RemoteReply {
  readonly index: number;
  readonly outcome: Outcome;
}

export function encodeCommand(command: StationCommand): Uint8Array {
  return serialize(command);
}

export function decodeCommand(bytes: Uint8Array): StationCommand {
  return deserialize(bytes) as StationCommand;
}

export function encodeBatch(batch: RemoteBatch): Uint8Array {
  return serialize(batch);
}

export function decodeBatch(bytes: Uint8Array): RemoteBatch {
  return deserialize(bytes) as RemoteBatch;
}

export function encodeReplies(replies: readonly RemoteReply[]): Uint8Array {
  return serialize(replies);
}

export function decodeReplies(bytes: Uint8Array): readonly RemoteReply[] {
  return deserialize(bytes) as readonly RemoteReply[];
}
