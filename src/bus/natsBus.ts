/** The bus between instances, and the network for their asks. */
import type { Logger } from 'pino';
import type { Uuid } from '../domain/ids.js';
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { SessionMessage } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';
import type { PeerNetwork, RequestReceiver, Serving } from '../wire/peerNetwork.js';
import type { PeerRefusals } from '../wire/peerRefusals.js';
import { Refusal } from '../wire/refusal.js';
import { SealedMessages } from '../wire/sealedMessages.js';
import type { FeedMessage } from '../domain/feed.js';
import type { BoardMessage, Bus, Subscription } from './bus.js';
import { decodeBoardMessage, decodeFeedMessage, decodeSessionMessage, decodeUser, encodeBusMessage } from './busMessages.js';
import { LocalBus } from './localBus.js';
import { NatsLink, type Incoming, type LinkSubscription } from './natsLink.js';

const INBOX = /^inbox\.[\w-]{1,64}\.[\w-]{1,64}$/;

export interface NatsBusOptions {
  readonly urls: readonly string[];
  /** The first part of every subject, so that several services can share one NATS. */
  readonly prefix: string;
  readonly instanceId: string;
  /** The secret that the instances share. */
  readonly key: Uint8Array;
  readonly refusals: PeerRefusals;
  readonly log: Logger;
}

interface BoardSubscription {
  readonly subscription: LinkSubscription;
  listeners: number;
}

export class NatsBus implements Bus, PeerNetwork {
  readonly #link: NatsLink;
  readonly #instanceId: string;
  readonly #inbox: string;
  /** Delivers to subscribers of this process directly, with or without NATS. */
  readonly #local = new LocalBus();
  readonly #boards = new Map<Uuid, BoardSubscription>();
  readonly #requests = new Map<string, RequestReceiver>();
  #nextRequest = 0;

  constructor({ urls, prefix, instanceId, key, refusals, log }: NatsBusOptions) {
    const sealed = new SealedMessages({ key, sender: instanceId });
    this.#link = new NatsLink({ urls, prefix, name: `switchboard ${instanceId}`, sealed, refusals, log });
    this.#instanceId = instanceId;
    this.#inbox = `inbox.${instanceId}`;
    this.#link.onLoss(() => this.#failRequests());
    this.#link.subscribe(`${this.#inbox}.*`, { receive: (message) => this.#receiveAnswer(message) });
    this.#link.subscribe(
      'users',
      ofContent((bytes) => this.#local.publishUser(decodeUser(bytes))),
    );
    this.#link.subscribe(
      'sessions',
      ofContent((bytes) => this.#local.publishSessions(decodeSessionMessage(bytes))),
    );
    this.#link.subscribe(
      'feeds',
      ofContent((bytes) => this.#local.publishToFeeds(decodeFeedMessage(bytes))),
    );
  }

  status(): PubsubStatus {
    return this.isConnected() ? 'connected' : 'disconnected';
  }

  isConnected(): boolean {
    return this.#link.isConnected();
  }

  onConnect(listener: () => void): void {
    this.#link.onConnect(listener);
  }

  publishToBoard(boardId: Uuid, message: BoardMessage): void {
    this.#local.publishToBoard(boardId, message);
    this.#link.publish(subjectOf(boardId), () => encodeBusMessage(message));
  }

  /** Subscribes at NATS to a board only while this process has a subscriber. */
  subscribeToBoard(boardId: Uuid, receive: (message: BoardMessage) => void): Subscription {
    const local = this.#local.subscribeToBoard(boardId, receive);
    const board = this.#boards.get(boardId) ?? {
      subscription: this.#link.subscribe(
        subjectOf(boardId),
        ofContent((bytes) => this.#local.publishToBoard(boardId, decodeBoardMessage(bytes))),
      ),
      listeners: 0,
    };
    this.#boards.set(boardId, board);
    board.listeners += 1;
    let stopped = false;
    return {
      stop: () => {
        if (stopped) return;
        stopped = true;
        local.stop();
        board.listeners -= 1;
        if (board.listeners > 0) return;
        this.#boards.delete(boardId);
        board.subscription.stop();
      },
    };
  }

  publishUser(user: PublicUser): void {
    this.#local.publishUser(user);
    this.#link.publish('users', () => encodeBusMessage(user));
  }

  subscribeToUsers(receive: (user: PublicUser) => void): Subscription {
    return this.#local.subscribeToUsers(receive);
  }

  publishSessions(message: SessionMessage): void {
    this.#local.publishSessions(message);
    this.#link.publish('sessions', () => encodeBusMessage(message));
  }

  subscribeToSessions(receive: (message: SessionMessage) => void): Subscription {
    return this.#local.subscribeToSessions(receive);
  }

  publishToFeeds(message: FeedMessage): void {
    this.#local.publishToFeeds(message);
    this.#link.publish('feeds', () => encodeBusMessage(message));
  }

  subscribeToFeeds(receive: (message: FeedMessage) => void): Subscription {
    return this.#local.subscribeToFeeds(receive);
  }

  request(instance: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void } {
    if (!this.isConnected()) {
      queueMicrotask(() => receiver.notServed());
      return { cancel: () => undefined };
    }
    this.#nextRequest += 1;
    const id = this.#nextRequest.toString(36);
    this.#requests.set(id, receiver);
    this.#link.publish(askSubject(instance), () => bytes, `${this.#inbox}.${id}`);
    return { cancel: () => this.#requests.delete(id) };
  }

  serve(receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void): Serving {
    const { drain } = this.#link.subscribe(askSubject(this.#instanceId), {
      receive: ({ content, replyTo }) => {
        if (content === 'no responders') return;
        // Otherwise a forged ask could have an answer published on any subject.
        if (!INBOX.test(replyTo)) throw new Refusal('malformed', 'an ask that cannot be answered');
        receive(content, (answer) => this.#link.publish(replyTo, () => answer));
      },
    });
    return { stop: drain };
  }

  publishToPeers(bytes: Uint8Array): void {
    this.#link.publish('instances', () => bytes);
  }

  subscribeToPeers(receive: (bytes: Uint8Array) => void, onRefusal: (refusal: Refusal) => void): void {
    this.#link.subscribe('instances', { ...ofContent(receive), refuse: onRefusal });
  }

  async close(): Promise<void> {
    await this.#link.close();
    await this.#local.close();
  }

  /** The receivers may still act, but their answers cannot arrive any more. */
  #failRequests(): void {
    const receivers = [...this.#requests.values()];
    this.#requests.clear();
    for (const receiver of receivers) receiver.lost();
  }

  #receiveAnswer({ subject, content }: Incoming): void {
    const id = subject.slice(this.#inbox.length + 1);
    const receiver = this.#requests.get(id);
    if (receiver === undefined) return;
    if (content !== 'no responders') return receiver.answer(content);
    this.#requests.delete(id);
    receiver.notServed();
  }
}

/** Of asks to one run of one instance. Its id is never used again, so an ask cannot reach a successor. */
function askSubject(instanceId: string): string {
  return `instance.${instanceId}.ask`;
}

function subjectOf(boardId: Uuid): string {
  return `board.${boardId}.events`;
}

/** For messages that expect no answer. */
function ofContent(receive: (bytes: Uint8Array) => void): { receive(message: Incoming): void } {
  return {
    receive: ({ content }) => {
      if (content !== 'no responders') receive(content);
    },
  };
}
