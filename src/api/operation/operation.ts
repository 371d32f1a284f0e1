/**
 * The entries of the table of operations. Routing, validation, authorisation and the OpenAPI document are derived from
 * it, so an endpoint without documentation cannot exist.
 */
import type * as v from 'valibot';
import type { InstanceInfo } from '../../partitions/ownership.js';
import type { LogStatus, PartitionOverview, ReserveStatus } from '../../partitions/health/replicationOverview.js';
import type { ListPlaces } from '../../partitions/cache/listPlaces.js';
import type { Readiness } from '../../partitions/health/readiness.js';
import type { SealedSecrets } from '../../auth/sealedSecrets.js';
import type { AccountTokens } from '../../auth/accountTokens.js';
import type { LoginGuard } from '../../auth/guessing/loginGuard.js';
import type { RecentFailures as RecentTimes } from '../../auth/guessing/recentFailures.js';
import type { Passwords } from '../../auth/passwords.js';
import type { RefreshLimits } from '../../auth/guessing/refreshLimits.js';
import type { RefreshTokens } from '../../auth/refreshTokens.js';
import type { SingleSignOn } from '../../auth/sso/singleSignOn.js';
import type { UnsubscribeTokens } from '../../auth/unsubscribeTokens.js';
import type { Tokens, VerifiedToken } from '../../auth/tokens.js';
import type { Config } from '../../settings/config.js';
import type { KeyRights } from '../../domain/account/apiKey.js';
import type { Access, BoardCommand } from '../../domain/commands/commands.js';
import type { AnswersPort, BoardsPort, ContentPort, ImportPort, TrashedBoardsPort } from '../../domain/ports/boardsPort.js';
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import type { Answer } from '../../domain/answer.js';
import { AppError } from '../../domain/errors.js';
import type { OwnerCounts } from '../../flow/ownerCounts.js';
import type { IdSource, Uuid } from '../../domain/ids.js';
import type { AuditPort } from '../../domain/ports/auditPort.js';
import type { MailPort } from '../../domain/ports/mail.js';
import type { PresencePort } from '../../domain/ports/presence.js';
import type { Position } from '../../domain/position.js';
import type { WebhooksPort } from '../../domain/ports/webhooks.js';
import type { PubsubStatus } from '../../domain/ports/pubsub.js';
import type { Locale, PublicUser } from '../../domain/account/user.js';
import type { SetupDoor } from '../accounts/setupDoor.js';
import type { DocumentMemory, Documents } from '../documentsPort.js';
import type { RequestKey } from './requestKey.js';
import type { Status } from './statuses.js';
import type { Validated } from './validated.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Schema = v.GenericSchema;
/** A schema for each field, and none besides. */
export type SchemasOf<T> = Readonly<Record<keyof T, Schema>>;

/**
 * Required access: everyone, any authenticated user, a board's members or owners, or superusers. `metrics`: superusers,
 * and holders of `METRICS_TOKEN`.
 */
export type OperationAccess = 'public' | 'user' | 'superuser' | 'metrics' | BoardAccess;

/** What a board demands of its callers, see `Handler.access`. */
export type BoardAccess = Exclude<Access, 'anyone' | 'system'>;

/** Work of which a user may have a limited amount under way, see `http/quotas.ts`. */
export type Quota = 'upload' | 'import' | 'export' | 'search';

export interface BodySpec<S extends Schema = Schema> {
  readonly kind: 'json' | 'form';
  readonly schema: S;
  /** Validates further what the schema has accepted. Done where the body is parsed: a large one in the document thread. */
  readonly refine?: (value: v.InferOutput<S>) => unknown;
}

/** A multipart form with one file, which the operation receives itself. */
export interface FileSpec {
  readonly kind: 'file';
  /** What the operation takes as JSON instead of a form. It is small. */
  readonly instead?: BodySpec & { readonly kind: 'json' };
}

/**
 * A JSON document that is too large for memory, which the operation receives in pieces. The schema is for the
 * documentation; the operation validates the content itself.
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

/** A file being uploaded. */
export interface Upload {
  /**
   * Passes the file on chunk by chunk, waits for each, and refuses a file above the limit. The bytes of a chunk do not
   * change afterwards.
   */
  receive(maxBytes: number, onChunk: (bytes: Uint8Array) => Promise<void>): Promise<ReceivedFile>;
}

/** A document being uploaded. */
export interface IncomingDocument {
  /** Absent for documents of an operator, which are not limited. */
  readonly memory?: DocumentMemory;
  /** Passes the document on as it arrives, waits for each piece, and refuses a document above the limit. */
  receive(maxBytes: number, onChunk: (bytes: Buffer) => Promise<void>): Promise<void>;
}

