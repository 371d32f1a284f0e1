/**
 * How many entries one network or one user may cause. What decides over accounts and access is never left out: the
 * operation is refused before there are too many. Of the rest each user has a budget for each kind, so no user can use up
 * another's. Beyond it entries are counted, and the count becomes one entry when the window ends. Superusers are not
 * limited.
 */
import { HOUR_MS } from '../domain/content/time.js';
import { networkOf, siteOf } from '../auth/guessing/network.js';
import { AUDIT_KINDS, MAX_LOGIN_NETWORKS, REFUSED_BY_LIMIT, type AuditEvent, type AuditKind } from '../domain/audit.js';
import { auditRules, type AuditRule, type AuditRules } from './auditRules.js';
import { add, AuditWindow, AuditWindows, sum } from './auditWindows.js';

export interface AuditPaceOptions {
  /** Entries of a network that is not logged in, in a minute, of each kind. */
  readonly perNetwork?: number;
  /** Entries of all such networks together, in a minute, of each kind. */
  readonly perMinute?: number;
  /** Entries of a user in an hour, of each kind that may be left out. */
  readonly perUserAndKind?: number;
  /** The maximum that one user has created. */
  readonly boards?: number;
  /** Users and accounts with a window of their own. */
  readonly maxWindows?: number;
}

const PER_NETWORK = 5;
const PER_MINUTE = 60;
const PER_USER_AND_KIND = 60;
const BOARDS = 1_000;
const MINUTE_MS = 60_000;
const MAX_WINDOWS = 10_000;
/** Networks with a summary of their own in a minute. */
const MAX_SUMMARIES = 10;

/** What becomes of the entry. `refused`: it may not be left out, so the operation may not happen. */
export interface AuditPlace {
  readonly fate: 'kept' | 'left out' | 'refused';
  /** In seconds, if it is refused. */
  readonly retryAfter: number;
  /** The operation failed: it does not count against the user. */
  giveBack(): void;
}

const KEPT: AuditPlace = { fate: 'kept', retryAfter: 0, giveBack: () => undefined };
const LEFT_OUT: AuditPlace = { ...KEPT, fate: 'left out' };

export class AuditPace {
  readonly #perNetwork: number;
  readonly #perMinute: number;
  readonly #perUserAndKind: number;
  readonly #rules: AuditRules;
  readonly #networks: AuditWindows;
  readonly #users: AuditWindows;
  /** That anonymous clients have named. */
  readonly #accounts: AuditWindows;
  readonly #leftOut: Map<AuditKind, number>;
  #everyone: AuditWindow | null = null;

  constructor(options: AuditPaceOptions = {}) {
    this.#perNetwork = options.perNetwork ?? PER_NETWORK;
    this.#perMinute = options.perMinute ?? PER_MINUTE;
    this.#perUserAndKind = options.perUserAndKind ?? PER_USER_AND_KIND;
    this.#rules = auditRules(options.boards ?? BOARDS);
    this.#leftOut = new Map(AUDIT_KINDS.filter((kind) => this.#rules[kind].keeps !== 'all').map((kind) => [kind, 0]));
    const max = options.maxWindows ?? MAX_WINDOWS;
    this.#networks = new AuditWindows({ lengthMs: MINUTE_MS, max });
    this.#users = new AuditWindows({ lengthMs: HOUR_MS, max });
    this.#accounts = new AuditWindows({ lengthMs: HOUR_MS, max });
  }

  /** Entries that were only counted since the start, for each kind that may be. */
  get leftOut(): ReadonlyMap<AuditKind, number> {
    return this.#leftOut;
  }

  /** Windows that are held in memory. */
  get windows(): number {
    return this.#networks.size + this.#users.size + this.#accounts.size;
  }

  take(event: AuditEvent, now: number): AuditPlace {
    const { kind, user, client } = event;
    const rule = this.#rules[kind];
    if (rule.keeps === 'some of anonymous clients' || user === null) {
      // Without a client: the operator, and the service itself.
      return client === undefined || rule.keeps === 'all' ? KEPT : this.#takeOfAnonymous(event, client.address(), rule, now);
    }
    if (user.is_superuser) return KEPT;
    const window = this.#users.of(user.id, now);
    switch (rule.keeps) {
      case 'all':
        if (rule.perHour === undefined) return KEPT;
        return window.admitted(kind) < rule.perHour ? admitted(window, kind) : refused(window, now);
      case 'networks': {
        const site = client === undefined ? '' : siteOf(client.address());
        return window.networks.has(site) ? this.#takeOfBudget(window, event) : newNetwork(window, site, now);
      }
      case 'some':
        return this.#takeOfBudget(window, event);
    }
  }

