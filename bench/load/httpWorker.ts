/** Load over HTTP: autocannon, with our own histogram because its own counts in whole milliseconds. */
import autocannon from 'autocannon';
import { Histogram } from '../histogram.js';
import type { HttpJob, LoadReport, ScriptedRequest } from './jobs.js';
import { serveJobs, startClock } from './worker.js';

/** How often autocannon checks whether it should stop. */
const LOOK_MS = 20;
/** A request that takes this long is an error. */
const TIMEOUT_SECONDS = 10;

type Script = { -readonly [K in keyof ScriptedRequest]: ScriptedRequest[K] }[];

serveJobs({ http: runAutocannon });

function runAutocannon(job: HttpJob): Promise<LoadReport> {
  const latency = new Histogram();
  const statuses = new Map<number, number>();
  /** Each connection has one request under way, sent when the one before was answered. */
  const sentAt = new Map<object, number>();
  let answers = 0;
  let connections = 0;
  const elapsed = startClock();
  return new Promise((resolve, reject) => {
    const run = autocannon(
      {
        // A list is allowed, although the types do not have it.
        url: job.url as string,
        connections: job.connections,
        duration: job.seconds,
        headers: job.headers,
        timeout: TIMEOUT_SECONDS,
        setupClient: (client) => {
          const script = job.scripts[connections % job.scripts.length] ?? [];
          connections += 1;
          sentAt.set(client, performance.now());
          client.setRequests(script as Script);
        },
        ...{ sampleInt: LOOK_MS },
      },
      (error: Error | null, result) => {
        if (error !== null) {
          reject(error);
          return;
        }
        const problems = [...statuses]
          .filter(([status]) => !job.expectedStatuses.includes(status))
          .map(([status, count]) => `${count} answers with status ${status}`);
        const { errors, timeouts } = result;
        if (errors > 0) problems.push(`${errors} connection errors, ${timeouts} of them time-outs`);
        recordWaiting(latency, [...sentAt.values()]);
        resolve({ operations: answers, ...elapsed(), latency: latency.pack(), deliveries: 0, problems });
      },
    );
    run.on('response', (client, status, _bytes, milliseconds) => {
      answers += 1;
      sentAt.set(client, performance.now());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      latency.record(milliseconds);
    });
  });
}

/**
 * Requests without an answer count with the time they have waited, if it is longer than the median answer took. A server
 * that serves some connections and lets others wait would otherwise look faster than one that serves all.
 */
function recordWaiting(latency: Histogram, sentAt: readonly number[]): void {
  const now = performance.now();
  const median = latency.percentile(0.5);
  for (const waited of sentAt.map((sent) => now - sent)) {
    if (waited > median) latency.record(waited);
  }
}
