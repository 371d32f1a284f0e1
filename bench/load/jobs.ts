/** The jobs of the load processes, and their reports. Plain data, sent between processes. */
import type { PackedHistogram } from '../histogram.js';

export interface ScriptedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Every connection repeats its own script; there may be fewer scripts, or servers, than connections. */
export interface HttpJob {
  readonly kind: 'http';
  readonly url: string | readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly scripts: readonly (readonly ScriptedRequest[])[];
  readonly expectedStatuses: readonly number[];
}

/**
 * When a socket counts as connected. `bare`: after its handshake. `switchboard`: when its own join is announced.
 * `shared`: when the service has confirmed every board that it follows. `socket.io`: when the server has confirmed the
 * namespace.
 */
export type Dialect = 'bare' | 'switchboard' | 'shared' | 'socket.io';

export interface SocketAddress {
  readonly path: string;
  /** Sent as Socket.IO's authentication; unused in other dialects. */
  readonly auth: Readonly<Record<string, string>>;
  /** The boards to follow, in the dialect `shared`. */
  readonly follows?: readonly string[];
}

/** Opens sockets, one after another over the addresses, beside those that are open. */
export interface ConnectJob {
  readonly kind: 'connect';
  readonly url: string;
  readonly dialect: Dialect;
  readonly addresses: readonly SocketAddress[];
  readonly count: number;
  /** Handshakes under way at any moment. */
  readonly atOnce: number;
}

/** Cuts the oldest sockets off without a close frame, as a failing network does. */
export interface DropJob {
  readonly kind: 'drop';
  readonly count: number;
}

export interface ChangeTarget {
  /** The card that is changed. */
  readonly path: string;
  /** How many of the open sockets must receive it. */
  readonly receivers: number;
}

/** `window`: this many changes are always under way. `rate`: one starts at every tick, independent of the others. */
export type Pace = { readonly kind: 'window'; readonly inFlight: number } | { readonly kind: 'rate'; readonly perSecond: number };

/** Changes cards and waits until every socket concerned has received each change. Latency: request to delivery. */
export interface ChangesJob {
  readonly kind: 'changes';
  readonly url: string;
  readonly token: string;
  readonly targets: readonly ChangeTarget[];
  readonly pace: Pace;
  readonly seconds: number;
}

/** Sends the same request at a steady rate. Latency: request to answer. */
export interface SteadyJob {
  readonly kind: 'steady';
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface SocketStateJob {
  readonly kind: 'state';
}

export interface LoadReport {
  readonly operations: number;
  readonly seconds: number;
  readonly latency: PackedHistogram;
  /** CPU time of the load process, 1 being all of one core. */
  readonly loadShare: number;
  readonly deliveries: number;
  /** Errors. If there are any, the figures mean nothing. */
  readonly problems: readonly string[];
}

export interface SocketState {
  readonly open: number;
  /** Closed by the server. */
  readonly lost: number;
}

export interface Jobs {
  http: { job: HttpJob; report: LoadReport };
  connect: { job: ConnectJob; report: LoadReport };
  drop: { job: DropJob; report: SocketState };
  changes: { job: ChangesJob; report: LoadReport };
  steady: { job: SteadyJob; report: LoadReport };
  state: { job: SocketStateJob; report: SocketState };
}

export type JobKind = keyof Jobs;
export type JobOf<K extends JobKind> = Jobs[K]['job'];
export type ReportOf<K extends JobKind> = Jobs[K]['report'];

export type JobMessage = { readonly id: number; readonly job: JobOf<JobKind> };
export type ReportMessage = { readonly id: number; readonly report: ReportOf<JobKind> } | { readonly id: number; readonly error: string };
