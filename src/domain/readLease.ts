/** How long a successor waits for the lease under which an owner answers reads from memory. Both must agree on it. */

/** Clocks of machines may run up to a tenth faster or slower than each other. */
export const CLOCK_MARGIN = 1.1;

/**
 * Programs whose record of ownership names no lease had this one by default. This program grants itself no longer one while
 * such a program lives: that one waits for what it is set to, and cannot read the record.
 */
export const FORMER_LEASE_MS = 2_000;

/** The lease of an owner: what its record says, or the longest that it may have if an older program wrote or stored it. */
export function leaseOf({ leaseMs }: { readonly leaseMs: number | null }, ownLeaseMs: number): number {
  return leaseMs ?? Math.max(ownLeaseMs, FORMER_LEASE_MS);
}

/** Whether the lease of an owner whose last record was seen then has surely ended. */
export function hasLeaseEnded(leaseMs: number, seenAt: number, now: number): boolean {
  return now - seenAt > leaseMs * CLOCK_MARGIN;
}
