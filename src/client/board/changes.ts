/** Makes the changes of a client to one board, and shows each of them before the service has answered. */
import { isLink, type CallOptions, type Link, type OperationRow, type Upload } from '../calls/call.js';
import { createdId, newKey } from '../calls/idempotencyKey.js';
import { OPERATIONS } from '../operations.js';
import { basisOf } from '../unsent/basis.js';
import type { ChangedThing, KeptChange } from '../unsent/changeStore.js';
import type { FullBoard } from '../resources.js';
import { OvertakenChange, WithdrawnChange, type ChangeResult, type Waiting } from '../unsent/unsent.js';
import type { UnsentChanges } from '../unsent/unsentChanges.js';
import type { PendingChange } from './boardCopy.js';
import { titleOf, titlesNamed } from './finding.js';
import type { FollowedBoard } from './followedBoard.js';
import { isChange, predict, type ChangeAnswer, type ChangeArguments, type ChangeName, type Made } from './predictions.js';

export interface ChangesOptions {
  readonly boardId: string;
  readonly board: FollowedBoard;
  readonly unsent: UnsentChanges;
  /** The acting user; null if unknown. */
  userId(): string | null;
  now(): number;
}

export class Changes {
  readonly #options: ChangesOptions;
  readonly #stopAdopting: () => void;

  constructor(options: ChangesOptions) {
    const { boardId, unsent } = options;
    this.#options = options;
    for (const waiting of unsent.waitingOn(boardId)) this.#adopt(waiting);
    this.#stopAdopting = unsent.onAdopted(boardId, (waiting) => this.#adopt(waiting));
  }

  /** What others make of the board is not shown any more. */
  close(): void {
    this.#stopAdopting();
  }

  async make<Name extends ChangeName>(name: Name, args: ChangeArguments<Name>): Promise<ChangeAnswer<Name>> {
    const { unsent } = this.#options;
    const { change, options } = this.#prepare(name, args);
    const result = unsent.send(change, options);
    const { body } = await this.#follow(this.#add(change), change, args, result);
    return body as ChangeAnswer<Name>;
  }

  setAside<Name extends ChangeName>(name: Name, args: ChangeArguments<Name>): void {
    const { board, unsent } = this.#options;
    const { change } = this.#prepare(name, args);
    const error = new OvertakenChange();
    unsent.setAside(change, error);
    board.listeners.emit('refused', { name, args: change.args, error });
  }

  #adopt({ change, result }: Waiting): void {
    // `refused` reports it.
    this.#follow(this.#add(change), change, change.args, result).catch(() => undefined);
  }

  #add(change: KeptChange): PendingChange {
    const { boardId, board, userId } = this.#options;
    const { key, name, args, madeAt } = change;
    const made: Made = { id: createdId(boardId, key), at: new Date(madeAt).toISOString(), by: userId() };
    const pending: PendingChange = { apply: (shown) => predict(shown, name, made, args), position: null };
    this.#show(() => board.copy.add(pending));
    return pending;
  }

  /** Until it is confirmed, or taken back. */
  async #follow(pending: PendingChange, { name }: KeptChange, args: readonly unknown[], result: Promise<ChangeResult>): Promise<ChangeResult> {
    const { board } = this.#options;
    try {
      const answered = await result;
      this.#show(() => board.copy.answered(pending, answered.position));
      return answered;
    } catch (error) {
      this.#show(() => board.copy.takeBack(pending));
      if (!(error instanceof WithdrawnChange)) board.listeners.emit('refused', { name, args, error });
      throw error;
    }
  }

  #show(update: () => void): void {
    const { board } = this.#options;
    const before = board.copy.board;
    update();
    if (board.copy.board !== before) board.emitChange(null);
  }

  /** The options are the last of the arguments. */
  #prepare(name: ChangeName, args: readonly unknown[]): { readonly change: KeptChange; readonly options: CallOptions } {
    const { boardId, board, now } = this.#options;
    if (!isChange(name)) throw new TypeError(`${name as string} is a call, not a change of a board that is shown`);
    const { path, input }: OperationRow = OPERATIONS[name];
    const { board_id = boardId } = args[0] as { readonly board_id?: string };
    if (board_id.toLowerCase() !== boardId) throw new TypeError('board_id is that of another board');
    if (name === 'attachment.create' && !isLink(args[1] as Upload | Link))
      throw new TypeError('only links are changes of a board; a file is uploaded by a call');
    const { board_id: other = null } = (args[1] ?? {}) as { readonly board_id?: string | null };
    if (name === 'card.move' && other !== null && other.toLowerCase() !== boardId)
      throw new TypeError('a move to another board is a call, not a change of one board');
    const count = Number(path.includes('{')) + Number(input !== undefined);
    const options = (args[count] as CallOptions | undefined) ?? {};
    const given = args.slice(0, count);
    const shown = board.copy.board;
    const basis = shown === null ? null : basisOf(shown, name, given);
    const about = shown === null ? {} : { about: aboutOf(shown, args) };
    return {
      change: { key: options.idempotencyKey ?? newKey(), boardId, name, args: given, madeAt: now(), basis, ...about, refusal: null },
      options,
    };
  }
}

function aboutOf(board: FullBoard, [path, input]: readonly unknown[]): ChangedThing {
  const ids = path as Readonly<Record<string, string>>;
  const named = titlesNamed(board, ids, input).join(', ');
  return { boardTitle: board.title, title: titleOf(board, ids), ...(named === '' ? {} : { named }) };
}