  /** What was counted in windows that have ended; with `isLast`, in all. */
  takeSummaries(now: number, isLast = false): AuditEvent[] {
    const isOver = ({ endsAt }: AuditWindow): boolean => isLast || endsAt <= now;
    const ofUsers = this.#users.takeEnded(isOver).flatMap(({ held, latest }) => summarise(held, latest?.user ?? null, latest));
    // Accounts have places only: what anonymous clients caused beyond them is counted by network.
    this.#accounts.takeEnded(isOver);
    const networks = this.#networks.takeEnded(isOver).sort((a, b) => sum(b.held) - sum(a.held));
    const busiest = networks.slice(0, MAX_SUMMARIES).flatMap(({ held, latest }) => summarise(held, null, latest));
    const rest = [...networks.slice(MAX_SUMMARIES).map(({ held }) => held), this.#networks.takeRest(), this.#users.takeRest()];
    if (this.#everyone !== null && isOver(this.#everyone)) {
      rest.push(this.#everyone.held);
      this.#everyone = null;
    }
    const others = new Map<AuditKind, number>();
    for (const held of rest) for (const [kind, count] of held) add(others, kind, count);
    return [...ofUsers, ...busiest, ...summarise(others, null, null)];
  }

  #takeOfBudget(window: AuditWindow, event: AuditEvent): AuditPlace {
    return window.admitted(event.kind) < this.#perUserAndKind ? admitted(window, event.kind) : this.#held(window, event);
  }

  #takeOfAnonymous(event: AuditEvent, address: string, rule: AuditRule, now: number): AuditPlace {
    const { kind, user, details } = event;
    const own = this.#networks.of(networkOf(address), now);
    const everyone = (this.#everyone ??= new AuditWindow(now + MINUTE_MS));
    // A refusal by a limit costs its cause nothing, and one network could fill the places of all accounts.
    const hasPlace = user !== null && rule.keeps === 'some of anonymous clients' && details?.['reason'] !== REFUSED_BY_LIMIT;
    if (hasPlace && this.#takePlaceOf(user.id, kind, rule.perAccount, now)) {
      own.admit(kind);
      everyone.admit(kind);
      return KEPT;
    }
    if (own.admitted(kind) >= this.#perNetwork) return this.#held(own, event);
    own.admit(kind);
    return everyone.admitted(kind) < this.#perMinute ? admitted(everyone, kind) : this.#held(everyone, event);
  }

  #takePlaceOf(account: string, kind: AuditKind, places: number, now: number): boolean {
    if (places === 0) return false;
    const window = this.#accounts.of(account, now);
    if (window.admitted(kind) >= places) return false;
    window.admit(kind);
    return true;
  }

  #held(window: AuditWindow, event: AuditEvent): AuditPlace {
    window.hold(event);
    add(this.#leftOut, event.kind, 1);
    return LEFT_OUT;
  }
}

function admitted(window: AuditWindow, kind: AuditKind): AuditPlace {
  window.admit(kind);
  return { fate: 'kept', retryAfter: 0, giveBack: () => window.takeBack(kind) };
}

function newNetwork(window: AuditWindow, site: string, now: number): AuditPlace {
  if (window.networks.size >= MAX_LOGIN_NETWORKS) return refused(window, now);
  window.networks.add(site);
  return { fate: 'kept', retryAfter: 0, giveBack: () => window.networks.delete(site) };
}

function refused({ endsAt }: AuditWindow, now: number): AuditPlace {
  return { fate: 'refused', retryAfter: Math.max(1, Math.ceil((endsAt - now) / 1000)), giveBack: () => undefined };
}

function summarise(held: ReadonlyMap<AuditKind, number>, user: AuditEvent['user'], latest: AuditEvent | null): AuditEvent[] {
  const client = latest?.client;
  return [...held].map(([kind, count]) => ({ kind, user, ...(client === undefined ? {} : { client }), details: { more: count } }));
}
