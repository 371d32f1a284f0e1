/**
 * The addresses of names that users choose. The system resolves two names at a time for the whole process, and a nameserver that is
 * silent holds each of them for seconds: mail and single sign-on would wait for it. So names are asked for over the network, which has
 * no such queue. What the operator names is left to the system: names in the hosts file, and names without a dot.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

export interface NamesOptions {
  /** Default: those of the system. */
  readonly nameservers?: readonly string[];
  readonly hostsFile?: string;
}

const HOSTS_FILE = '/etc/hosts';
/** Of the first of two tries, at each nameserver; the second one may take twice as long. */
const TRY_MS = 2_000;
const TRIES = 2;
/** Of both together, however many nameservers there are: less than a request may take. */
const LOOKUP_MS = 8_000;

export class Names {
  readonly #nameservers: readonly string[] | null;
  readonly #hostsFile: string;

  constructor({ nameservers, hostsFile = HOSTS_FILE }: NamesOptions = {}) {
    this.#nameservers = nameservers ?? null;
    this.#hostsFile = hostsFile;
  }

  /** Rejects if there is none. */
  async addressesOf(name: string): Promise<readonly string[]> {
    if (!name.includes('.') || (await this.#isInHostsFile(name))) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    }
    // Each has its own, so that none waits for another.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.#nameservers !== null) resolver.setServers(this.#nameservers);
    const timer = setTimeout(() => resolver.cancel(), LOOKUP_MS);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(timer);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [failure] = found.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    if (addresses.length === 0 && failure !== undefined) throw failure;
    return addresses;
  }

  async #isInHostsFile(name: string): Promise<boolean> {
    return (await this.#readHosts()).split('\n').some((line) => {
      const [, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
      return names.includes(name.toLowerCase());
    });
  }

  async #readHosts(): Promise<string> {
    try {
      return await readFile(this.#hostsFile, 'utf8');
    } catch (error) {
      // A small container may have none.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    }
  }
}
