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
import type { DirectoryCommand, DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import { removeDeadSockets } from './client.js';
import { DocumentExchange } from './documentExchange.js';
import { createControlFolder, socketName } from './location.js';
import type { OperatorPort } from './operatorPort.js';
import type { Overview } from './overview.js';
import {
  CLUSTER,
  DELETE_USER,
  EXPORT,
  FINISH,
  IMPORT,
  linesOf,
  MAX_REQUEST_CHARACTERS,
  OVERVIEW,
  parseRequest,
  PUSH,
  READ,
  SNAPSHOT,
  type ControlReply,
  type ControlRequest,
} from './protocol.js';

/** Operators are few; more connections than this are a faulty script. */
const MAX_CONNECTIONS = 16;

export interface ControlOptions {
  readonly dataDir: string;
  readonly directory: DirectoryPort;
  readonly operator: OperatorPort;
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
  const documents = new DocumentExchange(options.operator);
  try {
    for await (const line of linesOf(socket, MAX_REQUEST_CHARACTERS)) {
      send(socket, await answerTo(line, options, documents));
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
  } finally {
    documents.abandon();
  }
}

async function answerTo(line: string, options: ControlOptions, documents: DocumentExchange): Promise<ControlReply> {
  try {
    return { ok: true, value: (await carryOut(parseRequest(line), options, documents)) ?? null };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error: error.toData() };
    options.log.error({ err: error }, 'a control command failed');
    return { ok: false, error: INTERNAL_ERROR };
  }
}

function carryOut(request: ControlRequest, options: ControlOptions, documents: DocumentExchange): unknown {
  const { operator, overview, takeSnapshot, cluster } = options;
  switch (request.op) {
    case OVERVIEW:
      return overview();
    case SNAPSHOT:
      return takeSnapshot(request.input.partition);
    case CLUSTER:
      if (cluster === null) throw new AppError('conflict', 'The running service was started without REPLICATION=jetstream.');
      return cluster[request.input.operation]();
    case DELETE_USER:
      return operator.deleteUser(request.input.id, request.input.heir_id);
    case EXPORT:
      return documents.beginExport(request.input.board_id);
    case READ:
      return documents.read(request.input.from, request.input.to);
    case IMPORT:
      return documents.beginImport(request.input.owner_id);
    case PUSH:
      return documents.push(request.input.content);
    case FINISH:
      return documents.finishImport();
    default:
      return askDirectory(request, options);
  }
}

async function askDirectory(request: DirectoryCommand, { directory, audit }: ControlOptions): Promise<unknown> {
  const value = await directory.ask(request.op, request.input, request.audit);
  const own = request.audit === undefined || value === 'none' ? [] : [request.audit];
  for (const entry of request.op === 'audit.add' ? request.input.entries : own) audit.writeToFile(entry);
  return value;
}

function send(socket: Socket, answer: ControlReply): void {
  if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
}
