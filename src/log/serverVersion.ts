/** Earlier servers lose whole streams when they are killed, or do not know how to flush each record. */
export const LEAST_SERVER_VERSION = '2.10.23';

export function isSufficient(version: string): boolean {
  const [actual, least] = [numbersOf(version), numbersOf(LEAST_SERVER_VERSION)];
  for (const [index, number] of least.entries()) {
    const own = actual[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

function numbersOf(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}
