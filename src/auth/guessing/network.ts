/** What counts as one client for limits per address. */
import { isIPv6 } from 'node:net';

/** No address is longer; behind a proxy that allows it, a client may claim any text. */
const MAX_ADDRESS_CHARACTERS = 64;

/** An IPv6 customer has at least a /64, so a /64 counts as one. */
export function networkOf(address: string): string {
  return networkOfGroups(address, 4);
}

/** Providers assign whole /48s: 65,536 networks for one guesser. */
export function siteOf(address: string): string {
  return networkOfGroups(address, 3);
}

function networkOfGroups(address: string, kept: number): string {
  const [bare = ''] = address.trim().slice(0, MAX_ADDRESS_CHARACTERS).split('%');
  if (!isIPv6(bare)) return bare;
  const groups = ipv6Groups(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMappedIPv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMappedIPv4) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups
    .slice(0, kept)
    .map((group) => group.toString(16))
    .join(':')}::/${kept * 16}`;
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const [head = [], tail] = address.split('::').map(groupsOf);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsOf(part: string): number[] {
  return part.split(':').flatMap((group) => {
    if (group === '') return [];
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
