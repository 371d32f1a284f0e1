/**
 * A client that keeps changing its own cards and one membership, and records what was acknowledged: that must be there
 * after a crash; an unanswered change must be there completely or not at all.
 */
import { randomInt } from 'node:crypto';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api, ApiResponse } from '../http/api.js';
import type { TestUser } from '../http/users.js';
import { until } from '../until.js';
import { Promised } from './promised.js';

/** A board on which the writers work. Two rules act on it: see `newWorkplace`. */
export interface Workplace {
  readonly board: Uuid;
  readonly todo: Uuid;
  readonly doing: Uuid;
  /** A rule assigns the owner to cards moved here. */
  readonly review: Uuid;
  /** A rule moves labelled cards here. */
  readonly done: Uuid;
  readonly label: Uuid;
}

export interface CardState {
  readonly title: string;
  readonly column: Uuid;
}

export interface WrittenCard {
  /** Undefined until its creation is acknowledged. */
  id: Uuid | undefined;
  /** Null: there is no such card. */
  readonly state: Promised<CardState | null>;
}

export class CrashWriter {
  readonly user: TestUser;
  readonly guest: TestUser;
  readonly workplace: Workplace;
  readonly cards: WrittenCard[];
  /** Is the guest on the board? */
  readonly membership: Promised<boolean>;
  #titles = 0;

  constructor(user: TestUser, guest: TestUser, workplace: Workplace, cards: WrittenCard[] = [], membership = new Promised(false)) {
    this.user = user;
    this.guest = guest;
    this.workplace = workplace;
    this.cards = cards;
    this.membership = membership;
  }

  /** Requests without an answer. */
  get unanswered(): number {
    return [...this.cards.map(({ state }) => state), this.membership].filter(isUnanswered).length;
  }

  /** What it had promised at an earlier time. */
  asOf(time: number): CrashWriter {
    const cards = this.cards.map(({ id, state }) => ({ id, state: state.asOf(time) }));
    return new CrashWriter(this.user, this.guest, this.workplace, cards, this.membership.asOf(time));
  }

  /** Writes until the service is gone or `goesOn`, called when an acknowledgement is noted, answers false. */
  async write(api: Api, goesOn: () => boolean): Promise<void> {
    try {
      do await this.#writeOnce(api);
      while (goesOn());
    } catch (error) {
      // What `fetch` throws when the connection breaks. Anything else is a fault of the service or of this test.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** After a restart: the found state is the promised one from now on. */
  settle(foundCards: ReadonlyMap<Uuid, CardState>, isMember: boolean): void {
    const byTitle = new Map([...foundCards].map(([id, { title }]) => [title, id]));
    for (const card of this.cards) {
      card.id ??= byTitle.get(card.state.unanswered?.title ?? '');
      card.state.settle((card.id === undefined ? undefined : foundCards.get(card.id)) ?? null);
    }
    this.membership.settle(isMember);
  }

  async #writeOnce(api: Api): Promise<void> {
    const { todo, doing, review, done, label } = this.workplace;
    const own = this.cards.filter(({ state: { acknowledged } }) => acknowledged !== null && acknowledged.column !== done);
    const card = own[randomInt(own.length + 1)];
    const before = card?.state.acknowledged ?? null;
    if (card?.id === undefined || before === null) return this.#create(api);
    const { id, state } = card;
    switch (randomInt(6)) {
      case 0:
        return this.#toggleMembership(api);
      case 1: {
        const title = this.#title();
        await this.#send(api, state, { ...before, title }, 'PATCH', `/cards/${id}`, { title });
        return;
      }
      case 2:
        await this.#send(api, state, { ...before, column: done }, 'POST', `/cards/${id}/labels/${label}`);
        return;
      default: {
        const column_id = [todo, doing, review][randomInt(3)] ?? todo;
        await this.#send(api, state, { ...before, column: column_id }, 'POST', `/cards/${id}/move`, { column_id });
      }
    }
  }

  async #create(api: Api): Promise<void> {
    const card: WrittenCard = { id: undefined, state: new Promised<CardState | null>(null) };
    this.cards.push(card);
    const { board, todo } = this.workplace;
    const title = this.#title();
    const path = `/boards/${board}/columns/${todo}/cards`;
    const { body } = await this.#send<{ id: Uuid }>(api, card.state, { title, column: todo }, 'POST', path, { title });
    card.id = body.id;
  }

  async #toggleMembership(api: Api): Promise<void> {
    const { membership, guest } = this;
    const path = `/boards/${this.workplace.board}`;
    if (membership.acknowledged) await this.#send(api, membership, false, 'DELETE', `${path}/members/${guest.id}`);
    else await this.#send(api, membership, true, 'POST', `${path}/invite`, { user_id: guest.id });
  }

  async #send<Body, State = unknown>(
    api: Api,
    promised: Promised<State>,
    state: State,
    method: string,
    path: string,
    json?: object,
  ): Promise<ApiResponse<Body>> {
    promised.send(state);
    const send = (): Promise<ApiResponse<Body>> => api.request<Body>(method, path, { token: this.user.token, ...(json && { json }) });
    let response = await send();
    // On a machine that stands still a shard is moved away from an instance that runs. Nothing was done then.
    if (isMoved(response)) response = await until(async () => unlessMoved(await send()));
    const { status, body } = response;
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    promised.acknowledge();
    return response;
  }

  #title(): string {
    this.#titles += 1;
    return `${this.user.username} ${this.#titles}`;
  }
}

function isUnanswered({ unanswered }: { readonly unanswered: unknown }): boolean {
  return unanswered !== undefined;
}

function isMoved({ status, body }: ApiResponse<unknown>): boolean {
  return status === 503 && JSON.stringify(body).includes('is being moved');
}

function unlessMoved<Body>(response: ApiResponse<Body>): ApiResponse<Body> | null {
  return isMoved(response) ? null : response;
}
