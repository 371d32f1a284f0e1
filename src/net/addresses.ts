/** Which addresses a URL of a user may lead to. An address is compared in its canonical form: 16 bytes, or 4 for IPv4. */
import { isIP } from 'node:net';

type Bytes = readonly number[];

interface Network {
  readonly bytes: Bytes;
  readonly prefix: number;
}

/** Not of the public internet, by the registries of special-purpose addresses. */
const FORBIDDEN = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by providers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local: metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
].map(parseNetwork);

/** Outside of it are loopback, private, link-local, multicast and translated addresses. */
const GLOBAL_UNICAST = parseNetwork('2000::/3');

/** IPv4 addresses inside of IPv6: the address that is reached is the inner one, in the last four bytes. */
const EMBEDDED = [
  '::ffff:0:0/96', // mapped: the operating system speaks IPv4
  '64:ff9b::/96', // NAT64: a gateway does
].map(parseNetwork);

export class AddressGuard {
  readonly #allowed: readonly Network[];

  /** `allowed`: addresses and networks in CIDR form that may be reached although they are not public. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed.map(parseNetwork);
  }

  /** Whether an address, as text, may be reached. */
  permits(address: string): boolean {
    const [bare = ''] = address.split('%');
    if (isIP(bare) === 0) return false;
    const bytes = canonical(parseAddress(bare));
    return this.#allowed.some((network) => contains(network, bytes)) || isPublic(bytes);
  }
}

function canonical(bytes: Bytes): Bytes {
  return EMBEDDED.some((network) => contains(network, bytes)) ? bytes.slice(-4) : bytes;
}

/** Other translations, such as 6to4, need a gateway that no receiver has: they are not public. */
function isPublic(bytes: Bytes): boolean {
  if (bytes.length === 16 && !contains(GLOBAL_UNICAST, bytes)) return false;
  return !FORBIDDEN.some((network) => contains(network, bytes));
}

function contains({ bytes, prefix }: Network, address: Bytes): boolean {
  if (bytes.length !== address.length) return false;
  for (let bit = 0; bit < prefix; bit += 8) {
    const mask = prefix - bit >= 8 ? 0xff : 0xff << (8 - (prefix - bit));
    if (((bytes[bit / 8] ?? 0) & mask) !== ((address[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}

function parseNetwork(text: string): Network {
  const [address = '', prefix] = text.split('/');
  const bytes = parseAddress(address);
  return { bytes, prefix: prefix === undefined ? bytes.length * 8 : Number(prefix) };
}

/** Of a valid address. */
function parseAddress(text: string): Bytes {
  if (isIP(text) === 4) return text.split('.').map(Number);
  const [head = [], tail] = text.split('::').map(groupsOf);
  const groups = tail === undefined ? head : [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(part: string): number[] {
  return part.split(':').flatMap((group) => {
    if (group === '') return [];
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
