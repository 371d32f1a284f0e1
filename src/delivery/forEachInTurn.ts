/**
 * One after another, so that a user of many boards does not wake them all at once. A failure does not stop the rest and
 * is thrown at the end.
 */
export async function forEachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
