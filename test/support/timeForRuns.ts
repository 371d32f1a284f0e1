/** How long a property is tried, where each run takes a disk or a service. */

/** On a machine that is starved the time may be over within the first run. Fewer runs would try nothing. */
const MIN_RUNS = 3;

/** Says at the beginning of each run whether it takes place. The other runs pass, so that the property counts as tried. */
export function timeForRuns(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  let runs = 0;
  return () => (runs += 1) <= MIN_RUNS || performance.now() < end;
}
