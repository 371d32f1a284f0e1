/** Judges what clients of an append-only list saw against the copies that are left in the end. */

export interface Write {
  readonly value: number;
  readonly startedAt: number;
  endedAt: number;
  /** `pending`: its client never got an answer. */
  outcome: 'stored' | 'refused' | 'unknown' | 'pending';
}

export interface Read {
  readonly values: readonly number[];
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface History {
  readonly writes: Write[];
  readonly reads: Read[];
}

export function judge({ writes, reads }: History, copies: readonly (readonly number[])[]): string[] {
  const problems: string[] = [];
  const final = copies[0] ?? [];
  for (const [index, copy] of copies.entries()) {
    if (copy.join() !== final.join()) problems.push(`copy ${index} differs: ${copy.length} values instead of ${final.length}`);
  }
  const place = new Map<number, number>();
  for (const [index, value] of final.entries()) {
    if (place.has(value)) problems.push(`write ${value} is there twice`);
    place.set(value, index);
  }
  for (const { value, outcome } of writes) {
    if (outcome === 'stored' && !place.has(value)) problems.push(`write ${value} was acknowledged and is lost`);
    if (outcome === 'refused' && place.has(value)) problems.push(`write ${value} was refused and is there`);
  }
  return [...problems, ...judgeReads(writes, reads, final, place)];
}

function judgeReads(writes: readonly Write[], reads: readonly Read[], final: readonly number[], place: ReadonlyMap<number, number>): string[] {
  const problems: string[] = [];
  /** What everyone who starts after `at` must see. */
  const known = [
    ...writes.filter(({ outcome }) => outcome === 'stored').map(({ value, endedAt }) => ({ at: endedAt, length: (place.get(value) ?? -1) + 1 })),
    ...reads.map(({ values, endedAt }) => ({ at: endedAt, length: values.length })),
  ].sort((a, b) => a.at - b.at);
  let [next, required] = [0, 0];
  for (const { values, startedAt } of [...reads].sort((a, b) => a.startedAt - b.startedAt)) {
    for (; next < known.length && (known[next]?.at ?? 0) < startedAt; next += 1) required = Math.max(required, known[next]?.length ?? 0);
    if (values.length < required) problems.push(`a stale read at ${startedAt}: ${values.length} of ${required} values`);
    if (values.some((value, index) => final[index] !== value)) problems.push(`a read at ${startedAt} of values that never were`);
  }
  return problems;
}
