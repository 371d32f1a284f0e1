/**
 * The one table of operations is made of these. Routing, validation, authorisation and the OpenAPI document are all
 * read from them, so an endpoint that is not documented cannot exist.
 */
import type * as v from 'valibot';
import type { InstanceInfo } from '../partitions/ownership.js';
import type { Readiness } from '../partitions/readiness.js';
import type { LoginGuard } from '../auth/loginGuard.js';
import type { Passwords } from '../auth/passwords.js';
import type { Tokens } from '../auth/tokens.js';
import type { Config } from '../config.js';
import type { Access } from '../domain/commands/commands.js';
import type { BoardsPort, ContentPort, ImportPort } from '../domain/ports/boardsPort.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { IdSource, Uuid } from '../domain/ids.js';
import type { PresencePort } from '../domain/ports/presence.js';
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { PublicUser } from '../domain/user.js';
import type { Documents } from './documentsPort.js';
import type { Status } from './statuses.js';
import type { Validated } from './validated.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Schema = v.GenericSchema;
/** A schema for each field, and none besides. */
export type SchemasOf<T> = Readonly<Record<keyof T, Schema>>;

/**
 * Who may call: everyone, any authenticated user, a board's members or owners, or superusers. `metrics` is for
 * superusers and for whoever has the token of `METRICS_TOKEN`.
 */
export type OperationAccess = 'public' | 'user' | 'superuser' | 'metrics' | BoardAccess;

/** What a board demands of its callers, see `Handler.access`. */
export type BoardAccess = Exclude<Access, 'anyone' | 'system'>;

/** What a user may have only so much of under way at once, see `http/quotas.ts`. */
export type Quota = 'upload' | 'import' | 'export' | 'search';

export interface BodySpec<S extends Schema = Schema> {
  readonly kind: 'json' | 'form';
  readonly schema: S;
}

/** A multipart form with one file, which the operation takes in itself. */
export interface FileSpec {
  readonly kind: 'file';
}

/**
 * A JSON document too large to be held in memory, which the operation takes in itself, piece by piece. The schema is
 * what its reader is told; the operation validates what it made of the pieces.
 */
export interface DocumentSpec {
  readonly kind: 'document';
  readonly schema: Schema;
}

export interface ReceivedFile {
  readonly name: string;
  readonly mime_type: string;
  /** In bytes. */
  readonly size: number;
}

/** A file on its way in. */
export interface Upload {
  /** Hands the file on chunk by chunk, waiting for each, and refuses it when it grows past the limit. */
  receive(maxBytes: number, onChunk: (bytes: Uint8Array) => Promise<void>): Promise<ReceivedFile>;
}

/** A document on its way in. */
export interface IncomingDocument {
  /** Hands it on as it comes, waiting for each piece to be taken, and refuses it when it grows past the limit. */
  receive(maxBytes: number, onChunk: (bytes: Buffer) => Promise<void>): Promise<void>;
}

