/**
 * A client that keeps changing its own cards and one membership, and records what was acknowledged: that must be there
 * after a crash; an unanswered change must be there completely or not at all.
 */
import { randomInt } from 'node:crypto';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api, ApiResponse } from '../http/api.js';
import type { TestUser } from '../http/users.js';

/** A board on which the writers work. It has two rules: see `newWorkplace` in the test. */
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

/** A value that consecutive requests change: the acknowledged value, and the possible value after the last request. */
export interface Promised<State> {
  acknowledged: State;
  /** Undefined if the last request was answered. */
  unanswered: State | undefined;
}

export interface WrittenCard extends Promised<CardState | null> {
  /** Undefined until its creation is acknowledged. */
  id: Uuid | undefined;
}

export class CrashWriter {
  readonly user: TestUser;
  readonly guest: TestUser;
  readonly workplace: Workplace;
  readonly cards: WrittenCard[] = [];
  /** Whether the guest is a member of the board. */
  readonly membership: Promised<boolean> = { acknowledged: false, unanswered: undefined };
  #titles = 0;

  constructor(user: TestUser, guest: TestUser, workplace: Workplace) {
    this.user = user;
    this.guest = guest;
    this.workplace = workplace;
  }

  /** Writes until the service has ended. Calls `onAcknowledged` after it has recorded an acknowledgement. */
  async write(api: Api, onAcknowledged: () => void): Promise<void> {
    try {
      for (;;) {
        await this.#writeOnce(api);
        onAcknowledged();
      }
    } catch (error) {
      // What `fetch` throws when the connection breaks. Anything else is a fault of the service or of this test.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** After a restart: the found state is the promised one from now on. */
  settle(foundCards: ReadonlyMap<Uuid, CardState>, isMember: boolean): void {
    const byTitle = new Map([...foundCards].map(([id, { title }]) => [title, id]));
    for (const card of this.cards) {
      card.id ??= byTitle.get(card.unanswered?.title ?? '');
      card.acknowledged = (card.id === undefined ? undefined : foundCards.get(card.id)) ?? null;
      card.unanswered = undefined;
    }
    this.membership.acknowledged = isMember;
    this.membership.unanswered = undefined;
  }

  async #writeOnce(api: Api): Promise<void> {
    const { todo, doing, review, done, label } = this.workplace;
    const own = this.cards.filter(({ acknowledged }) => acknowledged !== null && acknowledged.column !== done);
    const card = own[randomInt(own.length + 1)];
    if (card?.id === undefined || card.acknowledged === null) return this.#create(api);
    const { acknowledged: before, id } = card;
    switch (randomInt(6)) {
      case 0:
        return this.#toggleMembership(api);
      case 1: {
        const title = this.#title();
        await this.#send(api, card, { ...before, title }, 'PATCH', `/cards/${id}`, { title });
        return;
      }
      case 2:
        await this.#send(api, card, { ...before, column: done }, 'POST', `/cards/${id}/labels/${label}`);
        return;
      default: {
        const column_id = [todo, doing, review][randomInt(3)] ?? todo;
        await this.#send(api, card, { ...before, column: column_id }, 'POST', `/cards/${id}/move`, { column_id });
      }
    }
  }

  async #create(api: Api): Promise<void> {
    const card: WrittenCard = { id: undefined, acknowledged: null, unanswered: undefined };
    this.cards.push(card);
    const { board, todo } = this.workplace;
    const state = { title: this.#title(), column: todo };
    const path = `/boards/${board}/columns/${todo}/cards`;
    const { body } = await this.#send<{ id: Uuid }>(api, card, state, 'POST', path, { title: state.title });
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
    promised.unanswered = state;
    const response = await api.request<Body>(method, path, { token: this.user.token, ...(json && { json }) });
    const { status, body } = response;
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    promised.acknowledged = state;
    promised.unanswered = undefined;
    return response;
  }

  #title(): string {
    this.#titles += 1;
    return `${this.user.username} ${this.#titles}`;
  }
}
