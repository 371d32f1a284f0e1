/**
 * Reports an error that repeats itself once a minute. While a machine is cut off every log fails several times a second in
 * the same way, and what matters would be lost in the log of the service.
 */
const REPEAT_MS = 60_000;
/** Messages are ours or NATS's: few. More means that they contain something that varies. */
const MAX_KNOWN = 100;

interface Known {
  readonly reportedAt: number;
  unreported: number;
}

/** `now`: monotonic, in milliseconds. */
export function withoutRepetition(report: (error: unknown) => void, now: () => number): (error: unknown) => void {
  const known = new Map<string, Known>();
  return (error) => {
    const text = String(error);
    const earlier = known.get(text);
    const time = now();
    if (earlier !== undefined && time - earlier.reportedAt < REPEAT_MS) {
      earlier.unreported += 1;
      return;
    }
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, { reportedAt: time, unreported: 0 });
    const repetitions = earlier?.unreported ?? 0;
    report(repetitions === 0 ? error : new Error(`${text} (and ${repetitions} times before)`, { cause: error }));
  };
}
