/** NATS elects for 4 to 9 seconds after a hard loss; on a busy machine everything takes several times as long. */
const PATIENCE_MS = 90_000;
const RETRY_MS = 100;

/** Repeats an attempt until it succeeds. After a long time its failure is thrown. */
export async function untilResolved<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
