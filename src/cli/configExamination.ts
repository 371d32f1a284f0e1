/** Looks at what a start of the service would need: this Node, and the certificate, folder, address and NATS of the settings. */
import { AppError, UnsupportedHost } from '../domain/errors.js';
import { withoutCredentials } from '../settings/settingFormats.js';
import type { Settings } from '../settings/settings.js';
import { requireSupportedHost } from './supportedHost.js';

/** Each says what, where and what to do. A warning prevents no start. */
export interface Examination {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const NOTHING: Examination = { problems: [], warnings: [] };

/** Settings that are themselves invalid are missing, and what depends on them is not examined. */
export async function examine(settings: Partial<Settings>): Promise<Examination> {
  const unsupported = await host();
  // Nothing else matters to a Node that cannot run the service, and it may not load what the rest needs.
  if (unsupported.problems.length > 0) return unsupported;
  const all = await Promise.all([certificate(settings), folder(settings), address(settings), nats(settings)]);
  return { problems: all.flatMap(({ problems }) => problems), warnings: all.flatMap(({ warnings }) => warnings) };
}

async function host(): Promise<Examination> {
  try {
    await requireSupportedHost();
    return NOTHING;
  } catch (error) {
    if (!(error instanceof UnsupportedHost)) throw error;
    return { problems: [error.message], warnings: [] };
  }
}

async function certificate({ tlsCertFile, tlsKeyFile }: Partial<Settings>): Promise<Examination> {
  if (!tlsCertFile || !tlsKeyFile) return NOTHING;
  const { checkCertificate, findCertificateFlaw } = await import('../http/certificate.js');
  try {
    const flaw = findCertificateFlaw(checkCertificate({ certFile: tlsCertFile, keyFile: tlsKeyFile }), new Date());
    return flaw === null ? NOTHING : { problems: [], warnings: [`TLS_CERT_FILE (${tlsCertFile}): ${flaw}.`] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { problems: [`${error.message}.`], warnings: [] };
  }
}

async function folder({ dataDir, shards }: Partial<Settings>): Promise<Examination> {
  if (dataDir === undefined || shards === undefined) return NOTHING;
  const { findFolderProblems } = await import('../store/folder/examineFolder.js');
  const problems = findFolderProblems(dataDir, shards).map((problem) => `DATA_DIR: ${problem.replace(/\.$/, '')}.`);
  return { problems, warnings: [] };
}

async function address({ host, port }: Partial<Settings>): Promise<Examination> {
  if (host === undefined || port === undefined) return NOTHING;
  const { findListenFault } = await import('../http/listenFault.js');
  const fault = await findListenFault(host, port);
  // The service itself may be running.
  if (fault === null || fault.code === 'EADDRINUSE') return NOTHING;
  return { problems: [`HOST, PORT: ${fault.text}.`], warnings: [] };
}

async function nats({ natsUrl, replication }: Partial<Settings>): Promise<Examination> {
  if (!natsUrl) return NOTHING;
  const { examineServer } = await import('../nats/examineServer.js');
  const { isSufficient, LEAST_SERVER_VERSION } = await import('../log/serverVersion.js');
  const faults: string[] = [];
  let usable = 0;
  for (const url of natsUrl) {
    const server = `NATS_URL: the server ${withoutCredentials(url)}`;
    const found = await examineServer(url);
    if (found.state === 'down') faults.push(`${server} does not answer (${found.reason}). Start it, or correct the address.`);
    else if (found.state === 'refused') faults.push(`${server} refuses these credentials. Correct the user and the password, or the token.`);
    else if (replication === 'jetstream' && !isSufficient(found.version)) {
      faults.push(`${server} has version ${found.version}. Upgrade it to ${LEAST_SERVER_VERSION} or later, which loses no log when it is killed.`);
    } else if (replication === 'jetstream' && !found.hasJetStream) {
      faults.push(`${server} offers no JetStream to this account, which REPLICATION=jetstream needs. Enable it, see deploy/nats-cluster.conf.`);
    } else usable += 1;
  }
  // The service uses any server that works.
  return usable === 0 ? { problems: faults, warnings: [] } : { problems: [], warnings: faults };
}
