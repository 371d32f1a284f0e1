/**
 * HTTP over a socket in the data folder, which only the service's own user and root can open. It asks the same directory as
 * the HTTP API, so the running service sees an operator's change at once.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { statusOf } from '../api/operation/statuses.js';
import type { Diagnosis } from '../cluster/diagnosis.js';
import type { ComparedCopy } from '../cluster/verification.js';
import type { AuditEntry } from '../domain/audit.js';
import type { DirectoryCommand, DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError, INTERNAL_ERROR, type ErrorData } from '../domain/errors.js';
import { removeDeadSockets } from './client.js';
import {
  CLUSTER,
  DELETE_USER,
  EXPORT_PATH,
  idIn,
  IMPORT_PATH,
  OPERATOR_PATH,
  OVERVIEW,
  parseCommand,
  SNAPSHOT,
  type OperatorCommand,
  type Overview,
} from './commands.js';
import { createControlFolder, socketName } from './location.js';
import { documentTooLarge, type OperatorPort, type SentDocument } from './operatorPort.js';

/** Operators are few; more connections than this are a faulty script. */
const MAX_CONNECTIONS = 16;
/** The largest command is a user with every field at its maximum, about 5 KB. */
const MAX_COMMAND_BYTES = 64 * 1024;

export interface OperatorServerOptions {
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
  /** Compares the copies of all instances with the own ones. */
  verify(): Promise<readonly ComparedCopy[]>;
  diagnose(): Promise<Diagnosis>;
  /** Resolves when other instances own everything. */
  drain(): Promise<void>;
  undrain(): Promise<void>;
}

export interface OperatorServer {
  close(): Promise<void>;
}

export async function startOperatorServer(options: OperatorServerOptions): Promise<OperatorServer> {
  const { dataDir, log } = options;
  const folder = await createControlFolder(dataDir);
  await removeDeadSockets(dataDir);
  const path = join(folder, socketName(process.pid, randomBytes(4).toString('hex')));
  // A large document takes longer than a request may take that comes from anywhere.
  const server = createServer({ requestTimeout: 0 }, (request, response) => void serve(request, response, options));
  server.maxConnections = MAX_CONNECTIONS;

  // A socket gets its final name only once it listens. So a name without a listener belongs to a dead process, and any
  // process may remove it.
  const unready = path.replace(/\.sock$/, '.new');
  server.listen(unready);
  await once(server, 'listening');
  server.on('error', (error) => log.error({ err: error }, 'the operator socket could not accept a connection'));
  await chmod(unready, 0o600);
  await rename(unready, path);

  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, rm(path, { force: true })]);
    },
  };
}

/** Never rejects. */
async function serve(request: IncomingMessage, response: ServerResponse, options: OperatorServerOptions): Promise<void> {
  try {
    await answer(request, response, options);
  } catch (error) {
    if (!(error instanceof AppError)) options.log.error({ err: error }, 'a command of the operator failed');
    // Half a document that was sent cannot be taken back.
    if (response.headersSent) response.destroy();
    else refuse(response, error instanceof AppError ? error.toData() : INTERNAL_ERROR);
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, options: OperatorServerOptions): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'GET' && url.startsWith(EXPORT_PATH)) {
    const document = await options.operator.exportBoard(idIn(url, EXPORT_PATH));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': document.size });
    await pipeline(Readable.from(document.pieces(), { objectMode: false }), response);
  } else if (method === 'POST' && url.startsWith(IMPORT_PATH)) {
    sendJson(response, 200, await options.operator.importBoard(idIn(url, IMPORT_PATH), documentIn(request)));
  } else if (method === 'POST' && url.startsWith(OPERATOR_PATH)) {
    const command = parseCommand(url.slice(OPERATOR_PATH.length), await readJson(request));
    sendJson(response, 200, JSON.stringify((await carryOut(command, options)) ?? null));
  } else {
    throw new AppError('not_found', `There is no ${method} ${url}`);
  }
}

function carryOut(command: OperatorCommand, options: OperatorServerOptions): unknown {
  const { operator, overview, takeSnapshot, cluster } = options;
  switch (command.op) {
    case OVERVIEW:
      return overview();
    case SNAPSHOT:
      return takeSnapshot(command.input.partition);
    case CLUSTER:
      if (cluster === null) throw new AppError('conflict', 'The running service was started without REPLICATION=jetstream.');
      return cluster[command.input.operation]();
    case DELETE_USER:
      return operator.deleteUser(command.input.id, command.input.heir_id);
    default:
      return askDirectory(command, options);
  }
}

async function askDirectory(command: DirectoryCommand, { directory, audit }: OperatorServerOptions): Promise<unknown> {
  const value = await directory.ask(command.op, command.input, command.audit);
  const own = command.audit === undefined || value === 'none' ? [] : [command.audit];
  for (const entry of command.op === 'audit.add' ? command.input.entries : own) audit.writeToFile(entry);
  return value;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  const tooLarge = (): string => `A command has at most ${MAX_COMMAND_BYTES} bytes`;
  await receive(request, MAX_COMMAND_BYTES, tooLarge, async (bytes) => void pieces.push(bytes));
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch (cause) {
    throw new AppError('malformed', 'The body is not JSON', { cause });
  }
}

function documentIn(request: IncomingMessage): SentDocument {
  return { receive: (maxBytes, onChunk) => receive(request, maxBytes, documentTooLarge, onChunk) };
}

/** Each piece is taken when the one before it is dealt with. */
async function receive(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: (maxBytes: number) => string,
  onChunk: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let received = 0;
  try {
    // The connection survives a refusal, so that the other side can be informed.
    for await (const bytes of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += bytes.length;
      if (received > maxBytes) throw new AppError('too_large', tooLarge(maxBytes));
      await onChunk(bytes);
    }
  } catch (error) {
    if (!request.errored) throw error;
    throw new AppError('unavailable', 'The command ended before its document did', { cause: error });
  }
}

function refuse(response: ServerResponse, error: ErrorData): void {
  sendJson(response, statusOf(error.code), JSON.stringify(error));
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
