/** The waiting asks of a shard, the queue that each belongs to, and the part of a board that it needs. */
import { boardKeyOf, type BoardKey } from '../domain/ids.js';
import type { Ask, ShardCommand } from '../partitions/messages.js';

/** The commands that are carried out within one commit. */
export type SettledCommand = Exclude<ShardCommand, { kind: 'import' }>;

/** The queue of commands without a board. */
const NO_BOARD: BoardKey = '';

/** Asks in the queue are of this kind: imports are never queued. */
export function commandOf({ command }: Ask): SettledCommand {
  return command as SettledCommand;
}

/** The part of the board that must be in memory for a command. A board in memory is always complete. */
export function neededPart(command: SettledCommand): 'all' | 'summary' | 'nothing' {
  if (command.kind === 'presence.join') return 'all';
  if (command.kind === 'keyed') return 'all';
  if (command.kind !== 'board') return 'nothing';
  return command.command.op === 'board.summary' ? 'summary' : 'all';
}

/** Commands about the same board stay in order. Presence commands without a membership check have their own queue. */
export function queueOf(command: SettledCommand): BoardKey {
  switch (command.kind) {
    case 'board':
    case 'keyed':
      return boardKeyOf(command.command.target);
    case 'presence.join':
      return boardKeyOf(command.connection.board_id);
    case 'answer.find':
    case 'events.read':
    case 'events.forget':
      return boardKeyOf(command.board_id);
    case 'upload.start':
    case 'upload.append':
    case 'upload.drop':
    case 'content.read':
      return boardKeyOf(command.id);
    default:
      return NO_BOARD;
  }
}

/** A board's asks in order, and the boards in turn: twenty long commands to one board let commands of others in between. */
export class AskQueue<Key> {
  /** In the order of their turns. A held board keeps its asks and is skipped. */
  readonly #queues = new Map<Key, Ask[]>();
  readonly #held = new Set<Key>();

  push(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.push(ask);
  }

  /** Whether asks wait for this board. */
  has(key: Key): boolean {
    return this.#queues.has(key);
  }

  /** The next ask and its board, which then goes behind the others. */
  next(): { readonly key: Key; readonly ask: Ask } | null {
    for (const [key, queue] of this.#queues) {
      if (this.#held.has(key)) continue;
      const ask = queue.shift();
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      if (ask !== undefined) return { key, ask };
    }
    return null;
  }

  /** Puts the ask back at the head of its queue. */
  putBack(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.unshift(ask);
  }

  /** Puts the ask back and holds its board until `release`. */
  hold(key: Key, ask: Ask): void {
    this.putBack(key, ask);
    this.block(key);
  }

  /** Holds the board until `release`. */
  block(key: Key): void {
    this.#held.add(key);
  }

  isHeld(key: Key): boolean {
    return this.#held.has(key);
  }

  release(key: Key): void {
    this.#held.delete(key);
  }

  /** Whether an ask can be taken. */
  get isWaiting(): boolean {
    for (const key of this.#queues.keys()) if (!this.#held.has(key)) return true;
    return false;
  }

  /** All waiting asks, held or not. */
  takeAll(): Ask[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#held.clear();
    return all;
  }
}
