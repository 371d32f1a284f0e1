/**
 * One item after another, so that a user of many boards does not wake them all at once, and each in a step of its own,
 * until `isEnough`. A failure does not stop the rest and is thrown at the end.
 */
export async function* stepForEach<T>(
  items: readonly T[],
  work: (item: T) => AsyncGenerator<void>,
  isEnough: () => boolean = () => false,
): AsyncGenerator<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    if (isEnough()) break;
    try {
      yield* work(item);
    } catch (error) {
      failures.push(error);
    }
    yield;
  }
  if (failures.length > 0) throw failures[0];
}
