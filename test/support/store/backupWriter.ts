/**
 * A writer that changes everything continuously, with numbers that only rise. So any later state of the data can be
 * checked: it must contain what was acknowledged by some time, and nothing that was never requested.
 */
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api } from '../http/api.js';
import type { BoardJson, CardJson, ColumnJson } from '../board/boardSnapshot.js';
import { fileForm } from '../board/populatedBoard.js';
import { newUser, type TestUser } from '../http/users.js';

/** The title of the card that moves between the boards. */
export const WANDERER = 'On its way';

type Pair = readonly [Uuid, Uuid];

export interface Progress {
  /** The last number that was acknowledged as the title of the card. */
  readonly title: number;
  /** The last number that was acknowledged as the writer's first name. */
  readonly firstname: number;
  /** Uploads that were acknowledged: their content by id. */
  readonly contents: ReadonlyMap<Uuid, string>;
  /** Boards that were created, and not deleted since. */
  readonly boards: readonly Uuid[];
  readonly moves: number;
}

export class BackupWriter {
  readonly user: TestUser;
  readonly board: Uuid;
  readonly card: Uuid;
  readonly #api: Api;
  /** The user's second board, and the columns of both: a card moves between them. */
  readonly otherBoard: Uuid;
  readonly #columns: readonly [Uuid, Uuid];
  #wanderer: Uuid;
  #moves = 0;
  readonly #contents = new Map<Uuid, string>();
  readonly #boards = new Set<Uuid>();
  #acknowledged = 0;
  #named = 0;
  #sent = 0;

  private constructor(api: Api, user: TestUser, [board, otherBoard]: Pair, columns: Pair, [card, wanderer]: Pair) {
    this.#api = api;
    this.user = user;
    this.board = board;
    this.otherBoard = otherBoard;
    this.card = card;
    this.#columns = columns;
    this.#wanderer = wanderer;
  }

  static async settle(api: Api): Promise<BackupWriter> {
    const user = await newUser(api);
    const { token } = user;
    const make = async (path: string, json: object): Promise<Uuid> =>
      (await api.request<BoardJson | ColumnJson | CardJson>('POST', path, { token, json })).body.id;
    const boards: Pair = [await make('/boards', { title: 'Plans' }), await make('/boards', { title: 'Other plans' })];
    const columns: Pair = [
      await make(`/boards/${boards[0]}/columns`, { title: 'To do' }),
      await make(`/boards/${boards[1]}/columns`, { title: 'To do' }),
    ];
    const path = `/boards/${boards[0]}/columns/${columns[0]}/cards`;
    const cards: Pair = [await make(path, { title: '0' }), await make(path, { title: WANDERER })];
    return new BackupWriter(api, user, boards, columns, cards);
  }

  /** The highest number that was ever sent. */
  get sent(): number {
    return this.#sent;
  }

  get progress(): Progress {
    const { title, firstname } = { title: this.#acknowledged, firstname: this.#named };
    return { title, firstname, contents: new Map(this.#contents), boards: [...this.#boards], moves: this.#moves };
  }

  /** One round of changes, on the writer's own board and around it. */
  async work(): Promise<void> {
    this.#sent += 1;
    const number = this.#sent;
    await this.#send('PATCH', `/cards/${this.card}`, { title: String(number) });
    this.#acknowledged = number;
    await this.#send('PATCH', '/auth/me', { firstname: String(number) });
    this.#named = number;
    const upload = { token: this.user.token, body: fileForm(`${number} `.repeat(10_000)) };
    const { status, body } = await this.#api.request<{ id: Uuid }>('POST', `/cards/${this.card}/attachments`, upload);
    if (status !== 201) throw new Error(`an upload answered ${status}: ${JSON.stringify(body)}`);
    this.#contents.set(body.id, `${number} `.repeat(10_000));
    // A user who is new is on the board at once, and so in a shard before or after the directory is copied.
    if (number % 4 === 1) {
      const guest = await newUser(this.#api);
      await this.#send('POST', `/boards/${this.board}/invite`, { user_id: guest.id });
    }
    const { id } = await this.#send<{ id: Uuid }>('POST', '/boards', { title: String(number) });
    this.#boards.add(id);
    const [oldest] = this.#boards;
    if (this.#boards.size < 5 || oldest === undefined) return;
    this.#boards.delete(oldest);
    await this.#send('DELETE', `/boards/${oldest}`);
  }

  /** Moves a card to the other of two boards. */
  async wander(): Promise<void> {
    const at = (this.#moves + 1) % 2;
    const json = { board_id: at === 1 ? this.otherBoard : this.board, column_id: this.#columns[at] };
    const headers = { 'idempotency-key': `move-${this.#moves}` };
    // 503: it takes longer than an answer may.
    for (;;) {
      const { status, body } = await this.#api.request<CardJson>('POST', `/cards/${this.#wanderer}/move`, { token: this.user.token, json, headers });
      if (status === 503) continue;
      if (status !== 200) throw new Error(`a move answered ${status}: ${JSON.stringify(body)}`);
      this.#wanderer = body.id;
      this.#moves += 1;
      return;
    }
  }

  async #send<Body>(method: string, path: string, json?: object): Promise<Body> {
    const { status, body } = await this.#api.request<Body>(method, path, { token: this.user.token, json });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}
