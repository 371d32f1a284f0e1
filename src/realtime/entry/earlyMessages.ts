/** Messages of clients that are not identified yet: few, because identifying takes milliseconds. */
import { MAX_BOARDS_PER_SOCKET } from '../../api/socketLimits.js';
import type { SocketData } from '../socket/follower.js';

/** A subscription to every board that a client may follow. */
const MAX_MESSAGES = MAX_BOARDS_PER_SOCKET + 10;
const MAX_CHARACTERS = 64 * 1024;
/** Of all clients: thousands may wait while the directory is out of reach. */
const MAX_TOTAL_CHARACTERS = 16 * 1024 * 1024;

interface Waiting {
  readonly texts: string[];
  characters: number;
}

export class EarlyMessages {
  readonly #waiting = new Map<SocketData, Waiting>();
  #totalCharacters = 0;

  /** From here on the messages of this client are kept. */
  await(client: SocketData): void {
    this.#waiting.set(client, { texts: [], characters: 0 });
  }

  has(client: SocketData): boolean {
    return this.#waiting.has(client);
  }

  /** False if this is too much. */
  add(client: SocketData, text: string): boolean {
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) return false;
    waiting.texts.push(text);
    waiting.characters += text.length;
    this.#totalCharacters += text.length;
    const isWithin = waiting.texts.length <= MAX_MESSAGES && waiting.characters <= MAX_CHARACTERS;
    return isWithin && this.#totalCharacters <= MAX_TOTAL_CHARACTERS;
  }

  /** The kept messages, in order. No more are kept. */
  take(client: SocketData): readonly string[] {
    const { texts, characters } = this.#waiting.get(client) ?? { texts: [], characters: 0 };
    this.#waiting.delete(client);
    this.#totalCharacters -= characters;
    return texts;
  }
}