/** Bytes on their way out. */
export interface ByteStream {
  readonly size: number;
  /** Memory that it keeps until it ends, besides the bytes being read. */
  readonly heldBytes?: number;
  /** From `from` up to but not including `to`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** One query parameter: the schema reads the text of the URL, `document` is what the reader of the API sees. */
export interface QueryParameter<S extends Schema = Schema> {
  readonly schema: S;
  readonly description: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Other names under which the same parameter is accepted. */
  readonly aliases?: readonly string[];
}
export type QuerySpec = Readonly<Record<string, QueryParameter>>;
export type QueryOf<Q extends QuerySpec> = { readonly [Name in keyof Q]: v.InferOutput<Q[Name]['schema']> };

/** What handlers may use. Built once, in the composition root. */
export interface Services {
  readonly config: Config;
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
  readonly imports: ImportPort;
  readonly content: ContentPort;
  readonly presence: PresencePort;
  /** The instances of the service that are known to live, this one first. */
  readonly instances: () => readonly InstanceInfo[];
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly loginGuard: LoginGuard;
  readonly documents: Documents;
  readonly ids: IdSource;
  readonly now: () => Date;
  readonly pubsub: () => PubsubStatus;
  /** Everything there is to measure, in the format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Whether new requests are welcome, and if not, why. */
  readonly readiness: () => Readiness;
  /** The OpenAPI document, encoded once: answers leave from the one buffer. */
  readonly openApi: Uint8Array;
  /** The AsyncAPI document, the same. */
  readonly asyncApi: Uint8Array;
}

/** A request after routing and authentication, as the edge hands it over. */
export interface RawCall {
  readonly caller: PublicUser | null;
  readonly params: Readonly<Record<string, Uuid>>;
  readonly query: Validated<unknown>;
  readonly body: Validated<unknown>;
  /** The client's address as text, for limits. AskPort the socket for it costs something: few want to know. */
  readonly address: () => string;
  /** A page that may not read our answers sends this: no cookie was believed, and none may be set. */
  readonly isForged: boolean;
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
  /** Present where the operation takes a file. */
  readonly upload: Upload | null;
  /** Present where the operation takes a document. */
  readonly document: IncomingDocument | null;
}

export interface Call<Caller, Query, Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, Uuid>>;
  readonly query: Query;
  readonly body: Body;
  readonly address: () => string;
  readonly isForged: boolean;
  readonly ifNoneMatch: string;
}

export interface Answer {
  /** Finished JSON, as text or already encoded; null where there is none. */
  readonly json: string | Uint8Array | null;
  /** Text to answer with instead. */
  readonly text?: { readonly type: string; readonly content: string };
  /** Bytes to answer with instead. */
  readonly stream?: ByteStream;
  /** The operation's own success status unless given. */
  readonly status?: Status;
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** By status, what it means. */
export type StatusTexts = Readonly<Partial<Record<Status, string>>>;

export interface Success {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent for 204, and where the answer is not JSON. */
  readonly schema?: Schema;
  /** Of an answer that is not JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OperationText {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
}

export interface Operation extends OperationText {
  readonly name: string;
  readonly method: Method;
  /** As in the OpenAPI document: `/cards/{card_id}/move`. Every parameter is a UUID. */
  readonly path: string;
  readonly access: OperationAccess;
  /** Which limit it counts against; beyond it the caller gets 429. */
  readonly quota?: Quota;
  readonly query: QuerySpec;
  /** What it understands of a request's headers besides the credential: name and meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body: BodySpec | FileSpec | DocumentSpec | null;
  readonly success: Success;
  /** Error statuses beyond those that follow from access, parameters and body. */
  readonly errors: StatusTexts;
  invoke(call: RawCall, services: Services): Promise<Answer>;
}

interface Definition<A extends OperationAccess, Q extends QuerySpec, B extends Schema> extends OperationText {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly access: A;
  readonly quota?: Quota;
  readonly query?: Q;
  readonly body?: BodySpec<B>;
  readonly success: Success;
  readonly errors?: StatusTexts;
  handle(
    call: Call<A extends 'public' ? null : PublicUser, QueryOf<Q>, v.InferOutput<B>>,
    services: Services,
  ): Promise<Answer>;
}

/** An operation whose input is validated here, at the edge. */
export function operation<
  A extends OperationAccess,
  Q extends QuerySpec = Record<never, never>,
  B extends Schema = v.UndefinedSchema<undefined>,
>(definition: Definition<A, Q, B>): Operation {
  const { handle, ...described } = definition;
  return {
    errors: {},
    ...described,
    query: definition.query ?? {},
    body: definition.body ?? null,
    invoke(call, services) {
      // The validated values came out of this operation's own schemas and access, which is what the types say.
      const typed = { ...call, query: accepted(call.query), body: accepted(call.body) } as unknown as Call<
        A extends 'public' ? null : PublicUser,
        QueryOf<Q>,
        v.InferOutput<B>
      >;
      return handle(typed, services);
    },
  };
}

export function accepted<T>(validated: Validated<T>): T {
  if (!validated.ok) throw AppError.from(validated.error);
  return validated.value;
}

export function answer(value: unknown, headers?: Answer['headers']): Answer {
  const json = JSON.stringify(value);
  return headers === undefined ? { json } : { json, headers };
}