/** Bytes to send. */
export interface ByteStream {
  readonly size: number;
  /** Memory that it holds until its end, besides the bytes being read. */
  readonly heldBytes?: number;
  /** From `from` up to but not including `to`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** A response without an end, written piece by piece. */
export interface LiveStream {
  /** Bytes that the client has not taken. */
  readonly unsentBytes: number;
  /** Does nothing if it is closed. */
  write(text: string): void;
  /** Sets the listener for the time when the client has taken everything. */
  onDrain(listener: () => void): void;
  /** Sets the listener for the end, for every cause. Called at once if it has ended. */
  onClosed(listener: () => void): void;
  /** Ends it after what was written. */
  end(): void;
  /** Closes the connection at once. */
  cut(): void;
}

export interface StreamRequest {
  readonly caller: PublicUser;
  readonly boardId: Uuid;
  /** Null for later events only. */
  readonly since: Position | null;
  /** The caller's token. Throws if it is good no longer. */
  readonly token: () => Promise<VerifiedToken>;
}

/** Streams of the events of boards. */
export interface EventStreamsPort {
  /** Checks access and limits. The returned function must be called, also with a stream that is closed already. */
  open(request: StreamRequest): Promise<(stream: LiveStream) => void>;
}

/** One query parameter: the schema parses the text of the URL, `document` is for the API document. */
export interface QueryParameter<S extends Schema = Schema> {
  readonly schema: S;
  readonly description: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Other accepted names of the parameter. */
  readonly aliases?: readonly string[];
}
export type QuerySpec = Readonly<Record<string, QueryParameter>>;
export type QueryOf<Q extends QuerySpec> = { readonly [Name in keyof Q]: v.InferOutput<Q[Name]['schema']> };

/** The services for handlers. Built once, in the composition root. */
export interface Services {
  readonly config: Config;
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
  readonly imports: ImportPort;
  readonly answers: AnswersPort;
  readonly trashedBoards: TrashedBoardsPort;
  readonly content: ContentPort;
  readonly presence: PresencePort;
  readonly webhooks: WebhooksPort;
  /** Places for lists, which are assembled in this thread. */
  readonly lists: ListPlaces;
  readonly eventStreams: EventStreamsPort;
  /** The live instances of the service, this one first. */
  readonly instances: () => readonly InstanceInfo[];
  /** Null if the data is in one folder. */
  readonly replicated: {
    overview(): readonly PartitionOverview[];
    status(): LogStatus;
    reserve(): ReserveStatus;
    /** Sentences for operators. */
    problems(): readonly string[];
  } | null;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly refreshTokens: RefreshTokens;
  readonly refreshLimits: RefreshLimits;
  readonly accountTokens: AccountTokens;
  readonly unsubscribeTokens: UnsubscribeTokens;
  /** Null if the service sends no mail. */
  readonly mail: MailPort | null;
  readonly loginGuard: LoginGuard;
  /** When users changed their names lately. */
  readonly profileChanges: RecentTimes;
  /** Moves of cards to other boards, by user. */
  readonly movesUnderWay: OwnerCounts<Uuid>;
  readonly factorSecrets: SealedSecrets;
  readonly audit: AuditPort;
  readonly setup: SetupDoor;
  /** Null if it is not configured. */
  readonly sso: SingleSignOn | null;
  readonly documents: Documents;
  readonly ids: IdSource;
  readonly now: () => Date;
  readonly pubsub: () => PubsubStatus;
  /** Those that differ on another instance, by name. */
  readonly differingSettings: () => readonly string[];
  /** Logs a failure that no request is answered with. */
  readonly report: (failure: unknown, message: string) => void;
  /** Everything there is to measure, in the format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Whether new requests are accepted, and if not, why. */
  readonly readiness: () => Readiness;
  /** Encoded once: all answers use the same buffers. */
  readonly apiDocuments: { openApi(): Uint8Array; asyncApi(): Uint8Array };
}

/** A request after routing and authentication. */
/** The locale is absent where the directory is an older program's, and in the calls of operators. */
type CallingUser = PublicUser & Partial<Locale>;

export interface RawCall {
  readonly caller: CallingUser | null;
  /** The rights of the API key, if the caller came with one. */
  readonly key: KeyRights | null;
  readonly params: Readonly<Record<string, Uuid>>;
  readonly query: Validated<unknown>;
  readonly body: Validated<unknown>;
  /** Null without a key. */
  readonly idempotency: Validated<RequestKey | null>;
  /**
   * The client's address as text, for limits. A function, because reading it from the socket has a cost and few
   * operations need it.
   */
  readonly address: () => string;
  /** The request comes from a page that may not read our answers: its cookie was ignored, and none may be set. */
  readonly isForged: boolean;
  /** Whether the client is on this machine, and the request came through no proxy. */
  readonly isLocal: () => boolean;
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
  readonly accept: string;
  readonly lastEventId: string;
  /** The token of an identified caller. Throws if it is good no longer. */
  readonly token: () => Promise<VerifiedToken>;
  /** A cookie of the request, unless the request is forged. */
  readonly cookie: (name: string) => string | undefined;
  /** What the client calls itself. */
  readonly userAgent: string;
  /** Present if the operation takes a file. */
  readonly upload: Upload | null;
  /** Present if the operation takes a document. */
  readonly document: IncomingDocument | null;
}

export interface Call<Caller, Query, Body> {
  readonly caller: Caller;
  readonly key: KeyRights | null;
  readonly params: Readonly<Record<string, Uuid>>;
  readonly query: Query;
  readonly body: Body;
  readonly idempotency: RequestKey | null;
  readonly address: () => string;
  readonly isForged: boolean;
  readonly isLocal: () => boolean;
  readonly ifNoneMatch: string;
  readonly token: () => Promise<VerifiedToken>;
  readonly cookie: (name: string) => string | undefined;
  readonly userAgent: string;
}

export interface OperationAnswer {
  /** Finished JSON, as text or encoded; null if there is none. */
  readonly json: string | Uint8Array | null;
  /** Text instead of JSON. */
  readonly text?: { readonly type: string; readonly content: string };
  /** Bytes instead of JSON. */
  readonly stream?: ByteStream;
  /** A response without an end instead of JSON: called when its head was sent. */
  readonly live?: (stream: LiveStream) => void;
  /** Default: the operation's own success status. */
  readonly status?: Status;
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** By status, what it means. */
export type StatusTexts = Readonly<Partial<Record<Status, string>>>;

export interface Success {
  readonly status: 200 | 201 | 202 | 204 | 302;
  readonly description: string;
  /** Absent for 204, and if the answer is not JSON. */
  readonly schema?: Schema;
  /** For an answer that is not JSON, or besides JSON if there is a schema. */
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
  /**
   * Also for API keys of some boards, which the operation heeds itself, and for API keys under `/auth`. By default a key
   * of some boards is only for operations on one board, which the edge checks.
   */
  readonly isForAnyKey?: true;
  /** The limit it counts against; above it the caller gets 429. */
  readonly quota?: Quota;
  readonly query: QuerySpec;
  /** Request headers that it uses besides the credential: name and meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body: BodySpec | FileSpec | DocumentSpec | null;
  /** False for a change whose answer has a secret, or is the same every time. Default: true, except for reads. */
  readonly isAnswerKept?: boolean;
  readonly success: Success;
  /** Of a create: what it made, for a repetition whose answer is forgotten. Absent if the answer looks like the first one. */
  readonly lateSchema?: Schema;
  /** Error statuses beyond those that follow from access, parameters and body. */
  readonly errors: StatusTexts;
  /** Of the error statuses whose body is not `Detail`. */
  readonly errorSchemas?: Readonly<Record<number, Schema>>;
  /** Headers of error answers by status, in addition to the common ones. */
  readonly errorHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  invoke(call: RawCall, services: Services): Answer<OperationAnswer>;
  /** Of an operation on a board whose input follows from the request alone: the command that it sends. */
  toCommand?(call: RawCall, services: Services): Pick<BoardCommand, 'op' | 'target' | 'input'>;
}

interface Definition<A extends OperationAccess, Q extends QuerySpec, B extends Schema> extends OperationText {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly access: A;
  readonly isForAnyKey?: true;
  readonly quota?: Quota;
  readonly query?: Q;
  readonly body?: BodySpec<B>;
  readonly isAnswerKept?: boolean;
  readonly success: Success;
  readonly errors?: StatusTexts;
  readonly errorSchemas?: Readonly<Record<number, Schema>>;
  readonly errorHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  handle(call: Call<A extends 'public' ? null : CallingUser, QueryOf<Q>, v.InferOutput<B>>, services: Services): Answer<OperationAnswer>;
}

/** An operation whose input is validated at the edge. */
export function operation<A extends OperationAccess, Q extends QuerySpec = Record<never, never>, B extends Schema = v.UndefinedSchema<undefined>>(
  definition: Definition<A, Q, B>,
): Operation {
  const { handle, ...described } = definition;
  return {
    errors: {},
    ...described,
    query: definition.query ?? {},
    body: definition.body ?? null,
    invoke(call, services) {
      // The values were validated by this operation's own schemas and access, as the types say.
      const idempotency = accepted(call.idempotency);
      const typed = { ...call, query: accepted(call.query), body: accepted(call.body), idempotency } as unknown as Call<
        A extends 'public' ? null : CallingUser,
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

export function answer(value: unknown, headers?: OperationAnswer['headers']): OperationAnswer {
  const json = JSON.stringify(value);
  return headers === undefined ? { json } : { json, headers };
}
