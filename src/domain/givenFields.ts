/** The fields of a partial update that have a value: null is a value, undefined counts as absent. */
export function givenFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

export function isEmpty(fields: object): boolean {
  for (const _name in fields) return false;
  return true;
}
