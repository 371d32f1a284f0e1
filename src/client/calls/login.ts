/** A login that stays: its refresh token, in memory or in a cookie, is exchanged for the next access token. */
import { ApiError } from '../apiError.js';
import type { AccessToken } from '../resources.js';

/** Sends the refresh token, or nothing if it is in a cookie. */
export type Refresh = (refreshToken: string | null) => Promise<AccessToken>;

type State = { readonly kind: 'none' } | { readonly kind: 'cookie' } | { readonly kind: 'memory'; readonly refreshToken: string };

const NONE: State = { kind: 'none' };

export class Login {
  readonly isByCookie: boolean;
  readonly #refresh: Refresh;
  #state: State;

  /** Whether there is a session in a cookie is unknown at first: only the service can read it. */
  constructor(isByCookie: boolean, refresh: Refresh) {
    this.isByCookie = isByCookie;
    this.#refresh = refresh;
    this.#state = isByCookie ? { kind: 'cookie' } : NONE;
  }

  /** Whether it may be possible to refresh. */
  get isOpen(): boolean {
    return this.#state.kind !== 'none';
  }

  /** `refreshToken` is absent if the service keeps no sessions yet. */
  begin(refreshToken: string | undefined): void {
    if (this.isByCookie) this.#state = { kind: 'cookie' };
    else this.#state = refreshToken === undefined ? NONE : { kind: 'memory', refreshToken };
  }

  end(): void {
    this.#state = NONE;
  }

  /** Not twice at the same time. Once the service refuses, the login has ended. */
  async refresh(): Promise<AccessToken> {
    const state = this.#state;
    try {
      const answer = await this.#refresh(state.kind === 'memory' ? state.refreshToken : null);
      if (this.#state === state) this.begin(answer.refresh_token);
      return answer;
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401;
      if (isOver && this.#state === state) this.end();
      throw error;
    }
  }
}
