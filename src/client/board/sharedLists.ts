/** Functions on immutable values: each returns a new value, or the given one if nothing changes. */

interface Identified {
  readonly id: string;
}

interface Ranked extends Identified {
  readonly rank: number;
}

interface Created extends Identified {
  readonly created_at: string;
}

type Comparison<T> = (a: T, b: T) => number;

/** The list with `one` in the place of the entry with the same id, or added. */
export function put<T extends Identified>(list: readonly T[], one: T, order: Comparison<T>): readonly T[] {
  return [...without(list, one), one].sort(order);
}

export function without<T extends Identified>(list: readonly T[], { id }: Identified): readonly T[] {
  return list.some((each) => each.id === id) ? list.filter((each) => each.id !== id) : list;
}

export function mapped<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((each, index) => each === list[index]) ? list : changed;
}

export function withField<T, Field extends keyof T>(value: T, field: Field, content: T[Field]): T {
  return value[field] === content ? value : { ...value, [field]: content };
}

/** The order by rank; equal ranks are ordered by id, as in the service. */
export function byRank(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || compare(a.id, b.id);
}

export function byCreation(a: Created, b: Created): number {
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

export function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
