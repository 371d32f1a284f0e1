/**
 * How many entries one network or one user may cause. Beyond that they are counted, and the count becomes one entry when
 * the window ends: nobody can fill the disk, or push the traces of others out of the log. Superusers are not limited.
 */
import { networkOf } from '../auth/network.js';
import type { AuditEvent, AuditKind } from '../domain/audit.js';

export interface AuditPaceOptions {
  /** Entries of a network that is not logged in, in a minute. */
  readonly perNetwork?: number;
  /** Entries of all such networks together, in a minute. */
  readonly perMinute?: number;
  /** Entries of a user in an hour. */
  readonly perUser?: number;
  /** Entries of all users together, in an hour. */
  readonly perHour?: number;
}

const PER_NETWORK = 5;
const PER_MINUTE = 60;
const PER_USER = 200;
/** A company of a thousand causes less; a hundred accounts of one attacker must not push the log out in a day. */
const PER_HOUR = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Networks and users with a count of their own. The rest is counted together. */
const MAX_WINDOWS = 10_000;
/** Networks with a summary of their own in a minute. */
const MAX_SUMMARIES = 10;
/** Whoever causes them may be a stranger, also if an account is named. */
const OF_STRANGERS: ReadonlySet<AuditKind> = new Set(['login.failed', 'refresh.refused', 'user.registered', 'password.reset_requested']);

interface Window {
  readonly endsAt: number;
  admitted: number;
  /** By kind. */
  readonly held: Map<AuditKind, number>;
  /** The latest event that was held back. */
  latest: AuditEvent | null;
}

export class AuditPace {
  readonly #perNetwork: number;
  readonly #perMinute: number;
  readonly #perUser: number;
  readonly #perHour: number;
  readonly #networks = new Map<string, Window>();
  readonly #users = new Map<string, Window>();
  #everyone: Window | null = null;
  #allUsers: Window | null = null;

  constructor(options: AuditPaceOptions = {}) {
    this.#perNetwork = options.perNetwork ?? PER_NETWORK;
    this.#perMinute = options.perMinute ?? PER_MINUTE;
    this.#perUser = options.perUser ?? PER_USER;
    this.#perHour = options.perHour ?? PER_HOUR;
  }

  /** False if the event is only counted. */
  admits(event: AuditEvent, now: number): boolean {
    const { kind, user, client } = event;
    if (user !== null && !OF_STRANGERS.has(kind)) {
      if (user.is_superuser) return true;
      if (!admit(windowOf(this.#users, user.id, now + HOUR_MS), this.#perUser, event)) return false;
      this.#allUsers ??= newWindow(now + HOUR_MS);
      return admit(this.#allUsers, this.#perHour, event);
    }
    // The operator, and the service itself.
    if (client === undefined) return true;
    const own = windowOf(this.#networks, networkOf(client.address()), now + MINUTE_MS);
    if (!admit(own, this.#perNetwork, event)) return false;
    this.#everyone ??= newWindow(now + MINUTE_MS);
    return admit(this.#everyone, this.#perMinute, event);
  }

  /** What was counted in windows that have ended; with `isLast`, in all. */
  takeSummaries(now: number, isLast = false): AuditEvent[] {
    const isOver = ({ endsAt }: Window): boolean => isLast || endsAt <= now;
    const ofUsers = takeEnded(this.#users, isOver).flatMap(({ held, latest }) => summarise(held, latest?.user ?? null, latest));
    const networks = takeEnded(this.#networks, isOver).sort((a, b) => total(b) - total(a));
    const busiest = networks.slice(0, MAX_SUMMARIES).flatMap(({ held, latest }) => summarise(held, null, latest));
    const rest = networks.slice(MAX_SUMMARIES);
    if (this.#everyone !== null && isOver(this.#everyone)) {
      rest.push(this.#everyone);
      this.#everyone = null;
    }
    if (this.#allUsers !== null && isOver(this.#allUsers)) {
      rest.push(this.#allUsers);
      this.#allUsers = null;
    }
    const others = new Map<AuditKind, number>();
    for (const { held } of rest) for (const [kind, count] of held) others.set(kind, (others.get(kind) ?? 0) + count);
    return [...ofUsers, ...busiest, ...summarise(others, null, null)];
  }
}

function admit(window: Window, max: number, event: AuditEvent): boolean {
  if (window.admitted < max) {
    window.admitted += 1;
    return true;
  }
  window.held.set(event.kind, (window.held.get(event.kind) ?? 0) + 1);
  window.latest = event;
  return false;
}

function windowOf(windows: Map<string, Window>, key: string, endsAt: number): Window {
  const name = windows.has(key) || windows.size < MAX_WINDOWS ? key : '';
  const window = windows.get(name) ?? newWindow(endsAt);
  windows.set(name, window);
  return window;
}

function newWindow(endsAt: number): Window {
  return { endsAt, admitted: 0, held: new Map(), latest: null };
}

/** Removes what has ended, and returns the windows in which something was held back. */
function takeEnded(windows: Map<string, Window>, isOver: (window: Window) => boolean): Window[] {
  const ended = [...windows].filter(([, window]) => isOver(window));
  for (const [key] of ended) windows.delete(key);
  return ended.map(([, window]) => window).filter(({ held }) => held.size > 0);
}

function total({ held }: Window): number {
  let sum = 0;
  for (const count of held.values()) sum += count;
  return sum;
}

function summarise(held: ReadonlyMap<AuditKind, number>, user: AuditEvent['user'], latest: AuditEvent | null): AuditEvent[] {
  const client = latest?.client;
  return [...held].map(([kind, count]) => ({ kind, user, ...(client === undefined ? {} : { client }), details: { more: count } }));
}
