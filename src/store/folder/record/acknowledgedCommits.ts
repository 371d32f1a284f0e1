/**
 * The number of the last acknowledged commit of each data file, in one small file beside them. SQLite ends a write-ahead
 * log at the first frame whose checksum differs, and takes the rest for a write that was cut off: it drops acknowledged
 * commits without a word. A higher number here than in the data file shows it.
 *
 * The number is written when its commit is on disk, and not flushed. So it is never ahead of the data: after a kill it is
 * exact, after a power cut it may be older.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../domain/errors.js';
import { acknowledgementChecksum, ownerChecksum } from '../../shard/checksum.js';
import type { Durability } from '../../sqlite/database.js';
import { kindOf, numberOf } from '../dataFolder.js';
import { createPrivately } from '../privateFile.js';

export const ACKNOWLEDGED_FILE = 'commits.acknowledged';

/** number (48 bits) · durability (8 bits) · unused (8 bits) · checksum (32 bits) · unused (32 bits) */
const SLOT_BYTES = 16;
const NUMBER_BYTES = 6;
const DURABILITY_AT = 6;
const CHECKSUM_AT = 8;
const DURABILITIES: readonly Durability[] = ['full', 'normal'];

export interface Acknowledged {
  readonly number: number;
  /** A power cut may undo the latest commits of `normal`: then a lower number in the data file is no damage. */
  readonly durability: Durability;
}

export interface AcknowledgedOptions {
  readonly dataDir: string;
  /** The id of the folder. Numbers of another folder are ignored. */
  readonly folder: string;
  /** The name of the data file. */
  readonly name: string;
  readonly durability: Durability;
  readonly onError: (error: unknown) => void;
}

/** For the owner of a data file. */
export class AcknowledgedCommits {
  readonly #options: AcknowledgedOptions;
  readonly #slot: Slot;
  readonly #buffer = Buffer.alloc(SLOT_BYTES);
  /** -1 after a failure. */
  #descriptor: number;

  constructor(options: AcknowledgedOptions) {
    const { dataDir, folder, name } = options;
    const file = join(dataDir, ACKNOWLEDGED_FILE);
    this.#options = options;
    this.#slot = new Slot(folder, name);
    createPrivately(file);
    this.#descriptor = openSync(file, 'r+');
  }

  /** Throws if the data file, which ends with this commit, lacks acknowledged ones. */
  require(number: number): void {
    const read = readSync(this.#descriptor, this.#buffer, 0, SLOT_BYTES, this.#slot.at);
    const acknowledged = read === SLOT_BYTES ? this.#slot.decode(this.#buffer) : null;
    const { dataDir, name } = this.#options;
    const problem = lossOf(name, number, acknowledged);
    if (problem === null) return;
    throw new AppError('unavailable', `${problem}. Restore a backup. To go on without the lost commits, remove ${join(dataDir, ACKNOWLEDGED_FILE)}`);
  }

  /** The commit is on disk. Never throws: the commit counts. After a failure nothing more is noted. */
  note(number: number): void {
    if (this.#descriptor === -1) return;
    try {
      this.#slot.encode({ number, durability: this.#options.durability }, this.#buffer);
      writeSync(this.#descriptor, this.#buffer, 0, SLOT_BYTES, this.#slot.at);
    } catch (error) {
      this.close();
      this.#options.onError(error);
    }
  }

  close(): void {
    if (this.#descriptor !== -1) closeSync(this.#descriptor);
    this.#descriptor = -1;
  }
}

/** The acknowledged commits of a folder for a reader. */
export class AcknowledgedNumbers {
  readonly #bytes: Buffer;
  readonly #folder: string;

  /** `folder`: its id. */
  constructor(dataDir: string, folder: string | null) {
    this.#folder = folder ?? '';
    this.#bytes = folder === null ? Buffer.alloc(0) : readIfThere(join(dataDir, ACKNOWLEDGED_FILE));
  }

  /** Says which commits a data file lacks that ends with this one; null if it lacks none. */
  findLoss(name: string, number: number): string | null {
    const slot = new Slot(this.#folder, name);
    const bytes = this.#bytes.subarray(slot.at, slot.at + SLOT_BYTES);
    return lossOf(name, number, bytes.length === SLOT_BYTES ? slot.decode(bytes) : null);
  }
}

function lossOf(name: string, number: number, acknowledged: Acknowledged | null): string | null {
  if (acknowledged === null || acknowledged.durability === 'normal' || acknowledged.number <= number) return null;
  const lost = acknowledged.number - number;
  return (
    `${name} ends with commit ${number}, and commit ${acknowledged.number} was acknowledged: ` +
    `${lost === 1 ? 'a commit is' : `${lost} commits are`} lost, because a file was damaged, removed or replaced by an older one`
  );
}

/** The place of one data file. */
class Slot {
  readonly at: number;
  readonly #owner: number;

  constructor(folder: string, name: string) {
    this.at = SLOT_BYTES * (kindOf(name) === 'directory' ? 0 : 1 + numberOf(name));
    this.#owner = ownerChecksum(folder, name);
  }

  encode({ number, durability }: Acknowledged, into: Buffer): void {
    into.fill(0);
    into.writeUIntBE(number, 0, NUMBER_BYTES);
    into[DURABILITY_AT] = DURABILITIES.indexOf(durability);
    into.writeUInt32BE(acknowledgementChecksum(this.#owner, into.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  }

  /** Null if there is none: never written, of another folder, or damaged. */
  decode(bytes: Buffer): Acknowledged | null {
    const durability = DURABILITIES[bytes.readUInt8(DURABILITY_AT)];
    const isWhole = bytes.readUInt32BE(CHECKSUM_AT) === acknowledgementChecksum(this.#owner, bytes.subarray(0, CHECKSUM_AT));
    return isWhole && durability !== undefined ? { number: bytes.readUIntBE(0, NUMBER_BYTES), durability } : null;
  }
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
