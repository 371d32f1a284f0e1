/** Runs sliced work to its end at once. */
export function toEnd<Value>(slices: Generator<undefined, Value>): Value {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

/** Records removed or changed in one commit: two milliseconds. */
export const MAX_AT_ONCE = 200;
