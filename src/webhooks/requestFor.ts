/** The request of a delivery in the format of its webhook. */
import type { Uuid } from '../domain/ids.js';
import type { GuardedRequest } from '../net/guardedFetch.js';
import { VERSION } from '../version.js';
import { escapeForSlack, inWords, type Told } from './chatText.js';
import type { Job } from './messages.js';
import { signedHeaders } from './sign.js';

const HEADERS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': `Switchboard/${VERSION}` } as const;

interface Event extends Told {
  readonly timestamp: string;
}

export function requestFor(job: Job, due: Job['due'][number], now: Date): GuardedRequest {
  const event = eventOf(due, now);
  switch (job.format) {
    case 'standard': {
      const body = standardBody(job.board_id, due.position?.seq ?? null, event);
      return { url: job.url, headers: { ...HEADERS, ...signedHeaders(due.id, now, body, job.secrets) }, body };
    }
    case 'slack': {
      const { title, sentence } = inWords(event, job);
      return { url: job.url, headers: HEADERS, body: JSON.stringify({ text: escapeForSlack(`${title}: ${sentence}`) }) };
    }
    case 'ntfy': {
      const { base, topic } = ntfyAddress(job.url);
      const { title, sentence } = inWords(event, job);
      return { url: base, headers: HEADERS, body: JSON.stringify({ topic, title, message: sentence }) };
    }
  }
}

/** ntfy takes JSON at the address of the server; the last part of the path is the topic. */
export function ntfyAddress(url: string): { readonly base: string; readonly topic: string } {
  const base = new URL(url);
  const parts = base.pathname.replace(/\/$/, '').split('/');
  const topic = decoded(parts.pop() ?? '');
  base.pathname = `${parts.join('/')}/`;
  return { base: base.href, topic };
}

/** A text with a percent sign that begins no character stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function eventOf({ type, json }: Job['due'][number], now: Date): Event {
  if (json === null) return { type, data: {}, user_id: null, timestamp: now.toISOString() };
  return JSON.parse(json) as Event;
}

function standardBody(board_id: Uuid | null, seq: number | null, { type, user_id, timestamp, data }: Event): string {
  return JSON.stringify({ type, board_id, seq, user_id, timestamp, data });
}
