/** Follows a board over HTTP, through lost connections and restarts of the service, without a gap. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure, EX_FAILURE } from '../outcome.js';
import { refusal, unreachable, type Access } from './access.js';

export interface StreamedEvent {
  /** The place in the board's history, as `since` takes it. */
  readonly position: string;
  readonly type: string;
  /** As it was sent. */
  readonly data: string;
}

export interface FollowOptions extends Access {
  readonly boardId: string;
  readonly since: string;
  /** The next event is read when it resolves. */
  readonly onEvent: (event: StreamedEvent) => Promise<void>;
  /** The connection is lost, for the given reason, or is there again. */
  readonly onConnection: (lost: string | null) => void;
  readonly signal: AbortSignal;
}

/** The service sends a comment at least every heartbeat, by default every half minute. */
const SILENCE_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Larger events are announced as `resync`. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024 * 1024;
const BOARD_DELETED = 4410;
const ACCESS_ENDED = 1008;

/** `ended`: the board was deleted, or the signal was given. `lost`: try again from the latest position. */
type Outcome = { readonly kind: 'ended' } | { readonly kind: 'lost'; readonly reason: string; readonly retryMs?: number };

/** The place that the board is at now. Events without a known beginning could be missed if the first connection is lost. */
export async function latestPosition({ url, token }: Access, boardId: string): Promise<string> {
  const response = await fetch(`${url}/boards/${boardId}`, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } });
  const [, position] = /^(?:W\/)?"([^"]+)"$/.exec(response.headers.get('etag') ?? '') ?? [];
  if (position === undefined) throw new CommandFailure(EX_FAILURE, `${url} does not say where the board is (${response.status}).`);
  return position;
}

/** Returns when the board is deleted or the signal is given; throws if the caller may not read it. */
export async function followEvents(options: FollowOptions): Promise<void> {
  let position = options.since;
  let pause = FIRST_PAUSE_MS;
  let wasConnected = false;
  let isLost = false;
  for (;;) {
    const outcome = await readStream(
      options,
      position,
      () => {
        if (isLost) options.onConnection(null);
        [wasConnected, isLost, pause] = [true, false, FIRST_PAUSE_MS];
      },
      (seen) => (position = seen),
    );
    if (outcome.kind === 'ended' || options.signal.aborted) return;
    // A wrong address is no restart.
    if (!wasConnected) throw new CommandFailure(EX_FAILURE, outcome.reason);
    if (!isLost) options.onConnection(outcome.reason);
    isLost = true;
    await sleep(Math.max(outcome.retryMs ?? 0, pause * (0.5 + Math.random() / 2)), undefined, { signal: options.signal }).catch(() => undefined);
    if (options.signal.aborted) return;
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}

async function readStream(options: FollowOptions, since: string, onConnected: () => void, onPosition: (position: string) => void): Promise<Outcome> {
  const { url, token, boardId, onEvent, signal } = options;
  const silence = new AbortController();
  const watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await fetch(`${url}/boards/${boardId}/events?since=${encodeURIComponent(since)}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return await refused(response);
    onConnected();
    let text = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      watchdog.refresh();
      text += piece;
      if (text.length > MAX_MESSAGE_CHARACTERS) throw new CommandFailure(EX_FAILURE, 'The service sent a message without an end.');
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages.map(parseMessage)) {
        if (message === null) continue;
        if (message.type === 'closed') return closed(message.data);
        await onEvent(message);
        // Only now: an event that was not printed is asked for again.
        onPosition(message.position);
      }
    }
    return { kind: 'lost', reason: 'the connection ended' };
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' };
    if (error instanceof CommandFailure) throw error;
    if (silence.signal.aborted) return { kind: 'lost', reason: 'the service is silent' };
    return {
      kind: 'lost',
      reason: unreachable(url, error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error)).message,
    };
  } finally {
    clearTimeout(watchdog);
  }
}

/** Null for a comment. */
export function parseMessage(message: string): StreamedEvent | null {
  const fields = new Map<string, string>();
  for (const line of message.split('\n')) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const [position = '', type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  return type === undefined || data === undefined ? null : { position, type, data };
}

async function refused(response: Response): Promise<Outcome> {
  const text = await response.text();
  const detail = detailIn(text) ?? response.statusText;
  const isTemporary = response.status >= 500 || response.status === 429;
  if (!isTemporary) throw refusal(response.status, detail);
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return {
    kind: 'lost',
    reason: `The service answers ${response.status}: ${detail}`,
    retryMs: Math.min(Number.isFinite(seconds) ? seconds : 0, 30) * 1000,
  };
}

/** Null if the answer is not of the service, such as a proxy's page. */
function detailIn(text: string): string | null {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === 'string' ? detail : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The same close codes as on sockets. */
function closed(data: string): Outcome {
  const { code, reason } = JSON.parse(data) as { readonly code: number; readonly reason: string };
  if (code === BOARD_DELETED) return { kind: 'ended' };
  if (code === ACCESS_ENDED) throw new CommandFailure(EX_FAILURE, `The service ended it (${code}): ${reason}`);
  return { kind: 'lost', reason: reason === '' ? `the service closed the stream with ${code}` : reason };
}
