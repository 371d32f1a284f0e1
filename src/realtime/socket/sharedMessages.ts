/** Carries out the messages of clients on sockets for several boards. */
import type { Logger } from 'pino';
import { SHARED_CLIENT_MESSAGES, type SharedClientMessage } from '../../api/schemas/sharedMessages.js';
import {
  FOLLOWING_RATE,
  MAX_BOARDS_PER_SOCKET,
  MAX_BOARDS_PER_USER,
  MAX_SHOWN_BYTES,
  MAX_SIGNAL_DELIVERIES_PER_SECOND,
  MAX_STATES_PER_SOCKET,
  MEAN_BOARDS_PER_SOCKET,
  RENEWAL_RATE,
  SIGNAL_RATE,
  STATE_RATE,
} from '../../api/socketLimits.js';
import { parseJsonText } from '../../api/operation/strictJson.js';
import { validate } from '../../api/operation/validate.js';
import type { Callers } from '../../auth/callers.js';
import type { Config } from '../../settings/config.js';
import { isForBoard, requireBoard, requireScope } from '../../domain/account/apiKey.js';
import { AppError, INTERNAL_ERROR, type ErrorData } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { notMember, roleNeeded } from '../../domain/refusals.js';
import { readPosition } from '../../domain/position.js';
import type { Joined, PresencePort } from '../../domain/ports/presence.js';
import { admit, closeFor } from '../entry/admission.js';
import type { Hub } from '../hub.js';
import { JoinTurns } from '../entry/joinTurns.js';
import { MessageTurns, type Effort } from '../delivery/messageTurns.js';
import { TokenBuckets, type Rate } from '../../flow/tokenBuckets.js';
import type { Since } from './follower.js';
import type { SharedFollower, SharedSocket } from './sharedSocket.js';

const LEFT = { code: 1000, reason: 'Unsubscribed' } as const;
const MAX_DECIMALS = 1000;
const NO_DELIVERIES: Effort = { deliveries: 0 };
/** A state of nothing as JSON; also a number beyond all limits becomes this. */
const NOTHING = 'null';

export interface SharedMessagesOptions {
  readonly hub: Hub;
  readonly presence: PresencePort;
  readonly callers: Callers;
  readonly config: Pick<Config, 'maxSockets'>;
  readonly log: Logger;
  /** In milliseconds, from a clock that is never set. */
  readonly monotonic?: () => number;
}

type LimitedThing = 'following' | 'states' | 'signals' | 'renewals';
type MessageOf<Type extends SharedClientMessage['type']> = Extract<SharedClientMessage, { type: Type }>;

export class SharedMessages {
  readonly #options: SharedMessagesOptions;
  readonly #rates: Readonly<Record<LimitedThing, TokenBuckets>>;
  readonly #joins: JoinTurns;
  readonly #turns = new MessageTurns<SharedSocket>((client, text) => this.#carryOut(client, text));

