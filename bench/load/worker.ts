/** Runs jobs in the load process and measures its CPU time. */
import type { JobKind, JobMessage, JobOf, ReportMessage, ReportOf } from './jobs.js';

type Handlers = { readonly [K in JobKind]?: (job: JobOf<K>) => Promise<ReportOf<K>> };

/** Ends when its parent ends for any reason. */
export function serveJobs(handlers: Handlers): void {
  const send = (message: ReportMessage): void => {
    process.send?.(message);
  };
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({ id, job }: JobMessage) => {
    const handle = handlers[job.kind] as ((job: JobOf<JobKind>) => Promise<ReportOf<JobKind>>) | undefined;
    const report = handle === undefined ? Promise.reject(new Error(`no ${job.kind} here`)) : handle(job);
    report.then(
      (done) => send({ id, report: done }),
      (error: unknown) => send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

export interface Elapsed {
  readonly seconds: number;
  readonly loadShare: number;
}

export function startClock(): () => Elapsed {
  const started = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, loadShare: (user + system) / 1e6 / seconds };
  };
}
