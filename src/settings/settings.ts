/**
 * The settings of the service: one table that defines the typed configuration, its validation, `config check` and the
 * documentation.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import {
  anyNumber,
  hostName,
  listOf,
  natsAddresses,
  networks,
  onOrOff,
  oneNumber,
  oneOf,
  optional,
  optionalFile,
  optionalMailAddress,
  optionalOrigin,
  origins,
  seconds,
  smtpAddress,
  wholeNumber,
  withoutCredentials,
  withoutLogin,
  type Format,
} from './settingFormats.js';
import { SSO_SETTINGS } from './ssoSettings.js';

const ENVIRONMENTS = ['development', 'production'] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

/** Signs tokens in development when no secret is set. It is public, so production refuses it. */
export const PLACEHOLDER_SECRET = 'development-only-secret-change-me-before-production';

/** In production: as long as the output of HMAC-SHA256, so that guessing the secret is no easier than forging. */
export const MIN_SECRET_CHARACTERS = 32;
const MAX_PORT = 65_535;
/** A longer token is no longer a session; a stolen one would be valid for years. */
const MAX_LIFETIME_SECONDS = 365 * 86_400;
/** SQLite stores no larger value. */
const MAX_BLOB_BYTES = 1_000_000_000;
/** A board is rendered as one text, and V8 limits a text to half a gibibyte. */
const MAX_BOARD_BYTES = 256 * 1024 * 1024;
/** People and forms could not satisfy a longer minimum. */
const MAX_PASSWORD_MIN_LENGTH = 128;
/** Each shard is an open file with its own write-ahead log. */
const MAX_SHARDS = 1024;
const MAX_SHARD_THREADS = 256;
const MAX_RETENTION_DAYS = 36_500;
const MAX_LEASE_MS = 60_000;
const MAX_SESSION_DAYS = 3_650;
const MAX_AUDIT_FILES = 10_000;

export interface Setting<T> extends Format<T> {
  readonly name: string;
  /** In the format of the variable; empty means none. */
  readonly default: string | Readonly<Record<EnvironmentName, string>>;
  /** Describes a default that depends on the machine. */
  readonly defaultInWords?: string;
  readonly meaning: string;
  /**
   * Whether all instances of a cluster must have the same: a request would otherwise be treated by one as by no other. They
   * compare it. Never of a secret.
   */
  readonly isClusterWide?: true;
  /** Whether blanks at the ends of a value belong to it. */
  readonly isVerbatim?: true;
  /** The value for messages, without secret parts; it must be safe for a refused value too. */
  readonly redact?: (text: string) => string;
}

