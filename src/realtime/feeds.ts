/** The feeds of users: messages about the list of their boards, to each of their sockets for several boards. */
import { isForBoard } from '../domain/account/apiKey.js';
import type { FeedMessage } from '../domain/feed.js';
import type { Uuid } from '../domain/ids.js';
import type { SharedSocket } from './socket/sharedSocket.js';

export class Feeds {
  /** Nearly every user has one socket, and a list of one takes a third of the memory of a set. */
  readonly #sockets = new Map<Uuid, readonly SharedSocket[]>();

  add(client: SharedSocket): void {
    this.#sockets.set(client.user.id, (this.#sockets.get(client.user.id) ?? []).concat([client]));
  }

  remove(client: SharedSocket): void {
    const others = this.#sockets.get(client.user.id)?.filter((each) => each !== client) ?? [];
    if (others.length > 0) this.#sockets.set(client.user.id, others);
    else this.#sockets.delete(client.user.id);
  }

  publish({ user_ids, event }: FeedMessage): void {
    const text = JSON.stringify(event);
    for (const id of user_ids) {
      for (const client of this.#sockets.get(id) ?? []) if (isForBoard(client.token.key, event.board_id)) client.send(text);
    }
  }
}
