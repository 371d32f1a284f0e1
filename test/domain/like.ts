import type { Test } from 'tap';

/**
 * Objects may have more fields than the pattern, but lists have exactly its elements: a superfluous event or assignee
 * must fail a test, and tap's own `match` accepts it.
 */
export function like(t: Test, found: unknown, pattern: unknown, message = 'is like the pattern'): void {
  t.strictSame(projected(found, pattern), pattern, message);
}

/** The parts that the pattern names, and those that it does not cover. */
function projected(found: unknown, pattern: unknown): unknown {
  if (pattern instanceof RegExp) return typeof found === 'string' && pattern.test(found) ? pattern : found;
  if (Array.isArray(pattern)) {
    if (!Array.isArray(found)) return found;
    return found.map((element, index) => (index < pattern.length ? projected(element, pattern[index]) : element));
  }
  if (!isObject(pattern) || !isObject(found)) return found;
  const named = Object.entries(pattern).filter(([field]) => field in found);
  return Object.fromEntries(named.map(([field, wanted]) => [field, projected(found[field], wanted)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
