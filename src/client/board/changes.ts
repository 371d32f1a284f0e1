/** Sends the changes of a client to one board, in order, and shows each of them before the service has answered. */
import type { CallOptions } from '../calls/call.js';
import type { FollowedBoard } from './followedBoard.js';
import { createdId, newKey } from '../calls/idempotencyKey.js';
import type { PendingChange } from './boardCopy.js';
import type { BoardPosition } from '../events.js';
import type { RetryOptions } from '../calls/retry.js';
import { OPERATIONS } from '../operations.js';
import { predict, type ChangeAnswer, type ChangeArguments, type ChangeName, type Made } from './predictions.js';

export interface ChangesOptions {
  readonly boardId: string;
  readonly board: FollowedBoard;
  /** The acting user; null if unknown. */
  userId(): string | null;
  now(): number;
  /** For changes that do not say it. */
  readonly retry: RetryOptions | false;
  call(name: ChangeName, args: readonly unknown[]): Promise<ChangeResult>;
}

export interface ChangeResult {
  readonly body: unknown;
  /** Of the board after the change; null if the service did not say it. */
  readonly position: BoardPosition | null;
}

export class Changes {
  readonly #options: ChangesOptions;
  /** Ends when the service has answered the latest change. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  async make<Name extends ChangeName>(name: Name, args: ChangeArguments<Name>): Promise<ChangeAnswer<Name>> {
    const { board } = this.#options;
    const { sent, key } = this.#prepare(name, args);
    const made: Made = { id: createdId(this.#options.boardId, key), at: this.#time(), by: this.#options.userId() };
    const change: PendingChange = { apply: (shown) => predict(shown, name, made, args), position: null };
    this.#show(() => board.copy.add(change));
    try {
      const { body, position } = await this.#inTurn(() => this.#options.call(name, sent));
      this.#show(() => board.copy.answered(change, position));
      return body as ChangeAnswer<Name>;
    } catch (error) {
      this.#show(() => board.copy.takeBack(change));
      board.listeners.emit('refused', { name, args, error });
      throw error;
    }
  }

  #show(update: () => void): void {
    const { board } = this.#options;
    const before = board.copy.board;
    update();
    if (board.copy.board !== before) board.emitChange(null);
  }

  /** The arguments with a key among the options, which are the last. */
  #prepare<Name extends ChangeName>(name: Name, args: ChangeArguments<Name>): { sent: readonly unknown[]; key: string } {
    const { boardId } = this.#options;
    const { path, input } = OPERATIONS[name];
    const { board_id = boardId } = args[0] as { readonly board_id?: string };
    if (board_id.toLowerCase() !== boardId) throw new TypeError('board_id is that of another board');
    const count = Number(path.includes('{')) + Number(input !== 'none');
    const options = args[count] as CallOptions | undefined;
    const key = options?.idempotencyKey ?? newKey();
    return { sent: [...args.slice(0, count), { retry: this.#options.retry, ...options, idempotencyKey: key }], key };
  }

  /**
   * One at a time: the service must see them in the order in which the user made them, and a change may need what the
   * one before creates.
   */
  #inTurn(call: () => Promise<ChangeResult>): Promise<ChangeResult> {
    const turn = this.#last.then(call);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString();
  }
}
