/** A value that may be there already. Cached reads are most of the load, and a promise for each layer cost a third of one. */
export type Answer<Value> = Value | Promise<Value>;

/** Like `then`, without a promise if there is none. */
export function after<Value, Result>(answer: Answer<Value>, next: (value: Value) => Result): Answer<Result> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}
