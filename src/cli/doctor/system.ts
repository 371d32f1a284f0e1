/** What only the system account of NATS shows: whether each server flushes every record, and its space. */
import { withLogServer } from '../../replication/logServer.js';
import { notProven, ok, problem, type Finding } from './finding.js';
import { megabytes } from './logs.js';

/** Of the space that a server may use. A server without space refuses changes. */
const FULL_SHARE = 0.8;

/** The parts of a server's report that are read here. */
export interface ServerReport {
  readonly name: string;
  readonly syncAlways: boolean;
  readonly usedBytes: number;
  readonly maxBytes: number;
}

interface Varz {
  readonly data?: {
    readonly server_name?: string;
    readonly jetstream?: {
      readonly config?: { readonly sync_always?: boolean; readonly max_storage?: number };
      readonly stats?: { readonly storage?: number };
    };
  };
}

/** `servers`: how many have logs. */
export async function checkSystem(urls: readonly string[] | null, servers: number): Promise<Finding[]> {
  const advice = 'set NATS_SYSTEM_URL to a user of the system account, and see `sync_interval: always` in deploy/nats-cluster.conf';
  if (urls === null) return [notProven('flushes', advice), notProven('space in NATS', advice)];
  let reports: ServerReport[];
  try {
    const answers = await withLogServer(urls, (server) => server.requestAll('$SYS.REQ.SERVER.PING.VARZ'));
    reports = answers.map(parseReport);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem('flushes', `the servers of NATS_SYSTEM_URL cannot be asked: ${reason} Correct the setting`)];
  }
  return judgeReports(reports, servers);
}

export function judgeReports(reports: readonly ServerReport[], servers: number): Finding[] {
  const loose = reports.filter(({ syncAlways }) => !syncAlways).map(({ name }) => name);
  const full = reports.filter(({ usedBytes, maxBytes }) => usedBytes > maxBytes * FULL_SHARE).map(({ name }) => name);
  const few = `only ${reports.length} of ${servers} servers report. Start the others`;
  const most = [...reports].sort((a, b) => b.usedBytes / b.maxBytes - a.usedBytes / a.maxBytes)[0];
  return [
    loose.length > 0
      ? problem('flushes', `${loose.join(', ')} acknowledges records before they are on disk. Set \`sync_interval: always\` and restart it`)
      : reports.length < servers
        ? problem('flushes', few)
        : ok('flushes', `${reports.length} servers flush every record before they acknowledge it`),
    full.length > 0
      ? problem('space in NATS', `${full.join(', ')} has used more than four fifths. Raise \`max_file_store\`, or add a disk`)
      : most === undefined
        ? problem('space in NATS', few)
        : ok('space in NATS', `at most ${megabytes(most.usedBytes)} of ${megabytes(most.maxBytes)} are used`),
  ];
}

function parseReport(answer: Uint8Array): ServerReport {
  const { data } = JSON.parse(Buffer.from(answer).toString()) as Varz;
  const { config, stats } = data?.jetstream ?? {};
  return {
    name: data?.server_name ?? 'a server without a name',
    syncAlways: config?.sync_always === true,
    usedBytes: stats?.storage ?? 0,
    maxBytes: config?.max_storage ?? 0,
  };
}
