/** Makes the deliveries of one job, one after another. */
import { FetchRefused, type GuardedFetch } from '../net/guardedFetch.js';
import type { Delivery } from '../domain/webhook/webhook.js';
import type { Job, JobEnd, JobResult } from './messages.js';
import { requestFor } from './requestFor.js';

/** A job ends after so long, so that others to the same host have their turn and its progress is stored. */
const JOB_MS = 5_000;
const GONE = 410;

interface Attempt {
  readonly answer: Pick<Delivery, 'status' | 'error'>;
  readonly fault: string | null;
}

/** Never rejects: a delivery that this program cannot make is one that failed, and other jobs go on. */
export async function deliver(job: Job, fetch: Pick<GuardedFetch, 'post'>, signal: AbortSignal): Promise<JobResult> {
  const deliveries: Delivery[] = [];
  const endsAt = performance.now() + JOB_MS;
  let attempt = job.attempt + 1;
  for (const due of job.due) {
    if (signal.aborted || (deliveries.length > 0 && performance.now() >= endsAt)) return { deliveries, end: 'stopped' };
    const at = new Date();
    const startedAt = performance.now();
    const { answer, fault } = await post(job, due, at, fetch, signal);
    const duration_ms = Math.round(performance.now() - startedAt);
    const { id, type, position } = due;
    deliveries.push({ id, board_id: job.board_id, type, seq: position?.seq ?? null, at: at.toISOString(), attempt, duration_ms, ...answer });
    const end = endOf(answer.status);
    if (end !== null) return { deliveries, end, ...(fault === null || attempt > 1 ? {} : { fault }) };
    attempt = 1;
  }
  return { deliveries, end: 'done' };
}

async function post(job: Job, due: Job['due'][number], at: Date, fetch: Pick<GuardedFetch, 'post'>, signal: AbortSignal): Promise<Attempt> {
  try {
    const { status } = await fetch.post({ ...requestFor(job, due, at), signal });
    return { answer: { status, error: null }, fault: null };
  } catch (error) {
    if (error instanceof FetchRefused) return { answer: { status: null, error: error.message }, fault: null };
    return { answer: { status: null, error: 'the message could not be made' }, fault: stackOf(error) };
  }
}

/** As text: an error may hold what cannot be sent to another thread, or what must not be logged. */
function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Null if the delivery was taken. */
function endOf(status: number | null): JobEnd | null {
  if (status !== null && status >= 200 && status < 300) return null;
  return status === GONE ? 'gone' : 'failed';
}
