/**
 * The thread that runs Argon2. Our own thread instead of the library's asynchronous calls in the shared pool, because a
 * thread can lower its priority: a flood of logins then uses only the time that the service leaves.
 */
import { randomBytes } from 'node:crypto';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { hashSync, parseOptions, verifySync } from '@node-rs/argon2';

export type PasswordTask =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly hash: string; readonly password: string };

export type TaskAnswer =
  | { readonly kind: 'hashed'; readonly hash: string }
  | { readonly kind: 'verified'; readonly matches: boolean }
  /** The stored hash is not Argon2 in PHC form. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly reason: string };

/** `ready` comes first and once; then each task gets its answer, in order. */
export type ThreadMessage = { readonly kind: 'ready'; readonly dummyHash: string } | TaskAnswer;

export interface PasswordCost {
  /** In KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** The library's defaults, by name, because the dummy hash must cost as much as a real one. */
const DEFAULT_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const COST = (workerData as PasswordCost | null) ?? DEFAULT_COST;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

function answer(task: PasswordTask): TaskAnswer {
  try {
    if (task.kind === 'hash') return { kind: 'hashed', hash: hashSync(task.password, COST) };
    if (!isArgon2(task.hash)) return { kind: 'unreadable' };
    return { kind: 'verified', matches: verifySync(task.hash, task.password) };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' };
  }
}

function isArgon2(hash: string): boolean {
  try {
    parseOptions(hash);
    return true;
  } catch {
    return false;
  }
}

/** No password is known to have it. Random instead of computed: the check costs the same, and the start of a thread nothing. */
function makeDummyHash(): string {
  const [salt, hash] = [SALT_BYTES, HASH_BYTES].map((length) => randomBytes(length).toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${salt}$${hash}`;
}

/** Only Linux gives each thread its own priority; elsewhere the call would slow down the whole process. */
function lowerOwnPriority(): void {
  if (process.platform !== 'linux') return;
  // Not the lowest: on a busy machine a login still gets about a tenth of a core.
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    // Started with `nice`, the thread may already have a lower priority, and only root may raise it.
    if (getPriority() < wanted) setPriority(wanted);
  } catch (error) {
    process.emitWarning(`Password checks run at normal priority: ${String(error)}`);
  }
}

const port = parentPort;
if (port === null) throw new Error('passwordThread is started as a worker thread');

lowerOwnPriority();
port.on('message', (task: PasswordTask) => port.postMessage(answer(task)));
const ready: ThreadMessage = { kind: 'ready', dummyHash: makeDummyHash() };
port.postMessage(ready);
