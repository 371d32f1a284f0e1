/** Messages between the I/O thread and the thread that delivers. Plain data; secrets are open here. */
import type { Uuid } from '../domain/ids.js';
import type { Position } from '../domain/position.js';
import type { Due } from '../domain/webhook/webhookCommands.js';
import type { Delivery, WebhookFormat } from '../domain/webhook/webhook.js';

export interface ThreadSettings {
  /** Networks that may be reached although they are not public. */
  readonly allowed: readonly string[];
}

/** Deliveries to one receiver, in order. The first that fails ends it. */
export interface Job {
  readonly url: string;
  readonly format: WebhookFormat;
  /** In base64, the newest first. */
  readonly secrets: readonly string[];
  readonly board_id: Uuid | null;
  readonly board_title: string;
  readonly names: Readonly<Record<Uuid, string>>;
  readonly due: readonly (Due | TestMessage)[];
  /** Failed attempts of the first one. */
  readonly attempt: number;
}

export interface TestMessage {
  readonly id: string;
  readonly type: 'test';
  readonly position: Position | null;
  readonly json: null;
}

/** `gone`: the receiver answered 410. */
export type JobEnd = 'done' | 'failed' | 'gone' | 'stopped';

export interface JobResult {
  /** Up to the first that failed. */
  readonly deliveries: readonly Delivery[];
  readonly end: JobEnd;
  /** The stack of our own error in the last delivery, at its first attempt. The delivery counts as failed. */
  readonly fault?: string;
}

export type ToThread = { readonly kind: 'job'; readonly id: number; readonly job: Job } | { readonly kind: 'stop'; readonly id: number };

export interface FromThread {
  readonly id: number;
  readonly result: JobResult;
}