  constructor(options: SharedMessagesOptions) {
    this.#options = options;
    this.#joins = new JoinTurns(options.presence);
    const limiter = (rate: Rate): TokenBuckets => new TokenBuckets(rate, { now: options.monotonic ?? (() => performance.now()) });
    this.#rates = {
      following: limiter(FOLLOWING_RATE),
      states: limiter(STATE_RATE),
      signals: limiter(SIGNAL_RATE),
      renewals: limiter(RENEWAL_RATE),
    };
  }

  /** Now and then: forgets the counts of users who have waited. */
  sweep(): void {
    for (const limiter of Object.values(this.#rates)) limiter.sweep();
  }

  receive(client: SharedSocket, text: string): void {
    this.#turns.add(client, text);
  }

  greet(client: SharedSocket): void {
    const { expiresAt } = client.token;
    const expires_at = Number.isFinite(expiresAt) ? new Date(expiresAt * 1000).toISOString() : null;
    client.send(JSON.stringify({ type: 'authenticated', expires_at }));
  }

  #carryOut(client: SharedSocket, text: string): Effort {
    let about: Uuid | null = null;
    try {
      const message = parse(text);
      if ('board_id' in message) about = message.board_id;
      return this.#perform(client, message) ?? NO_DELIVERIES;
    } catch (error) {
      this.#refuse(client, error, about);
      return NO_DELIVERIES;
    }
  }

  #perform(client: SharedSocket, message: SharedClientMessage): Effort | void {
    switch (message.type) {
      case 'pong':
        return this.#options.hub.notePong(client);
      case 'subscribe':
        return this.#subscribe(client, message);
      case 'unsubscribe':
        return followerOn(client, message).end(LEFT);
      case 'state':
        return this.#setState(client, message);
      case 'signal':
        return this.#signal(client, message);
      case 'auth':
        return this.#renew(client, message);
    }
  }

  #subscribe(client: SharedSocket, { board_id, since }: MessageOf<'subscribe'>): void {
    const { hub, presence, config } = this.#options;
    if (client.followerOn(board_id) !== null) throw new AppError('invalid', 'Already subscribed to this board');
    if (client.size >= MAX_BOARDS_PER_SOCKET) throw new AppError('limit', `A socket follows at most ${MAX_BOARDS_PER_SOCKET} boards`);
    if (hub.followedBy(client.user.id) >= MAX_BOARDS_PER_USER) {
      throw new AppError('limit', `The sockets of a user follow at most ${MAX_BOARDS_PER_USER} boards`);
    }
    const max = config.maxSockets * MEAN_BOARDS_PER_SOCKET;
    if (hub.followed >= max) throw new AppError('too_many', `The sockets of this server follow at most ${max} boards`, { retryAfter: 1 });
    this.#take('following', client, 'Too many subscriptions at once');
    const { follower, room } = hub.follow(client, board_id);
    const join = async (): Promise<Joined | null> => {
      requireBoard(client.token.key, board_id);
      return this.#joins.join(follower);
    };
    const admission = { room, pages: hub.pages, deliveries: hub.deliveries };
    admit(follower, toSince(since), { join, presence }, admission).catch((error: unknown) => {
      if (!(error instanceof AppError)) this.#options.log.error({ err: error }, 'a subscription failed');
      follower.end(closeFor(error));
    });
  }

  #setState(client: SharedSocket, message: MessageOf<'state'>): Effort {
    requireScope(client.token.key, 'write');
    const follower = presentOn(client, message);
    const json = shown(message.state, 'state');
    const state = json === NOTHING ? null : json;
    if (state !== null && follower.shown === null && countStates(client) >= MAX_STATES_PER_SOCKET) {
      throw new AppError('limit', `A socket has a state on at most ${MAX_STATES_PER_SOCKET} boards`);
    }
    this.#take('states', client, `Too many states: at most ${STATE_RATE.perSecond} a second`);
    follower.shown = state;
    const { hub, presence } = this.#options;
    return { deliveries: hub.receiversOf(follower), settled: presence.setState(follower.connection) };
  }

  #signal(client: SharedSocket, message: MessageOf<'signal'>): Effort {
    requireScope(client.token.key, 'write');
    const follower = presentOn(client, message);
    if (follower.restriction !== null) throw roleNeeded(follower.restriction, 'member');
    const data = shown(message.data, 'data');
    this.#take('signals', client, `Too many signals: at most ${SIGNAL_RATE.perSecond} a second`);
    const { hub } = this.#options;
    if (hub.signal(follower, data)) return { deliveries: hub.receiversOf(follower) };
    const detail = `The board delivers at most ${MAX_SIGNAL_DELIVERIES_PER_SECOND} signals a second`;
    throw new AppError('too_many', detail, { retryAfter: 1 });
  }

  #renew(client: SharedSocket, { token }: MessageOf<'auth'>): void {
    this.#take('renewals', client, 'Too many tokens');
    this.#takeOver(client, token).catch((error: unknown) => this.#refuse(client, error, null));
  }

  async #takeOver(client: SharedSocket, given: string): Promise<void> {
    const { callers } = this.#options;
    const { user, token } = await callers.verify(given);
    if (user.id !== client.user.id) throw new AppError('forbidden', 'The token is that of another user');
    requireScope(token.key, 'read');
    const before = client.token;
    client.token = token;
    try {
      // From here on the hub ends the client with the session of the new token. An end just before is found by this.
      await callers.identify(given);
    } catch (error) {
      client.token = before;
      throw error;
    }
    this.greet(client);
    for (const follower of client.followers) {
      if (!isForBoard(token.key, follower.place.boardId)) follower.end(closeFor(notMember()));
    }
  }

  #take(thing: LimitedThing, client: SharedSocket, detail: string): void {
    const retryAfter = this.#rates[thing].take(client.user.id);
    if (retryAfter > 0) throw new AppError('too_many', detail, { retryAfter });
  }

  #refuse(client: SharedSocket, error: unknown, boardId: Uuid | null): void {
    if (!(error instanceof AppError)) this.#options.log.error({ err: error }, 'a message of a client failed');
    client.send(renderError(error instanceof AppError ? error : INTERNAL_ERROR, boardId));
  }
}

