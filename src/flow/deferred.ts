/** A promise that is settled from outside. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;

  constructor() {
    let settle: (value: T) => void = () => undefined;
    let fail: (reason: unknown) => void = () => undefined;
    this.promise = new Promise((resolve, reject) => ([settle, fail] = [resolve, reject]));
    this.resolve = (value) => settle(value);
    this.reject = (reason) => fail(reason);
  }
}
