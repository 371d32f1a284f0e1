/** The NATS servers of the settings: whether each answers, and its version. */
import { EXAMINE_MS, JetStream } from '../../../log/jetStream.js';
import { isSufficient, LEAST_SERVER_VERSION } from '../../../log/serverVersion.js';
import { withDeadline } from '../../../partitions/deadline.js';
import { withoutCredentials } from '../../../settings/settingFormats.js';
import { ok, problem, type Finding } from './finding.js';

export interface FoundServer {
  readonly address: string;
  /** Null if it does not answer. */
  readonly version: string | null;
}

export function lookAtServers(urls: readonly string[]): Promise<FoundServer[]> {
  return Promise.all(urls.map(async (url) => ({ address: withoutCredentials(url), version: await versionOf(url) })));
}

/** The addresses of those that do not answer. */
export function silentAmong(servers: readonly FoundServer[]): string[] {
  return servers.filter(({ version }) => version === null).map(({ address }) => address);
}

export function checkServers(servers: readonly FoundServer[]): Finding[] {
  const silent = silentAmong(servers);
  const old = servers.filter(({ version }) => version !== null && !isSufficient(version)).map(({ address, version }) => `${address} has ${version}`);
  const versions = [...new Set(servers.flatMap(({ version }) => version ?? []))];
  return [
    silent.length === 0
      ? ok('servers', `all ${servers.length} of NATS_URL answer`)
      : problem('servers', `${silent.join(', ')} does not answer: start it, or correct NATS_URL`),
    old.length === 0
      ? ok('server versions', versions.join(', ') || 'none answers')
      : problem('server versions', `${old.join(', ')}: upgrade to ${LEAST_SERVER_VERSION} or later, which loses no log when it is killed`),
  ];
}

/** Null if it cannot be reached. */
async function versionOf(url: string): Promise<string | null> {
  const server = new JetStream({ urls: [url], name: 'switchboard doctor', onError: () => undefined });
  try {
    await withDeadline(server.connected(), EXAMINE_MS);
    return server.serverVersion;
  } catch {
    // The deadline is the only failure: attempts are repeated until then.
    return null;
  } finally {
    await server.close();
  }
}
