/**
 * Looks up API keys. Anybody can invent keys, so the directory is asked about all waiting ones at once, one question at a
 * time, and what it does not know is remembered for a while.
 */
import { rightsOf, type FoundKey } from '../domain/account/apiKey.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import { BoundedMap } from '../flow/boundedMap.js';
import { hashApiKey, isWellFormedKey } from './apiKeys.js';
import type { VerifiedToken } from './tokens.js';

/** About 5 MB each. */
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 10_000;
/** Each costs a read in the directory. */
const KEYS_AT_ONCE = 100;
const MAX_LOOK_UPS = 2_000;

interface Waiting {
  readonly hash: string;
  readonly settle: (found: FoundKey | null) => void;
  readonly fail: (error: unknown) => void;
}

export class KnownKeys {
  readonly #directory: DirectoryPort;
  /** By the whole key, so the hot path computes no hash. Revoked ones stay: `Callers` knows which keys a user has. */
  readonly #known = new BoundedMap<string, VerifiedToken>(MAX_KNOWN);
  /** Hashes. A key is made at random, so one that is unknown does not become known. */
  readonly #unknown = new BoundedMap<string, true>(MAX_UNKNOWN);
  /** By hash: equal keys wait for one answer. */
  readonly #lookUps = new Map<string, Promise<FoundKey | null>>();
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(directory: DirectoryPort) {
    this.#directory = directory;
  }

  /** The cached result of `verify`, without an await. */
  peek(key: string): VerifiedToken | undefined {
    const token = this.#known.get(key);
    return token !== undefined && token.expiresAt > Date.now() / 1000 ? token : undefined;
  }

  /** Rejects with `unauthenticated`. Does not check whether the key was revoked after it was cached. */
  async verify(key: string): Promise<VerifiedToken> {
    if (!isWellFormedKey(key)) throw unknownKey();
    const token = this.#known.get(key) ?? (await this.#lookUp(key));
    if (token.expiresAt <= Date.now() / 1000) throw new AppError('unauthenticated', 'The API key has expired');
    return token;
  }

  async #lookUp(key: string): Promise<VerifiedToken> {
    const hash = hashApiKey(key);
    if (this.#unknown.has(hash)) throw unknownKey();
    const found = await this.#find(hash);
    if (found === null) {
      this.#unknown.set(hash, true);
      throw unknownKey();
    }
    const token = toToken(found);
    this.#known.set(key, token);
    return token;
  }

  #find(hash: string): Promise<FoundKey | null> {
    const running = this.#lookUps.get(hash);
    if (running !== undefined) return running;
    if (this.#lookUps.size >= MAX_LOOK_UPS) {
      throw new AppError('unavailable', 'Too many API keys are being looked up. Try again.', { retryAfter: 1 });
    }
    const lookUp = new Promise<FoundKey | null>((settle, fail) => this.#waiting.push({ hash, settle, fail }));
    this.#lookUps.set(hash, lookUp);
    if (!this.#isAsking) void this.#askAll();
    return lookUp;
  }

  /** Never rejects: a failure is the outcome of the keys that were asked for. */
  async #askAll(): Promise<void> {
    this.#isAsking = true;
    // The keys of this turn are one question.
    await null;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0, KEYS_AT_ONCE);
      const hashes = asked.map(({ hash }) => hash);
      try {
        const found = await this.#directory.ask('key.find', { hashes });
        asked.forEach(({ settle }, index) => settle(found[index] ?? null));
      } catch (error) {
        for (const { fail } of asked) fail(error);
      }
      for (const hash of hashes) this.#lookUps.delete(hash);
    }
    this.#isAsking = false;
  }
}

function toToken(found: FoundKey): VerifiedToken {
  const expiresAt = found.expires_at === null ? Number.POSITIVE_INFINITY : Math.floor(Date.parse(found.expires_at) / 1000);
  return { userId: found.user_id, sessionId: found.id, issuedAt: 0, expiresAt, key: rightsOf(found) };
}

/** The same for every cause. */
export function unknownKey(): AppError {
  return new AppError('unauthenticated', 'The API key is unknown or was revoked');
}
