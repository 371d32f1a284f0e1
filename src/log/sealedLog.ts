/**
 * A log whose records are sealed in NATS, with AES-256-GCM: someone who reaches NATS can neither read a record nor add one,
 * nor move one to another place.
 *
 *   'S' 'W' 'R' 2 · salt · ciphertext · tag
 *
 * The key is derived from the secret of the cluster and the salt, which is new for each writer; the nonce is the place.
 * An earlier program takes the beginning for the length of a header, and refuses the record as cut off. Logs of earlier
 * programs begin with records that are not sealed; after the first sealed one every other is refused.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { CIPHER, KEY_BYTES, NONCE_BYTES, TAG_BYTES } from '../sealedBox.js';
import { BoundedMap } from '../flow/boundedMap.js';
import type { LogBounds, LogStream, Published, StoredRecord } from './logStream.js';
import { refusedRecord } from './records.js';

export interface SealedLogId {
  readonly partition: string;
  /** The id of the cluster. */
  readonly cluster: string;
  readonly generation: number;
}

const PURPOSE = 'switchboard records 1';
const MARK = Buffer.from([0x53, 0x57, 0x52, 2]);
const SALT_BYTES = 16;
/** Writers whose keys are remembered: the owner, and those before it while a copy catches up. */
const MAX_KEYS = 16;

export class LogSeal {
  readonly #secret: string;
  readonly #id: string;
  readonly #keys = new BoundedMap<string, Uint8Array>(MAX_KEYS);
  #salt = randomBytes(SALT_BYTES);
  /** What was sealed last: another record for the same place needs another key. */
  #last: { readonly place: number; readonly body: Uint8Array } | null = null;

  constructor(secret: string, { partition, cluster, generation }: SealedLogId) {
    this.#secret = secret;
    this.#id = `${cluster} ${partition} ${generation}`;
  }

  close(body: Uint8Array, place: number): Uint8Array {
    const isRepetition = this.#last !== null && place === this.#last.place && Buffer.compare(body, this.#last.body) === 0;
    if (this.#last !== null && place <= this.#last.place && !isRepetition) this.#salt = randomBytes(SALT_BYTES);
    this.#last = { place, body: Buffer.from(body) };
    const key = this.#keyOf(this.#salt);
    this.#remember(this.#salt, key);
    const cipher = createCipheriv(CIPHER, key, nonceOf(place)).setAAD(this.#contextOf(place));
    return Buffer.concat([MARK, this.#salt, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null if it was sealed with another secret, or for another place. */
  open(sealed: Uint8Array, place: number): Uint8Array | null {
    const start = MARK.length + SALT_BYTES;
    if (sealed.length < start + TAG_BYTES) return null;
    const salt = Buffer.from(sealed.subarray(MARK.length, start));
    try {
      const key = this.#keyOf(salt);
      const decipher = createDecipheriv(CIPHER, key, nonceOf(place)).setAAD(this.#contextOf(place));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = decipher.update(sealed.subarray(start, -TAG_BYTES));
      decipher.final();
      // Not before: keys of forged records would take the place of others.
      this.#remember(salt, key);
      return body;
    } catch {
      return null;
    }
  }

  #keyOf(salt: Buffer): Uint8Array {
    return this.#keys.get(salt.toString('hex')) ?? new Uint8Array(hkdfSync('sha256', this.#secret, salt, `${PURPOSE} ${this.#id}`, KEY_BYTES));
  }

  #remember(salt: Buffer, key: Uint8Array): void {
    const name = salt.toString('hex');
    if (!this.#keys.has(name)) this.#keys.set(name, key);
  }

  #contextOf(place: number): Uint8Array {
    return Buffer.from(`${this.#id} ${place}`);
  }
}

function isSealed(body: Uint8Array): boolean {
  return MARK.equals(body.subarray(0, MARK.length));
}

function nonceOf(place: number): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeDoubleBE(place, NONCE_BYTES - 8);
  return nonce;
}

export interface SealedLogOptions extends SealedLogId {
  readonly stream: LogStream;
  /** The place before the first record that the log ever had. */
  readonly base: number;
  readonly secret: string;
  /** A record that was heard of cannot be read. In the log itself there may be another one at its place. */
  readonly onRefused?: (reason: string) => void;
}

export class SealedLog implements LogStream {
  readonly #stream: LogStream;
  readonly #seal: LogSeal;
  readonly #onRefused: (reason: string) => void;
  /** Up to this place the records were made by an earlier program. */
  #unsealedTo: number;
  /** Whether a sealed record was written or read: from then on every other is refused. */
  #isSealedLog = false;

  constructor({ stream, base, secret, onRefused = () => undefined, ...id }: SealedLogOptions) {
    this.#stream = stream;
    this.#unsealedTo = base;
    this.#seal = new LogSeal(secret, id);
    this.#onRefused = onRefused;
  }

  publish(body: Uint8Array, expected: number): Promise<Published> {
    this.#isSealedLog = true;
    return this.#stream.publish(this.#seal.close(body, expected + 1), expected);
  }

  async read(seq: number): Promise<StoredRecord | null> {
    const record = await this.#stream.read(seq);
    return record === null ? null : this.#opened(record);
  }

  async readFrom(seq: number): Promise<readonly StoredRecord[]> {
    const opened: StoredRecord[] = [];
    for (const record of await this.#stream.readFrom(seq)) opened.push(await this.#opened(record));
    return opened;
  }

  bounds(): Promise<LogBounds> {
    return this.#stream.bounds();
  }

  listen(onRecord: (record: StoredRecord) => void): { stop(): void } {
    return this.#stream.listen(({ seq, body }) => {
      // Whether an earlier record was sealed is known only from the log.
      const opened = isSealed(body) ? this.#seal.open(body, seq) : null;
      if (opened === null) this.#onRefused('a record was sent that cannot be opened');
      else onRecord({ seq, body: opened });
    });
  }

  /** The bytes of one that is refused say why: a copy that decodes them halts. */
  async #opened({ seq, body }: StoredRecord): Promise<StoredRecord> {
    if (!isSealed(body)) return (await this.#isOfEarlierProgram(seq)) ? { seq, body } : { seq, body: refusedRecord('it is not sealed') };
    const opened = this.#seal.open(body, seq);
    this.#isSealedLog ||= opened !== null;
    return { seq, body: opened ?? refusedRecord('it was sealed with another CLUSTER_SECRET, or for another place') };
  }

  /** Whether all records before this one are unsealed, so far as the log has them. The one before it decides. */
  async #isOfEarlierProgram(seq: number): Promise<boolean> {
    if (seq <= this.#unsealedTo) return true;
    if (this.#isSealedLog) return false;
    if (seq > this.#unsealedTo + 1) {
      const before = await this.#stream.read(seq - 1);
      if (before === null && (await this.#stream.bounds()).first < seq) throw new Error(`record ${seq - 1} is not at hand`);
      if (before === null || isSealed(before.body)) return false;
    }
    this.#unsealedTo = Math.max(this.#unsealedTo, seq);
    return true;
  }
}