/** Throws `invalid`. */
function parse(text: string): SharedClientMessage {
  const value = parseMessage(text);
  const type: unknown = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (!isType(type)) throw new AppError('invalid', `type: must be one of ${Object.keys(SHARED_CLIENT_MESSAGES).join(', ')}`);
  const validated = validate(SHARED_CLIENT_MESSAGES[type].schema, value, 'message');
  if (!validated.ok) throw AppError.from(validated.error);
  return validated.value as SharedClientMessage;
}

/** One code for all that can be wrong with a message. */
function parseMessage(text: string): unknown {
  try {
    return parseJsonText(text, 'message');
  } catch (error) {
    throw error instanceof AppError ? new AppError('invalid', error.detail) : error;
  }
}

function isType(type: unknown): type is SharedClientMessage['type'] {
  return typeof type === 'string' && Object.hasOwn(SHARED_CLIENT_MESSAGES, type);
}

function toSince(since: number | string | undefined): Since {
  const position = since === undefined || since === 'latest' ? null : readPosition(String(since));
  return position === null ? { kind: 'latest' } : { kind: 'after', position };
}

function followerOn(client: SharedSocket, { board_id }: { readonly board_id: Uuid }): SharedFollower {
  const follower = client.followerOn(board_id);
  if (follower === null) throw new AppError('not_found', 'Not subscribed to this board');
  return follower;
}

/** Only a client that was admitted shows or sends anything. */
function presentOn(client: SharedSocket, message: { readonly board_id: Uuid }): SharedFollower {
  const follower = followerOn(client, message);
  if (!follower.isPresent) throw new AppError('not_found', 'Not yet subscribed to this board');
  return follower;
}

function shown(value: unknown, field: string): string {
  // Absent in the message: it has no JSON.
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new AppError('invalid', `${field}: is required`);
  if (Buffer.byteLength(text) > MAX_SHOWN_BYTES) throw new AppError('invalid', `${field}: must be at most ${MAX_SHOWN_BYTES} bytes of JSON`);
  return text;
}

function countStates(client: SharedSocket): number {
  return client.followers.filter((follower) => follower.shown !== null).length;
}

function renderError({ code, detail, retryAfter }: ErrorData, boardId: Uuid | null): string {
  return JSON.stringify({
    type: 'error',
    code,
    detail,
    ...(boardId === null ? {} : { board_id: boardId }),
    ...(retryAfter === undefined ? {} : { retry_after: Math.ceil(retryAfter * MAX_DECIMALS) / MAX_DECIMALS }),
  });
}
