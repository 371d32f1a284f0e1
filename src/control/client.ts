/** The command line's end of the control socket: finds the service that runs on the same data folder. */
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { withDeadline } from '../partitions/deadline.js';
import type { AuditEntry } from '../domain/audit.js';
import type { DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { listSockets } from './location.js';
import type { DocumentStream, OperatorPort, SentDocument } from './operatorPort.js';
import type { Overview } from './overview.js';
import {
  CLUSTER,
  DELETE_USER,
  EXPORT,
  FINISH,
  IMPORT,
  linesOf,
  MAX_ANSWER_CHARACTERS,
  OVERVIEW,
  parseAnswer,
  PIECE_BYTES,
  PUSH,
  READ,
  SNAPSHOT,
  type ClusterOperation,
} from './protocol.js';

/** A healthy directory answers within milliseconds; a service this late is stuck. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Longer than copies may take to catch up, and partitions to move. */
const CLUSTER_TIMEOUT_MS = 30_000;

/** A snapshot of a large file is stored on several machines and read back. */
const SNAPSHOT_TIMEOUT_MS = 30 * 60 * 1000;

/** A large board is read, or stored, as a whole. */
const DOCUMENT_TIMEOUT_MS = 10 * 60 * 1000;

export interface ControlClient extends DirectoryPort, OperatorPort {
  close(): void;
}

/** Null if no service on this data folder answers. */
export async function connectControl(dataDir: string): Promise<ControlClient | null> {
  for (const path of await listSockets(dataDir)) {
    const socket = await open(path);
    if (socket === 'dead') {
      await rm(path, { force: true });
      continue;
    }
    const client = new ControlSocket(socket);
    if (await isHealthy(client)) return client;
    client.close();
  }
  return null;
}

/**
 * The overview of the service on this data folder; null if none answers. Asks all its instances at once, and not the
 * directory, because an operator needs this when some of them are in trouble.
 */
export async function readOverview(dataDir: string): Promise<Overview | null> {
  const clients: ControlSocket[] = [];
  const answers = (await listSockets(dataDir)).map(async (path) => {
    const socket = await open(path);
    if (socket === 'dead') throw connectionLost();
    const client = new ControlSocket(socket);
    clients.push(client);
    return (await client.request(OVERVIEW, {})) as Overview;
  });
  try {
    return await Promise.any(answers);
  } catch (error) {
    if (error instanceof AggregateError && error.errors.every((each) => each instanceof AppError)) return null;
    throw error;
  } finally {
    for (const client of clients) client.close();
  }
}

/** Undefined if no instance runs on this data folder. */
export function askInstance(dataDir: string, operation: ClusterOperation): Promise<unknown> {
  return requestOfInstance(dataDir, CLUSTER, { operation }, CLUSTER_TIMEOUT_MS);
}

/** Resolves with the last record in the snapshot of the partition; undefined if no instance runs on this data folder. */
export async function askForSnapshot(dataDir: string, partition: string): Promise<number | undefined> {
  return (await requestOfInstance(dataDir, SNAPSHOT, { partition }, SNAPSHOT_TIMEOUT_MS)) as number | undefined;
}

/**
 * Asks the instance on this data folder, of which there is one if its partitions are replicated. Does not ask the directory
 * first: these are commands for times of trouble.
 */
async function requestOfInstance(dataDir: string, op: string, input: object, timeoutMs: number): Promise<unknown> {
  for (const path of await listSockets(dataDir)) {
    const socket = await open(path);
    if (socket === 'dead') continue;
    const client = new ControlSocket(socket);
    try {
      return await client.request(op, input, timeoutMs);
    } finally {
      client.close();
    }
  }
  return undefined;
}

/** Removes the sockets of killed processes. */
export async function removeDeadSockets(dataDir: string): Promise<void> {
  for (const path of await listSockets(dataDir)) {
    const socket = await open(path);
    if (socket === 'dead') await rm(path, { force: true });
    else socket.destroy();
  }
}

function open(path: string): Promise<Socket | 'dead'> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // ENOENT: the service removed its socket between our listing of the folder and this call.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve('dead');
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

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/** Answers arrive in the order of the questions, so each answer belongs to the first in the queue. */
class ControlSocket implements ControlClient {
  readonly #socket: Socket;
  readonly #queue: Waiting[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    void this.#receive();
  }

  async ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
    audit?: AuditEntry,
  ): Promise<DirectoryCommands[Op]['output']> {
    // The other end is this same program, behind a socket that only its own user can open.
    return (await this.request(op, input, ANSWER_TIMEOUT_MS, audit)) as DirectoryCommands[Op]['output'];
  }

  async deleteUser(id: Uuid, heirId: Uuid | null): Promise<void> {
    await this.request(DELETE_USER, { id, heir_id: heirId }, DOCUMENT_TIMEOUT_MS);
  }

  async exportBoard(id: Uuid): Promise<DocumentStream> {
    const { size } = (await this.request(EXPORT, { board_id: id }, DOCUMENT_TIMEOUT_MS)) as { size: number };
    const read = async (from: number, to: number): Promise<Uint8Array> =>
      Buffer.from((await this.request(READ, { from, to }, DOCUMENT_TIMEOUT_MS)) as string, 'base64');
    return { size, read };
  }

  async importBoard(ownerId: Uuid, document: SentDocument): Promise<string> {
    await this.request(IMPORT, { owner_id: ownerId });
    // The service has the limit.
    await document.receive(Infinity, async (bytes) => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const content = bytes.subarray(at, at + PIECE_BYTES).toString('base64');
        await this.request(PUSH, { content }, DOCUMENT_TIMEOUT_MS);
      }
    });
    return (await this.request(FINISH, {}, DOCUMENT_TIMEOUT_MS)) as string;
  }

  request(op: string, input: unknown, timeoutMs = ANSWER_TIMEOUT_MS, audit?: AuditEntry): Promise<unknown> {
    const answered = new Promise<unknown>((resolve, reject) => {
      if (!this.#socket.writable) {
        reject(connectionLost());
        return;
      }
      this.#queue.push({ resolve, reject });
      this.#socket.write(`${JSON.stringify({ op, input, audit })}\n`);
    });
    return withDeadline(answered, timeoutMs);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #receive(): Promise<void> {
    let end: unknown = connectionLost();
    try {
      for await (const line of linesOf(this.#socket, MAX_ANSWER_CHARACTERS)) {
        const answer = parseAnswer(line);
        const waiting = this.#queue.shift();
        if (answer.ok) waiting?.resolve(answer.value);
        else waiting?.reject(AppError.from(answer.error));
      }
    } catch (error) {
      if (error instanceof AppError) end = error;
      else end = connectionLost(error);
      this.#socket.destroy();
    }
    for (const waiting of this.#queue.splice(0)) waiting.reject(end);
  }
}

function connectionLost(cause?: unknown): AppError {
  return new AppError('unavailable', 'The running service closed the connection before it answered', { cause });
}