const TABLE = {
  environment: {
    name: 'ENVIRONMENT',
    isClusterWide: true,
    default: 'development',
    ...oneOf(ENVIRONMENTS),
    meaning: 'Production refuses unsafe settings and flags the cookie as Secure.',
  },
  host: {
    name: 'HOST',
    default: { development: '127.0.0.1', production: '0.0.0.0' },
    ...hostName(),
    meaning: 'The address to listen on.',
  },
  /** 0 means any free port. */
  port: {
    name: 'PORT',
    default: '8000',
    ...wholeNumber(0, MAX_PORT),
    meaning: 'The port to listen on; 0 takes any free one.',
  },
  /** An origin; null: the address of each request counts. */
  publicUrl: {
    name: 'PUBLIC_URL',
    isClusterWide: true,
    default: '',
    defaultInWords: 'the address that a request was sent to',
    ...optionalOrigin(),
    meaning:
      'The address at which browsers reach the service: every link begins with it, and it is the only origin, besides CORS_ORIGINS, whose pages may use a cookie.',
  },
  /** Absolute. */
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    allowed: 'a folder',
    parse: (text) => resolve(text),
    meaning: 'The folder that holds all data.',
  },
  /** Absolute; this and the key are both set, or none. */
  tlsCertFile: {
    name: 'TLS_CERT_FILE',
    default: '',
    ...optionalFile(),
    meaning: 'The certificate (PEM, with its chain) for HTTPS without a reverse proxy; SIGHUP reads it again.',
  },
  tlsKeyFile: {
    name: 'TLS_KEY_FILE',
    default: '',
    ...optionalFile(),
    meaning: 'The private key that belongs to it (PEM, without a passphrase).',
  },
  /** Addresses and networks in CIDR form. */
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '127.0.0.0/8,::1',
    ...networks(),
    meaning: 'Proxies trusted to set X-Forwarded-For.',
  },
  /** Addresses and networks in CIDR form. */
  webhookAllow: {
    name: 'WEBHOOK_ALLOW',
    default: '',
    ...networks(),
    isClusterWide: true,
    meaning: 'Private networks that webhooks may reach, such as 10.0.0.0/8; the public internet they always may.',
  },
  jwtSecret: {
    name: 'JWT_SECRET',
    default: { development: PLACEHOLDER_SECRET, production: '' },
    allowed: `a random text, in production of at least ${MIN_SECRET_CHARACTERS} characters`,
    parse: (text) => text || undefined,
    isVerbatim: true,
    redact: () => '(hidden)',
    meaning:
      'Signs the access tokens. Its holder can log in as any user. With a new one all must log in again, for a day ' +
      'repetitions of earlier requests with an `Idempotency-Key` get 422, of second factors only recovery codes work, and webhooks rest until their secrets are rotated.',
  },
  jwtAlgorithm: {
    name: 'JWT_ALGORITHM',
    default: 'HS256',
    ...oneOf(['HS256', 'HS384', 'HS512']),
    meaning: 'How access tokens are signed; no other algorithm is accepted.',
  },
  jwtLifetimeSeconds: {
    name: 'JWT_LIFETIME_SECONDS',
    isClusterWide: true,
    default: '3600',
    ...wholeNumber(1, MAX_LIFETIME_SECONDS),
    meaning: 'How long an access token is valid.',
  },
  sessionLifetimeDays: {
    name: 'SESSION_LIFETIME_DAYS',
    isClusterWide: true,
    default: '30',
    ...wholeNumber(1, MAX_SESSION_DAYS),
    meaning: 'How long after a login its session can be refreshed.',
  },
  jwtAudience: {
    name: 'JWT_AUDIENCE',
    default: 'switchboard',
    allowed: 'a text',
    parse: (text) => text || undefined,
    meaning: 'The audience in access tokens; tokens for another one are refused.',
  },
  authMode: {
    name: 'AUTH_MODE',
    isClusterWide: true,
    default: 'cookie',
    ...oneOf(['cookie', 'bearer']),
    meaning: 'Whether login also sets a cookie (cookie) or only returns the token (bearer).',
  },
  webApp: {
    name: 'WEB_APP',
    default: 'on',
    ...onOrOff(),
    meaning: 'Whether the browser application is served at `/` and below `/app`.',
  },
  registration: {
    name: 'REGISTRATION',
    isClusterWide: true,
    default: 'open',
    ...oneOf(['open', 'invite', 'closed']),
    meaning: 'Who can register: everyone (open), whoever has an invitation (invite), or nobody but by `switchboard user create` (closed).',
  },
  invitations: {
    name: 'INVITATIONS',
    isClusterWide: true,
    default: 'superusers',
    ...oneOf(['superusers', 'owners']),
    meaning: 'Who can create invitations: superusers alone, or also the owners of boards, each to their boards.',
  },
  userDirectory: {
    name: 'USER_DIRECTORY',
    isClusterWide: true,
    default: 'everyone',
    ...oneOf(['everyone', 'shared']),
    meaning:
      'Whom a user finds: everyone, or those who share a board with them, and others only by their exact e-mail address or username (shared). Superusers find everyone.',
  },
  smtpUrl: {
    name: 'SMTP_URL',
    default: '',
    ...smtpAddress(),
    redact: withoutLogin,
    meaning:
      'The mail server, for forgotten passwords, invitations, notices and the confirmation of e-mail addresses; needs PUBLIC_URL. ' +
      'smtps is TLS from the start. smtp uses STARTTLS, and refuses to go on without it if there is a password. Unset, no mail is sent.',
  },
  mailFrom: {
    name: 'MAIL_FROM',
    default: '',
    defaultInWords: 'switchboard@ and the host of PUBLIC_URL',
    ...optionalMailAddress(),
    meaning: 'The sender of mails.',
  },
  ...SSO_SETTINGS,
  corsOrigins: {
    name: 'CORS_ORIGINS',
    isClusterWide: true,
    default: { development: '*', production: '' },
    ...origins(),
    meaning: 'The web origins whose pages may call the API.',
  },
  maxAttachmentBytes: {
    name: 'MAX_ATTACHMENT_BYTES',
    isClusterWide: true,
    default: '10485760',
    ...wholeNumber(1, MAX_BLOB_BYTES),
    meaning: 'The largest file that can be attached to a card.',
  },
  maxImportBytes: {
    name: 'MAX_IMPORT_BYTES',
    isClusterWide: true,
    default: '268435456',
    ...anyNumber(),
    meaning: 'The largest document that can be imported as a board, including its files.',
  },
  maxBoardBytes: {
    name: 'MAX_BOARD_BYTES',
    isClusterWide: true,
    default: '41943040',
    ...wholeNumber(1, MAX_BOARD_BYTES),
    meaning: 'The maximum size of a board as JSON, in bytes. A change that exceeds this or one of the next eight limits is refused.',
  },
  maxBoardCards: {
    name: 'MAX_BOARD_CARDS',
    isClusterWide: true,
    default: '50000',
    ...anyNumber(),
    meaning: 'The maximum number of cards of a board.',
  },
  maxBoardColumns: {
    name: 'MAX_BOARD_COLUMNS',
    isClusterWide: true,
    default: '500',
    ...anyNumber(),
    meaning: 'The maximum number of columns of a board.',
  },
  maxBoardLabels: {
    name: 'MAX_BOARD_LABELS',
    isClusterWide: true,
    default: '1000',
    ...anyNumber(),
    meaning: 'The maximum number of labels of a board.',
  },
  maxBoardMembers: {
    name: 'MAX_BOARD_MEMBERS',
    isClusterWide: true,
    default: '2000',
    ...anyNumber(),
    meaning: 'The maximum number of members of a board.',
  },
  maxBoardRules: {
    name: 'MAX_BOARD_RULES',
    isClusterWide: true,
    default: '200',
    ...anyNumber(),
    meaning: 'The maximum number of automation rules of a board.',
  },
  maxBoardItems: {
    name: 'MAX_BOARD_ITEMS',
    isClusterWide: true,
    default: '50000',
    ...anyNumber(),
    meaning: 'The maximum number of checklists, checklist items and attachments of a board, counted together.',
  },
  maxBoardAttachmentBytes: {
    name: 'MAX_BOARD_ATTACHMENT_BYTES',
    isClusterWide: true,
    default: '10737418240',
    ...anyNumber(),
    meaning: 'The maximum size of all attachments of a board together, in bytes.',
  },
  maxBoardCommentBytes: {
    name: 'MAX_BOARD_COMMENT_BYTES',
    isClusterWide: true,
    default: '67108864',
    ...wholeNumber(0, MAX_BOARD_BYTES),
    meaning: 'The maximum size of all comments of a board together, in bytes; each counts 512 more than its text.',
  },
  maxBoardsPerUser: {
    name: 'MAX_BOARDS_PER_USER',
    isClusterWide: true,
    default: '1000',
    ...anyNumber(),
    meaning: 'The maximum number of existing boards that one user has created. Deleted ones that can be restored take the places that are left.',
  },
  maxInvitesPerDay: {
    name: 'MAX_INVITES_PER_DAY',
    isClusterWide: true,
    default: '2000',
    ...anyNumber(),
    meaning: 'The maximum number of memberships that one user grants in a day (UTC), by invitations and imports.',
  },
  maxProfileChangesPerMinute: {
    name: 'MAX_PROFILE_CHANGES_PER_MINUTE',
    default: '10',
    ...anyNumber(),
    meaning:
      'How often one user can change their names in a minute, through this process; each change goes to all of their boards. And how often what they want of notices.',
  },
  passwordMinLength: {
    name: 'PASSWORD_MIN_LENGTH',
    isClusterWide: true,
    default: { development: '1', production: '8' },
    ...wholeNumber(1, MAX_PASSWORD_MIN_LENGTH),
    meaning: 'The minimum number of characters of a new password.',
  },
  passwordRequire: {
    name: 'PASSWORD_REQUIRE',
    isClusterWide: true,
    default: '',
    ...listOf(['lower', 'upper', 'digit', 'symbol']),
    meaning: 'The kinds of character that a new password must contain.',
  },
  natsUrl: {
    name: 'NATS_URL',
    default: '',
    ...natsAddresses(),
    redact: withoutCredentials,
    meaning: 'The NATS server that connects several instances, or a list of the servers of a NATS cluster; unset, one process owns everything.',
  },
  natsPrefix: {
    name: 'NATS_PREFIX',
    default: 'boards',
    allowed: 'a word of letters, digits, - and _',
    parse: (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined),
    meaning: 'The first part of every NATS subject; several services can share one NATS.',
  },
  replication: {
    name: 'REPLICATION',
    default: 'off',
    ...oneOf(['off', 'jetstream']),
    meaning: 'With jetstream, instances on several machines keep equal copies of all data, each in its own folder, by logs in NATS.',
  },
  logReplicas: {
    name: 'LOG_REPLICAS',
    default: '3',
    ...oneNumber([1, 3, 5]),
    meaning: 'On how many NATS servers each log is stored: 3 survives the loss of one, 5 of two. 1 survives none, and production refuses it.',
  },
  readLeaseMs: {
    name: 'READ_LEASE_MS',
    isClusterWide: true,
    default: '2000',
    ...wholeNumber(0, MAX_LEASE_MS),
    meaning: 'How long the owner of a board answers reads without asking the log, and how long a successor waits; 0 asks for every read.',
  },
  snapshotLogBytes: {
    name: 'SNAPSHOT_LOG_BYTES',
    default: '67108864',
    ...anyNumber(),
    meaning: 'The size of a log after which a snapshot replaces its beginning.',
  },
  natsSystemUrl: {
    name: 'NATS_SYSTEM_URL',
    default: '',
    ...natsAddresses(),
    redact: withoutCredentials,
    meaning:
      'The NATS servers with a user of their system account, for `cluster doctor` to see whether they store and flush every record, and which records each has.',
  },
  /** Null: the instances share a key in their data folder. */
  clusterSecret: {
    name: 'CLUSTER_SECRET',
    default: '',
    allowed: `a random text of at least ${MIN_SECRET_CHARACTERS} characters, the same for all instances, or empty`,
    parse: (text) => (text === '' ? null : [...text].length >= MIN_SECRET_CHARACTERS ? text : undefined),
    isVerbatim: true,
    redact: (text) => (text === '' ? '' : '(hidden)'),
    meaning: 'Seals messages between instances, and replicated logs; unset, they use the file `cluster.key` in the data folder.',
  },
  /** Null: the number that the data has, see replication/shardCount.ts. */
  shards: {
    name: 'SHARDS',
    isClusterWide: true,
    default: '',
    defaultInWords: '16, and 4 for a new cluster of several machines',
    ...optional(wholeNumber(1, MAX_SHARDS)),
    meaning: 'The number of files that hold the boards. It is decided while there is no data; afterwards no other number is accepted.',
  },
  /** 0: boards live in the I/O thread. */
  shardThreads: {
    name: 'SHARD_THREADS',
    default: String(Math.max(1, availableParallelism() - 1)),
    defaultInWords: 'cores - 1, at least 1',
    ...wholeNumber(0, MAX_SHARD_THREADS),
    meaning: 'Threads for boards; with 0 the I/O thread does their work.',
  },
  durability: {
    name: 'DURABILITY',
    isClusterWide: true,
    default: 'full',
    ...oneOf(['full', 'normal']),
    meaning:
      'Whether an acknowledged change survives a power cut (full) or only a crash of the process (normal). Without effect with ' +
      'REPLICATION=jetstream, where `sync_interval` of the NATS servers decides.',
  },
  heartbeatIntervalSeconds: {
    name: 'HEARTBEAT_INTERVAL_SECONDS',
    isClusterWide: true,
    default: '30',
    ...seconds(),
    meaning: 'How often the service sends a ping to a WebSocket client.',
  },
  pongTimeoutSeconds: {
    name: 'PONG_TIMEOUT_SECONDS',
    isClusterWide: true,
    default: '10',
    ...seconds(),
    meaning: 'How long a client may take to answer a ping.',
  },
  presenceTtlSeconds: {
    name: 'PRESENCE_TTL_SECONDS',
    isClusterWide: true,
    default: '60',
    ...seconds(),
    meaning: 'How long a user counts as present without a heartbeat.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    ...oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    meaning: 'The least severe log lines to write.',
  },
  boardMemoryBytes: {
    name: 'BOARD_MEMORY_BYTES',
    default: '268435456',
    ...anyNumber(),
    meaning: 'The budget for boards held in memory, a quarter of it for the read cache; above it the least recently used boards are dropped.',
  },
  boardIdleSeconds: {
    name: 'BOARD_IDLE_SECONDS',
    default: '300',
    ...seconds(),
    meaning: 'How long a board stays in memory without a request.',
  },
  eventRetentionCount: {
    name: 'EVENT_RETENTION_COUNT',
    isClusterWide: true,
    default: '10000',
    ...anyNumber(),
    meaning: 'How many events a board keeps for clients that were away.',
  },
  eventRetentionDays: {
    name: 'EVENT_RETENTION_DAYS',
    isClusterWide: true,
    default: '7',
    ...wholeNumber(1, MAX_RETENTION_DAYS),
    meaning: 'How long events are kept for clients that were away.',
  },
  activityDays: {
    name: 'ACTIVITY_DAYS',
    isClusterWide: true,
    default: '0',
    ...wholeNumber(0, MAX_RETENTION_DAYS),
    meaning: 'How long the activity of a board (who changed what) is kept; 0: as long as the board.',
  },
  trashDays: {
    name: 'TRASH_DAYS',
    isClusterWide: true,
    default: '30',
    ...wholeNumber(0, MAX_RETENTION_DAYS),
    meaning:
      'How long deleted boards, and what was deleted from a board, can be restored, within the limits of user and board; 0: it is gone at once.',
  },
  maxSockets: {
    name: 'MAX_SOCKETS',
    default: '20000',
    ...anyNumber(),
    meaning: 'The maximum number of WebSocket connections of this process.',
  },
  maxSocketsPerUser: {
    name: 'MAX_SOCKETS_PER_USER',
    default: '100',
    ...anyNumber(),
    meaning: 'The maximum number of WebSocket connections of one user to this process. In ten seconds a user can open twice as many.',
  },
  maxUploadsPerUser: {
    name: 'MAX_UPLOADS_PER_USER',
    default: '16',
    ...anyNumber(),
    meaning: 'The maximum number of files that one user uploads to this process at the same time.',
  },
  maxImports: {
    name: 'MAX_IMPORTS',
    default: '8',
    ...anyNumber(),
    meaning:
      'The maximum number of imports that this process carries out at the same time, once their documents have arrived; others wait, and users take turns. Of documents above 1 MiB it is one.',
  },
  maxImportsPerUser: {
    name: 'MAX_IMPORTS_PER_USER',
    default: '2',
    ...anyNumber(),
    meaning: 'The maximum number of imports of one user that arrive at this process, wait or are carried out.',
  },
  maxExportsPerUser: {
    name: 'MAX_EXPORTS_PER_USER',
    default: '4',
    ...anyNumber(),
    meaning: 'The maximum number of exports that one user reads from this process at the same time.',
  },
  maxSearchesPerUser: {
    name: 'MAX_SEARCHES_PER_USER',
    default: '16',
    ...anyNumber(),
    meaning: 'The maximum number of waiting user searches of one user; they run one after another.',
  },
  wsCompression: {
    name: 'WS_COMPRESSION',
    default: 'off',
    ...onOrOff(),
    meaning: 'Whether WebSocket messages are compressed: less traffic for more CPU time and memory.',
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    default: '',
    allowed: 'a random text, or empty',
    parse: (text) => text || null,
    redact: (text) => (text === '' ? '' : '(hidden)'),
    meaning: 'Lets Prometheus read /metrics as a bearer token; unset, only superusers can.',
  },
  auditLog: {
    name: 'AUDIT_LOG',
    default: 'on',
    ...onOrOff(),
    meaning: 'Whether audit entries are also written to the file `audit/audit.log` in the data folder, as JSON lines.',
  },
  auditLogBytes: {
    name: 'AUDIT_LOG_BYTES',
    default: '10485760',
    ...anyNumber(),
    meaning: 'The size of the audit file after which a new one begins.',
  },
  auditLogFiles: {
    name: 'AUDIT_LOG_FILES',
    default: '10',
    ...wholeNumber(1, MAX_AUDIT_FILES),
    meaning: 'How many audit files are kept, with the current one.',
  },
  adminApi: {
    name: 'ADMIN_API',
    isClusterWide: true,
    default: 'on',
    ...onOrOff(),
    meaning: 'Whether superusers can see statistics and manage users under /admin.',
  },
} satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingKey = keyof typeof TABLE;

/** The values in effect. The table is the only place that names a setting and its type. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof TABLE)[Key]> };

type ValueOf<S extends Setting<unknown>> = Exclude<ReturnType<S['parse']>, undefined>;

export const SETTINGS: { readonly [Key in SettingKey]: Setting<Settings[Key]> } = TABLE;
