/** Ends clients whose token has expired, whose user was deactivated, whose session has ended or whose key was revoked. */
import type { Logger } from 'pino';
import { refused, type Close } from '../../api/closeCodes.js';
import type { Bus, Subscription } from '../../bus/bus.js';
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../domain/ids.js';
import { isRevoked, type LiveSessions, type SessionMessage } from '../../domain/account/session.js';
import { Renewals } from './renewals.js';
import type { Client, SocketToken } from '../socket/follower.js';

export interface CredentialChecksOptions {
  readonly bus: Bus;
  readonly directory: DirectoryPort;
  readonly log: Logger;
  /** Of access tokens. */
  readonly tokenLifetimeSeconds: number;
  /** All sockets and streams of this instance. */
  readonly clients: () => Iterable<Client>;
  readonly users: () => Uuid[];
  readonly hasClients: (userId: Uuid) => boolean;
}

/** Users per question to the directory: each costs a read. */
const USERS_AT_ONCE = 200;

const DEACTIVATED = refused('The user was deactivated');
const EXPIRED = refused('The token expired');
const SESSION_ENDED = refused('The session has ended');
const KEY_REVOKED = refused('The API key was revoked');

export class CredentialChecks {
  readonly #options: CredentialChecksOptions;
  readonly #renewals: Renewals;
  readonly #subscriptions: readonly Subscription[];

  constructor(options: CredentialChecksOptions) {
    this.#options = options;
    this.#renewals = new Renewals(options.tokenLifetimeSeconds);
    this.#subscriptions = [
      options.bus.subscribeToUsers((user) => {
        if (!user.is_active) this.#endUser(user.id);
      }),
      options.bus.subscribeToSessions((message) => this.#note(message)),
    ];
  }

  /** Several times a second. */
  endExpired(): void {
    const now = Date.now() / 1000;
    this.#endWhere(EXPIRED, (client) => client.token.expiresAt <= now && !this.#isRenewed(client, now));
  }

  sweep(): void {
    this.#renewals.sweep(Date.now() / 1000);
  }

  /** The message about a deactivation, or about sessions, may have been lost. */
  async recheck(): Promise<void> {
    const { directory, log } = this.#options;
    const users = this.#options.users();
    try {
      for (let at = 0; at < users.length; at += USERS_AT_ONCE) {
        const ids = users.slice(at, at + USERS_AT_ONCE);
        for (const id of await directory.ask('user.inactive', { ids })) this.#endUser(id);
        await this.#recheckSessions(ids);
      }
    } catch (error) {
      // Repeated when the directory is back, which then counts as moved.
      log.debug({ err: error }, 'users could not be checked');
    }
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  async #recheckSessions(userIds: readonly Uuid[]): Promise<void> {
    const asked = new Set(userIds);
    // A client that comes later may have a session that the answer does not know yet.
    const clients = this.#clientsWhere(({ user }) => asked.has(user.id)).map((client) => ({ client, token: client.token }));
    const live = await this.#options.directory.ask('session.live', { user_ids: userIds });
    const liveOf = new Map(userIds.map((id, index) => [id, live[index]]));
    for (const { sessions } of live) for (const session of sessions) this.#renewals.note(session);
    for (const { client, token } of clients) {
      const known = liveOf.get(client.user.id);
      if (known !== undefined && client.token === token && isEnded(token, known)) client.hangUp(endOf(token));
    }
  }

  #note(message: SessionMessage): void {
    if (message.kind === 'renewed') return this.#renewals.note(message.session);
    const { user_id, ids, revoked_at } = message;
    this.#renewals.forget(ids);
    if (!this.#options.hasClients(user_id)) return;
    const ended = new Set(ids);
    const isMeant = (token: SocketToken): boolean => (token.sessionId === null ? isRevoked(token, revoked_at) : ended.has(token.sessionId));
    for (const client of this.#clientsWhere(({ user, token }) => user.id === user_id && isMeant(token))) client.hangUp(endOf(client.token));
  }

  /** Whether the client may stay, because its session was refreshed. */
  #isRenewed(client: Client, nowSeconds: number): boolean {
    const expiresAt = this.#renewals.expiryOf(client.token.sessionId);
    if (expiresAt <= nowSeconds) return false;
    client.token = { ...client.token, expiresAt };
    return true;
  }

  #endUser(id: Uuid): void {
    if (this.#options.hasClients(id)) this.#endWhere(DEACTIVATED, ({ user }) => user.id === id);
  }

  #endWhere(close: Close, isMeant: (client: Client) => boolean): void {
    for (const client of this.#clientsWhere(isMeant)) client.hangUp(close);
  }

  #clientsWhere(isMeant: (client: Client) => boolean): Client[] {
    const meant: Client[] = [];
    for (const client of this.#options.clients()) if (isMeant(client)) meant.push(client);
    return meant;
  }
}

function isEnded(token: SocketToken, { revoked_at, sessions, keys }: LiveSessions): boolean {
  const { sessionId } = token;
  if (sessionId === null) return isRevoked(token, revoked_at);
  return token.key === null ? !sessions.some(({ id }) => id === sessionId) : !keys.includes(sessionId);
}

function endOf({ key }: SocketToken): Close {
  return key === null ? SESSION_ENDED : KEY_REVOKED;
}
