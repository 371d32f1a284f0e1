/** The fields of a partial update that carry a value: null is one, undefined is as good as absent. */
export function givenFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

export function isEmpty(fields: object): boolean {
  for (const _name in fields) return false;
  return true;
}
