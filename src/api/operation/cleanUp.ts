/** Undoes the first steps of a request that was refused. */
import type { Services } from './operation.js';

/**
 * Never rejects: the caller must get the refusal itself. A failure goes to the log; what stays behind is found later, by
 * the sweep of the shard or by the directory.
 */
export async function cleanUp({ report }: Pick<Services, 'report'>, task: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report(error, `a refused request was not cleaned up: ${task}`);
  }
}
