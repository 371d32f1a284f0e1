/**
 * A clock that all processes of one machine share, in milliseconds. It is not the time of day, which can be set: a batch
 * would then look late, or one that was sent long ago would look fresh.
 */
export function machineNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
