/** The command line's end of the operator's socket: finds the service that runs on the same data folder. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { withDeadline } from '../partitions/deadline.js';
import type { AuditEntry } from '../domain/audit.js';
import type { DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError, type ErrorData } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import {
  CLUSTER,
  DELETE_USER,
  EXPORT_PATH,
  IMPORT_PATH,
  OPERATOR_PATH,
  OVERVIEW,
  SNAPSHOT,
  type ClusterOperation,
  type Overview,
} from './commands.js';
import { listSockets } from './location.js';
import type { DocumentStream, OperatorPort, SentDocument } from './operatorPort.js';

/** A healthy directory answers within milliseconds; a service this late is stuck. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Longer than copies may take to catch up, and partitions to move. */
const CLUSTER_TIMEOUT_MS = 30_000;

/** A snapshot of a large file is stored on several machines and read back. */
const SNAPSHOT_TIMEOUT_MS = 30 * 60 * 1000;

/** A large board is read, or stored, as a whole. */
const DOCUMENT_TIMEOUT_MS = 10 * 60 * 1000;

export interface OperatorClient extends DirectoryPort, OperatorPort {}

/** Null if no service on this data folder answers. */
export async function connectOperator(dataDir: string): Promise<OperatorClient | null> {
  for (const path of await listSockets(dataDir)) {
    if (!(await isAlive(path))) {
      await rm(path, { force: true });
      continue;
    }
    const client = new SocketClient(path);
    if (await isHealthy(client)) return client;
  }
  return null;
}

/**
 * The overview of the service on this data folder; null if none answers. Asks all its instances at once, and not the
 * directory, because an operator needs this when some of them are in trouble.
 */
export async function readOverview(dataDir: string): Promise<Overview | null> {
  const paths = await listSockets(dataDir);
  try {
    return await Promise.any(paths.map(async (path) => (await new SocketClient(path).send(OVERVIEW, {})) as Overview));
  } catch (error) {
    if (error instanceof AggregateError && error.errors.every((each) => each instanceof AppError)) return null;
    throw error;
  }
}

/** Undefined if no instance runs on this data folder. */
export function askInstance(dataDir: string, operation: ClusterOperation): Promise<unknown> {
  return sendToInstance(dataDir, CLUSTER, { operation }, CLUSTER_TIMEOUT_MS);
}

/** Resolves with the last record in the snapshot of the partition; undefined if no instance runs on this data folder. */
export async function askForSnapshot(dataDir: string, partition: string): Promise<number | undefined> {
  return (await sendToInstance(dataDir, SNAPSHOT, { partition }, SNAPSHOT_TIMEOUT_MS)) as number | undefined;
}

/**
 * Asks the instance on this data folder, of which there is one if its partitions are replicated. Does not ask the directory
 * first: these are commands for times of trouble.
 */
async function sendToInstance(dataDir: string, op: string, input: object, timeoutMs: number): Promise<unknown> {
  for (const path of await listSockets(dataDir)) {
    if (await isAlive(path)) return new SocketClient(path).send(op, input, timeoutMs);
  }
  return undefined;
}

/** Removes the sockets of killed processes. */
export async function removeDeadSockets(dataDir: string): Promise<void> {
  for (const path of await listSockets(dataDir)) if (!(await isAlive(path))) await rm(path, { force: true });
}

/** Whether a process listens there. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // ENOENT: the service removed its socket between our listing of the folder and this call.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(new AppError('unavailable', `cannot talk to the service: ${error.message}`, { cause: error }));
    });
  });
}

async function isHealthy(client: DirectoryPort): Promise<boolean> {
  try {
    return await client.ask('health.check', {});
  } catch (error) {
    // This service is stuck or stopping: another one on the same folder may answer.
    if (error instanceof AppError) return false;
    throw error;
  }
}

class SocketClient implements OperatorClient {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
    audit?: AuditEntry,
  ): Promise<DirectoryCommands[Op]['output']> {
    // The other end is this same program, behind a socket that only its own user can open.
    return (await this.send(op, input, ANSWER_TIMEOUT_MS, audit)) as DirectoryCommands[Op]['output'];
  }

  async deleteUser(id: Uuid, heirId: Uuid | null): Promise<void> {
    await this.send(DELETE_USER, { id, heir_id: heirId }, DOCUMENT_TIMEOUT_MS);
  }

  async exportBoard(id: Uuid): Promise<DocumentStream> {
    const request = this.#begin('GET', EXPORT_PATH + id);
    request.end();
    const response = await withDeadline(responseTo(request), DOCUMENT_TIMEOUT_MS).catch((error: unknown) => {
      request.destroy();
      throw error;
    });
    if (response.statusCode !== 200) throw await refusalIn(response);
    return { size: Number(response.headers['content-length']), pieces: () => response as AsyncIterable<Uint8Array> };
  }

  async importBoard(ownerId: Uuid, document: SentDocument): Promise<string> {
    const request = this.#begin('POST', IMPORT_PATH + ownerId);
    const answered = responseTo(request);
    // It may fail while the document is read; the waiting caller gets that failure.
    answered.catch(() => undefined);
    // A refusal may come before the whole document has gone: then the rest is not read.
    const write = (bytes: Buffer): Promise<void> =>
      Promise.race([
        answered.then(refuseRest),
        new Promise<void>((resolve, reject) => request.write(bytes, (error) => (error ? reject(error) : resolve()))),
      ]);
    try {
      // The service has the limit.
      await document.receive(Infinity, write);
      request.end();
    } catch (error) {
      if (!(error instanceof AnsweredEarly) && !isConnectionError(error)) {
        // The document itself cannot be read: without an end it is none for the service.
        request.destroy();
        await answered.catch(() => undefined);
        throw error;
      }
    }
    try {
      return await bodyOf(await withDeadline(answered, DOCUMENT_TIMEOUT_MS));
    } finally {
      request.destroy();
    }
  }

  async send(op: string, input: unknown, timeoutMs = ANSWER_TIMEOUT_MS, audit?: AuditEntry): Promise<unknown> {
    const request = this.#begin('POST', OPERATOR_PATH + op);
    request.end(JSON.stringify({ input, audit }));
    try {
      return JSON.parse(await withDeadline(responseTo(request).then(bodyOf), timeoutMs)) as unknown;
    } finally {
      request.destroy();
    }
  }

  /**
   * On a connection of its own, which we close: a service that did so after a refusal would cut off the rest of a document,
   * and with it the refusal.
   */
  #begin(method: string, path: string): ClientRequest {
    const agent = new Agent({ keepAlive: true });
    const request = sendRequest({ socketPath: this.#path, method, path, agent, headers: { 'content-type': 'application/json' } });
    // The first error ends the wait for the response, and what reads the response meets later ones.
    return request.on('error', () => undefined).once('close', () => agent.destroy());
  }
}

class AnsweredEarly extends Error {}

function refuseRest(): never {
  throw new AnsweredEarly();
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  } catch (error) {
    throw connectionLost(error);
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) throw await refusalIn(response);
  return readText(response);
}

async function refusalIn(response: IncomingMessage): Promise<AppError> {
  const body = await readText(response);
  try {
    return AppError.from(JSON.parse(body) as ErrorData);
  } catch (cause) {
    return new AppError('malformed', 'The running service sent an answer that this version does not understand', { cause });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  try {
    return await text(response);
  } catch (error) {
    throw connectionLost(error);
  }
}

function isConnectionError(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_DESTROYED')
  );
}

function connectionLost(cause?: unknown): AppError {
  return new AppError('unavailable', 'The running service closed the connection before it answered', { cause });
}
