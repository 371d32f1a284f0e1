import { AppError } from '../domain/errors.js';

/** NATS may need this long to elect a leader. Until then requests wait, and no load balancer need know. */
export const ELECTION_MS = 10_000;

/** Resolves with the work, or rejects with `unavailable` after the deadline. The work itself continues. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('unavailable', 'It took too long', { retryAfter: 1 })), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
