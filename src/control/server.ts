/**
 * The service's end of the control socket, which only the service's own user and root can open. It asks the same
 * directory as the HTTP API, so the running service sees an operator's change at once.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, rename, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Diagnosis } from '../cluster/diagnosis.js';
import type { ComparedCopy } from '../cluster/verification.js';
import type { AuditEntry } from '../domain/audit.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import { removeDeadSockets } from './client.js';
import { createControlFolder, socketName } from './location.js';
import type { Overview } from './overview.js';
import { CLUSTER, linesOf, MAX_REQUEST_CHARACTERS, OVERVIEW, parseRequest, SNAPSHOT, type ControlReply } from './protocol.js';

/** Operators are few; more connections than this are a faulty script. */
const MAX_CONNECTIONS = 16;

export interface ControlOptions {
  readonly dataDir: string;
  readonly directory: DirectoryPort;
  readonly overview: () => Overview;
  /** Resolves with the last record in the snapshot. */
  readonly takeSnapshot: (partition: string) => Promise<number>;
  /** Null if nothing is replicated. */
  readonly cluster: ClusterControl | null;
  /** Gets the operator's entries, which the directory already has. */
  readonly audit: { writeToFile(entry: AuditEntry): void };
  readonly log: Logger;
}

/** What an operator asks of one instance of a cluster of several machines. */
export interface ClusterControl {
  /** Compares the copies of this instance with those of the others. */
  verify(): Promise<readonly ComparedCopy[]>;
  diagnose(): Promise<Diagnosis>;
  /** Resolves when other instances own everything. */
  drain(): Promise<void>;
  undrain(): Promise<void>;
}

export interface Control {
  close(): Promise<void>;
}

export async function startControl(options: ControlOptions): Promise<Control> {
  const { dataDir, log } = options;
  const folder = await createControlFolder(dataDir);
  await removeDeadSockets(dataDir);
  const path = join(folder, socketName(process.pid, randomBytes(4).toString('hex')));
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    void serve(socket, options);
  });
  server.maxConnections = MAX_CONNECTIONS;

  // A socket gets its final name only once it listens. So a name without a listener belongs to a dead process, and any
  // process may remove it.
  const unready = path.replace(/\.sock$/, '.new');
  server.listen(unready);
  await once(server, 'listening');
  server.on('error', (error) => log.error({ err: error }, 'the control socket could not accept a connection'));
  await chmod(unready, 0o600);
  await rename(unready, path);

  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await Promise.all([closed, rm(path, { force: true })]);
    },
  };
}

async function serve(socket: Socket, options: ControlOptions): Promise<void> {
  // Without a listener a connection reset would be an uncaught exception; reading the lines reports it too.
  socket.on('error', () => undefined);
  try {
    for await (const line of linesOf(socket, MAX_REQUEST_CHARACTERS)) {
      send(socket, await answerTo(line, options));
    }
    socket.end();
  } catch (error) {
    if (error instanceof AppError) {
      send(socket, { ok: false, error: error.toData() });
      socket.destroySoon();
    } else {
      options.log.debug({ err: error }, 'a control connection failed');
      socket.destroy();
    }
  }
}

async function answerTo(line: string, options: ControlOptions): Promise<ControlReply> {
  const { directory, overview, takeSnapshot, cluster, log } = options;
  try {
    const request = parseRequest(line);
    if (request.op === OVERVIEW) return { ok: true, value: overview() };
    if (request.op === SNAPSHOT) return { ok: true, value: await takeSnapshot(request.input.partition) };
    if (request.op === CLUSTER) {
      if (cluster === null) throw new AppError('conflict', 'The running service was started without REPLICATION=jetstream.');
      return { ok: true, value: (await cluster[request.input.operation]()) ?? null };
    }
    const value = await directory.ask(request.op, request.input, request.audit);
    const entries = request.op === 'audit.add' ? request.input.entries : value !== 'none' && request.audit !== undefined ? [request.audit] : [];
    for (const entry of entries) options.audit.writeToFile(entry);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error: error.toData() };
    log.error({ err: error }, 'a control command failed');
    return { ok: false, error: INTERNAL_ERROR };
  }
}

function send(socket: Socket, answer: ControlReply): void {
  if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
}
