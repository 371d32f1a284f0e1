/** What can be done in slices, done in one go. */
export function toEnd<Value>(slices: Generator<undefined, Value>): Value {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}
