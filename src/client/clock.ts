/** Time and timers; tests pass their own. */
export interface Clock {
  /** In milliseconds since 1970. */
  now(): number;
  set(callback: () => void, milliseconds: number): unknown;
  clear(handle: unknown): void;
}

export const PLATFORM_CLOCK: Clock = {
  now: () => Date.now(),
  set: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};
