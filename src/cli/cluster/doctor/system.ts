/** What only the system account of NATS shows of each server: whether it stores, and flushes every record, its space, and its logs. */
import type { JetStream } from '../../../log/jetStream.js';
import { boundsOf, type StreamInfo } from '../../../log/jetStreamLog.js';
import type { LogBounds } from '../../../log/logStream.js';
import { withLogServer } from '../../../replication/logServer.js';
import { notProven, ok, problem, type Finding } from './finding.js';
import { megabytes } from './logs.js';

/** Of the space that a server may use. A server without space refuses changes. */
const FULL_SHARE = 0.8;
/** Records and purges reach all servers long before that. */
const LOOKS_APART_MS = 2_000;

/** The parts of a server's report that are read here. */
export interface ServerReport {
  readonly name: string;
  /** It runs and stores nothing: JetStream switches itself off when a write fails for want of space. */
  readonly isDisabled: boolean;
  readonly syncAlways: boolean;
  readonly usedBytes: number;
  readonly maxBytes: number;
  /** The first and the last record that the server itself has, by the name of the stream. */
  readonly logs: ReadonlyMap<string, LogBounds>;
}

/** What all servers say at two times: what is on its way at the first is there at the second. */
export interface SystemView {
  readonly before: readonly ServerReport[];
  readonly after: readonly ServerReport[];
}

interface Jsz {
  readonly server?: { readonly name?: string };
  readonly data?: {
    readonly disabled?: boolean;
    readonly config?: { readonly sync_always?: boolean; readonly max_storage?: number };
    readonly storage?: number;
    readonly account_details?: ReadonlyArray<{
      readonly stream_detail?: ReadonlyArray<Pick<StreamInfo, 'config' | 'state'> & { readonly name: string }>;
    }>;
  };
}

const ADVICE = 'set NATS_SYSTEM_URL to a user of the system account, as deploy/nats-cluster.conf has';
export const WITHOUT_SYSTEM: readonly Finding[] = ['JetStream', 'flushes', 'space in NATS'].map((check) => notProven(check, ADVICE));

/** Null without a system user. */
export async function lookAtSystem(urls: readonly string[] | null): Promise<SystemView | null> {
  if (urls === null) return null;
  return withLogServer(urls, async (server) => {
    const before = await reportsOf(server);
    await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
    return { before, after: await reportsOf(server, before.length) };
  });
}

async function reportsOf(server: JetStream, servers?: number): Promise<ServerReport[]> {
  const question = { accounts: true, streams: true, config: true };
  return (await server.requestAll('$SYS.REQ.SERVER.PING.JSZ', question, servers)).map(parseReport);
}

export function judgeReports(reports: readonly ServerReport[], servers: number): Finding[] {
  const disabled = reports.filter(({ isDisabled }) => isDisabled).map(({ name }) => name);
  const working = reports.filter(({ isDisabled }) => !isDisabled);
  const loose = working.filter(({ syncAlways }) => !syncAlways).map(({ name }) => name);
  const full = working.filter(({ usedBytes, maxBytes }) => usedBytes > maxBytes * FULL_SHARE).map(({ name }) => name);
  const names = reports.map(({ name }) => name).join(', ') || 'none';
  const few = `of ${servers} servers ${reports.length} report: ${names}. Start the others: \`systemctl start nats-cluster\` there`;
  const most = [...working].sort((a, b) => b.usedBytes / b.maxBytes - a.usedBytes / a.maxBytes)[0];
  return [
    disabled.length > 0
      ? problem(
          'JetStream',
          `${disabled.join(', ')} runs and stores nothing: JetStream is off, as after its disk was full. Make room on the disk of its logs, and run \`systemctl restart nats-cluster\` there`,
        )
      : ok('JetStream', `on, on ${names}`),
    loose.length > 0
      ? problem(
          'flushes',
          `${loose.join(', ')} acknowledges records before they are on disk. Set \`sync_interval: always\` there, and run \`systemctl restart nats-cluster\``,
        )
      : reports.length < servers
        ? problem('flushes', few)
        : ok('flushes', `${working.length} servers flush every record before they acknowledge it`),
    full.length > 0
      ? problem('space in NATS', `${full.join(', ')} has used more than four fifths. Raise \`max_file_store\`, or add a disk`)
      : most === undefined
        ? notProven('space in NATS', 'no server that stores records reports')
        : ok('space in NATS', `at most ${megabytes(most.usedBytes)} of ${megabytes(most.maxBytes)} are used`),
  ];
}

export function parseReport(answer: Uint8Array): ServerReport {
  const { server, data } = JSON.parse(Buffer.from(answer).toString()) as Jsz;
  const streams = (data?.account_details ?? []).flatMap(({ stream_detail }) => stream_detail ?? []);
  return {
    name: server?.name ?? 'a server without a name',
    isDisabled: data?.disabled === true,
    syncAlways: data?.config?.sync_always === true,
    usedBytes: data?.storage ?? 0,
    maxBytes: data?.config?.max_storage ?? 0,
    logs: new Map(streams.map((stream) => [stream.name, boundsOf(stream)])),
  };
}
