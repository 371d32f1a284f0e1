import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { loadConfig, readEnvironment, safeText, type Config, type Environment } from '../src/settings/config.js';
import { PLACEHOLDER_SECRET, SETTINGS } from '../src/settings/settings.js';

const GOOD_SECRET = 'a-random-text-of-thirty-two-char';
const REPLICATED = { REPLICATION: 'jetstream', NATS_URL: 'nats://localhost:4222', CLUSTER_SECRET: GOOD_SECRET };
const PRODUCTION = { ENVIRONMENT: 'production', JWT_SECRET: GOOD_SECRET };

function accept(t: Test, env: Environment): Config {
  const result = loadConfig(env);
  if (result.ok) return result.config;
  t.same(result.problems, []);
  throw new Error('refused');
}

/** The only problem; with several problems, a text that matches no expected one. */
function onlyProblemOf(env: Environment): string {
  const [problem = 'no problem', ...others] = problemsOf(env);
  return others.length === 0 ? problem : `several problems: ${[problem, ...others].join(' ')}`;
}

function problemsOf(env: Environment): readonly string[] {
  const result = loadConfig(env);
  return result.ok ? [] : result.problems;
}

t.test('CONF1 without settings the documented development defaults hold', (t) => {
  const { shardThreads, ...config } = accept(t, {});
  t.ok(shardThreads >= 1);
  t.strictSame(config, {
    environment: 'development',
    host: '127.0.0.1',
    port: 8000,
    dataDir: resolve('data'),
    tlsCertFile: null,
    tlsKeyFile: null,
    trustedProxies: ['127.0.0.0/8', '::1'],
    webhookAllow: [],
    jwtSecret: PLACEHOLDER_SECRET,
    jwtSecretIsPlaceholder: true,
    jwtAlgorithm: 'HS256',
    jwtLifetimeSeconds: 3600,
    sessionLifetimeDays: 30,
    publicUrl: null,
    jwtAudience: 'switchboard',
    authMode: 'cookie',
    webApp: true,
    registration: 'open',
    invitations: 'superusers',
    userDirectory: 'everyone',
    smtpUrl: null,
    mailFrom: null,
    oidcIssuer: null,
    oidcClientId: null,
    oidcClientSecret: null,
    oidcRegistration: 'same',
    oidcButtonText: 'Single sign-on',
    oidcScopes: 'openid email profile',
    oidcSuperuserGroup: null,
    oidcGroupsClaim: 'groups',
    corsOrigins: '*',
    maxAttachmentBytes: 10_485_760,
    maxImportBytes: 268_435_456,
    maxBoardBytes: 41_943_040,
    maxBoardCards: 50_000,
    maxBoardColumns: 500,
    maxBoardLabels: 1_000,
    maxBoardMembers: 2_000,
    maxBoardRules: 200,
    maxBoardItems: 50_000,
    maxBoardAttachmentBytes: 10_737_418_240,
    maxBoardCommentBytes: 67_108_864,
    maxBoardsPerUser: 1_000,
    maxInvitesPerDay: 2_000,
    maxProfileChangesPerMinute: 10,
    passwordMinLength: 1,
    passwordRequire: [],
    natsUrl: null,
    natsPrefix: 'boards',
    replication: 'off',
    logReplicas: 3,
    readLeaseMs: 2_000,
    snapshotLogBytes: 67_108_864,
    natsSystemUrl: null,
    clusterSecret: null,
    shards: null,
    durability: 'full',
    heartbeatIntervalSeconds: 30,
    pongTimeoutSeconds: 10,
    presenceTtlSeconds: 60,
    logLevel: 'info',
    boardMemoryBytes: 268_435_456,
    boardIdleSeconds: 300,
    eventRetentionCount: 10_000,
    eventRetentionDays: 7,
    activityDays: 0,
    trashDays: 30,
    maxSockets: 20_000,
    maxSocketsPerUser: 100,
    maxUploadsPerUser: 16,
    maxImports: 8,
    maxImportsPerUser: 2,
    maxExportsPerUser: 4,
    maxSearchesPerUser: 16,
    wsCompression: false,
    metricsToken: null,
    auditLog: true,
    auditLogBytes: 10_485_760,
    auditLogFiles: 10,
    adminApi: true,
  });
  t.end();
});

t.test('CONF1 production has its own defaults', (t) => {
  const development = accept(t, { JWT_SECRET: GOOD_SECRET });
  t.strictSame(accept(t, PRODUCTION), {
    ...development,
    environment: 'production',
    host: '0.0.0.0',
    corsOrigins: [],
    passwordMinLength: 8,
  });
  t.equal(development.jwtSecretIsPlaceholder, false);
  t.end();
});

t.test('CONF1 an empty or blank variable counts as unset, and blanks around a value are ignored', (t) => {
  t.match(accept(t, { PORT: '', HOST: '  ', SHARDS: ' 4 ' }), { port: 8000, host: '127.0.0.1', shards: 4 });
  t.equal(accept(t, { JWT_SECRET: ' kept as it is ' }).jwtSecret, ' kept as it is ');
  t.end();
});

t.test('CONF5 each value is parsed in its own format', (t) => {
  t.strictSame(
    accept(t, {
      PORT: '0',
      DATA_DIR: '/srv/boards/../data',
      TLS_CERT_FILE: 'tls/cert.pem',
      TLS_KEY_FILE: '/etc/key.pem',
      TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.0.2.1',
      JWT_ALGORITHM: 'hs512',
      AUTH_MODE: 'bearer',
      PUBLIC_URL: 'HTTPS://Boards.example.org:443/',
      CORS_ORIGINS: 'HTTPS://Boards.example.org:443, http://localhost:3000,http://localhost:3000,app://desk',
      PASSWORD_REQUIRE: 'digit, upper',
      NATS_URL: 'nats://localhost:4222, tls://ann:secret@nats.example.org',
      SMTP_URL: 'smtp://ann%40example.org:p%3Aw@mail.example.org',
      MAIL_FROM: 'Our boards <boards@example.org>',
      REPLICATION: 'JetStream',
      LOG_REPLICAS: '5',
      READ_LEASE_MS: '0',
      SNAPSHOT_LOG_BYTES: '1048576',
      NATS_SYSTEM_URL: 'nats://monitor:secret@localhost:4222',
      CLUSTER_SECRET: GOOD_SECRET,
      SHARD_THREADS: '0',
      DURABILITY: 'normal',
      HEARTBEAT_INTERVAL_SECONDS: '0.2',
      LOG_LEVEL: 'silent',
      WS_COMPRESSION: 'on',
    }),
    {
      ...accept(t, {}),
      port: 0,
      dataDir: '/srv/data',
      tlsCertFile: resolve('tls/cert.pem'),
      tlsKeyFile: '/etc/key.pem',
      trustedProxies: ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'],
      jwtAlgorithm: 'HS512',
      authMode: 'bearer',
      publicUrl: 'https://boards.example.org',
      corsOrigins: ['https://boards.example.org', 'http://localhost:3000', 'app://desk'],
      passwordRequire: ['digit', 'upper'],
      natsUrl: ['nats://localhost:4222', 'tls://ann:secret@nats.example.org'],
      smtpUrl: { host: 'mail.example.org', port: 587, isSecure: false, login: { user: 'ann@example.org', password: 'p:w' } },
      mailFrom: { name: 'Our boards', address: 'boards@example.org' },
      replication: 'jetstream',
      logReplicas: 5,
      readLeaseMs: 0,
      snapshotLogBytes: 1_048_576,
      natsSystemUrl: ['nats://monitor:secret@localhost:4222'],
      clusterSecret: GOOD_SECRET,
      shardThreads: 0,
      durability: 'normal',
      heartbeatIntervalSeconds: 0.2,
      logLevel: 'silent',
      wsCompression: true,
    },
  );
  t.end();
});

for (const [name, values] of Object.entries({
  ENVIRONMENT: ['staging'],
  HOST: ['http://localhost', 'local host', 'localhost/x'],
  PORT: ['-1', '65536', '80.5', '0x50', 'eighty'],
  WEBHOOK_ALLOW: ['example.org', '10.0.0.0/33'],
  TRUSTED_PROXIES: ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '::1/129'],
  JWT_ALGORITHM: ['none', 'RS256'],
  JWT_LIFETIME_SECONDS: ['0', '1e3', '99999999999'],
  AUDIT_LOG: ['yes', '/var/log/audit'],
  AUDIT_LOG_BYTES: ['0', '10MB'],
  AUDIT_LOG_FILES: ['0', '10001'],
  SESSION_LIFETIME_DAYS: ['0', '3651', '1.5'],
  PUBLIC_URL: ['boards.example.org', 'https://a.example/path', 'https://a.example//', 'app://desk', '*', 'https://ann:x@a.example'],
  AUTH_MODE: ['session'],
  CORS_ORIGINS: ['a.example', 'https://a.example/path', 'https://a.example/', '*,http://a.example', 'http://*.example'],
  MAX_ATTACHMENT_BYTES: ['0', '10MB'],
  PASSWORD_MIN_LENGTH: ['0', '129'],
  PASSWORD_REQUIRE: ['digits', 'lower;upper'],
  NATS_URL: ['localhost', 'http://localhost:4222', 'nats://', ',', 'nats://one:4222,two:4222'],
  NATS_SYSTEM_URL: ['localhost'],
  MAIL_FROM: [
    'boards',
    'a@b@c',
    'a b@example.org',
    'Boards <boards@example.org',
    'boards@example.org>',
    'x\ny <a@b.example>',
    'a@b.example, c@d.example',
    '"x" <a@b.example>',
  ],
  REPLICATION: ['on', 'nats'],
  LOG_REPLICAS: ['0', '2', '4', '7', '3.0'],
  READ_LEASE_MS: ['-1', '60001'],
  SNAPSHOT_LOG_BYTES: ['0', '64MB'],
  SHARDS: ['0', '1025'],
  SHARD_THREADS: ['-1', '1.5'],
  DURABILITY: ['none'],
  HEARTBEAT_INTERVAL_SECONDS: ['0', '-1', 'Infinity', 'NaN'],
  PONG_TIMEOUT_SECONDS: ['0'],
  PRESENCE_TTL_SECONDS: ['0'],
  LOG_LEVEL: ['verbose'],
  BOARD_MEMORY_BYTES: ['0'],
  BOARD_IDLE_SECONDS: ['0'],
  EVENT_RETENTION_COUNT: ['0'],
  EVENT_RETENTION_DAYS: ['0'],
  ACTIVITY_DAYS: ['-1', '36501'],
  TRASH_DAYS: ['-1', '36501'],
  MAX_SOCKETS: ['0', '9007199254740993'],
  MAX_SOCKETS_PER_USER: ['0'],
  WS_COMPRESSION: ['yes'],
})) {
  t.test(`CONF5 a value of ${name} that is not allowed is refused, with what is allowed`, (t) => {
    const setting = Object.values(SETTINGS).find((candidate) => candidate.name === name);
    for (const value of values) {
      const problem = `${name} is ${JSON.stringify(value)}. It must be ${setting?.allowed}.`;
      t.ok(problemsOf({ [name]: value }).includes(problem), problem);
    }
    t.end();
  });
}

t.test('CLI12 all problems are reported at once', (t) => {
  const problems = problemsOf({ PORT: 'x', SHARDS: 'y', ENVIRONMENT: 'production', CORS_ORIGINS: '*' });
  t.same(
    problems.map((problem) => problem.split(' ', 1)[0]),
    ['PORT', 'JWT_SECRET', 'SHARDS', 'CORS_ORIGINS'],
  );
  t.end();
});

t.test('CONF7 production refuses a missing, placeholder or short secret, the CORS wildcard and logs on one NATS server', (t) => {
  t.match(onlyProblemOf({ ENVIRONMENT: 'production' }), /^JWT_SECRET is not set\./);
  t.match(onlyProblemOf({ ...PRODUCTION, JWT_SECRET: PLACEHOLDER_SECRET }), /^JWT_SECRET .*placeholder/);
  t.match(onlyProblemOf({ ...PRODUCTION, JWT_SECRET: GOOD_SECRET.slice(1) }), /^JWT_SECRET has 31 characters/);
  t.match(onlyProblemOf({ ...PRODUCTION, JWT_SECRET: '\u{1F511}'.repeat(31) }), /^JWT_SECRET has 31 characters/);
  t.match(onlyProblemOf({ ...PRODUCTION, CORS_ORIGINS: '*' }), /^CORS_ORIGINS is "\*"/);
  t.match(onlyProblemOf({ ...PRODUCTION, ...REPLICATED, LOG_REPLICAS: '1' }), /^LOG_REPLICAS is 1\./);
  t.same(problemsOf(PRODUCTION), []);
  t.end();
});

t.test('CONF7 development allows what production refuses', (t) => {
  t.same(problemsOf({ JWT_SECRET: 'short', CORS_ORIGINS: '*' }), []);
  t.same(problemsOf({ JWT_SECRET: PLACEHOLDER_SECRET }), []);
  t.same(problemsOf({ ...REPLICATED, LOG_REPLICAS: '1' }), []);
  t.end();
});

t.test('CLI12 no problem report shows a secret', (t) => {
  const problems = problemsOf({
    ENVIRONMENT: 'production',
    JWT_SECRET: 'hunter2',
    NATS_URL: 'http://operator:hunter2@nats.example.org',
  });
  t.equal(problems.length, 2);
  t.notMatch(problems.join('\n'), 'hunter2');
  t.match(problems.join('\n'), 'nats.example.org');
  for (const url of [
    'hunter2@',
    'nats:hunter2@host',
    'http//a:hunter2@host',
    'http://a:p@hunter2@b',
    'http://a:hunter2@b,http://a:hunter2@c',
    'http://a:hunter2,x@b',
  ]) {
    t.notMatch(problemsOf({ NATS_URL: url }).join('\n'), 'hunter2', url);
  }
  for (const url of [
    'hunter2',
    'smtp://a:hunter2',
    'http://a:hunter2@b',
    'smtp://a:hunter2@',
    'smtp://:hunter2@b',
    'smtp://hunter2@b',
    'smtp://a:hunter2@b/c',
    'smtp://a:%hunter2@b',
    'smtp://a:hunter2@b:x',
    'smtp://a:b@c?d=hunter2',
    'smtps://a:hunter2@mail.example.org',
  ]) {
    t.match(problemsOf({ SMTP_URL: url }).join('\n'), /^(SMTP|PUBLIC)_URL/, url);
    t.notMatch(problemsOf({ SMTP_URL: url }).join('\n'), 'hunter2', url);
    t.notMatch(safeText(SETTINGS.smtpUrl, url), 'hunter2', `${url} for config check`);
  }
  t.equal(safeText(SETTINGS.smtpUrl, 'smtps://a:hunter2@mail.example.org'), 'smtps://(hidden)@mail.example.org:465');
  t.equal(safeText(SETTINGS.smtpUrl, 'smtp://[::1]:25'), 'smtp://[::1]:25');
  t.end();
});

t.test('CONF5 contradictory settings are refused', (t) => {
  t.match(onlyProblemOf({ SMTP_URL: 'smtp://localhost:25' }), /^PUBLIC_URL is not set\. It must be, because SMTP_URL is/);
  t.same(problemsOf({ SMTP_URL: 'smtp://localhost:25', PUBLIC_URL: 'https://boards.example.org' }), []);
  t.match(onlyProblemOf({ HEARTBEAT_INTERVAL_SECONDS: '60' }), /^PRESENCE_TTL_SECONDS is 60/);
  t.match(onlyProblemOf({ TLS_CERT_FILE: 'cert.pem' }), /^TLS_KEY_FILE is not set/);
  t.match(onlyProblemOf({ TLS_KEY_FILE: 'key.pem' }), /^TLS_CERT_FILE is not set/);
  t.match(onlyProblemOf({ MAX_SOCKETS: '10' }), /^MAX_SOCKETS_PER_USER is 100/);
  t.match(onlyProblemOf({ ...REPLICATED, NATS_URL: '' }), /^NATS_URL is not set\. .*REPLICATION is jetstream/);
  t.match(onlyProblemOf({ ...REPLICATED, CLUSTER_SECRET: '' }), /^CLUSTER_SECRET is not set\. .*REPLICATION is jetstream/);
  t.end();
});

t.test('CONF1 a .env file is read if present, and the environment takes precedence', (t) => {
  const folder = t.testdir({ '.env': 'SHARDS=3\nPATH=nowhere\nJWT_AUDIENCE="two words" # a remark\n' });
  const env = readEnvironment(folder);
  t.equal(env['SHARDS'], '3');
  t.equal(env['JWT_AUDIENCE'], 'two words');
  t.equal(env['PATH'], process.env['PATH']);
  t.equal(readEnvironment(join(folder, 'missing'))['PATH'], process.env['PATH']);
  t.end();
});

t.test('CONF1 a .env that cannot be read is an error', (t) => {
  const folder = t.testdir({});
  mkdirSync(join(folder, '.env'));
  writeFileSync(join(folder, '.env', 'SHARDS'), '3');
  t.throws(() => readEnvironment(folder), { code: 'EISDIR' });
  t.end();
});

const SSO = { OIDC_ISSUER: 'https://id.example.org/realms/one', OIDC_CLIENT_ID: 'boards', PUBLIC_URL: 'https://boards.example.org' };

t.test('SSO1 single sign-on needs an issuer over HTTPS, a client and our own address, and says all that is missing at once', (t) => {
  t.match(accept(t, { ...SSO, OIDC_CLIENT_SECRET: ' kept as it is ' }), { oidcIssuer: SSO.OIDC_ISSUER, oidcClientSecret: ' kept as it is ' });
  t.equal(accept(t, { ...SSO, OIDC_ISSUER: 'https://id.example.org/' }).oidcIssuer, 'https://id.example.org/', 'as it is spelled');
  for (const issuer of ['http://127.0.0.1:8080/realms/one', 'http://localhost:8080', 'http://[::1]:8080']) {
    t.equal(accept(t, { ...SSO, OIDC_ISSUER: issuer }).oidcIssuer, issuer);
  }
  const wrong = [
    'http://id.example.org',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'id.example.org',
    'ftp://id.example.org',
    'https://ann:secret@id.example.org',
    'https://id.example.org?a',
    'https://id.example.org#a',
    'https://id.example.org/a b',
  ];
  for (const issuer of wrong)
    t.match(onlyProblemOf({ ...SSO, OIDC_ISSUER: issuer }), /^OIDC_ISSUER is .* It must be an address such as https:/, issuer);
  t.strictSame(problemsOf({ OIDC_ISSUER: SSO.OIDC_ISSUER, AUTH_MODE: 'bearer' }), [
    'OIDC_CLIENT_ID is not set. It must be, because OIDC_ISSUER is.',
    'PUBLIC_URL is not set. It must be, because OIDC_ISSUER is.',
    'AUTH_MODE is bearer. It must be cookie, because OIDC_ISSUER is set: a browser comes back from there.',
  ]);
  t.equal(
    onlyProblemOf({ OIDC_CLIENT_ID: 'boards', OIDC_CLIENT_SECRET: 'hush', OIDC_SUPERUSER_GROUP: 'admins' }),
    'OIDC_ISSUER is not set. It must be, because OIDC_CLIENT_ID and OIDC_CLIENT_SECRET and OIDC_SUPERUSER_GROUP is.',
  );
  t.end();
});

t.test('SSO1 scopes, button and claim have a format, and the secret of the client is never shown', (t) => {
  t.match(accept(t, { ...SSO, OIDC_SCOPES: 'openid email groups' }), { oidcScopes: 'openid email groups' });
  for (const scopes of ['email profile', 'openid  email', 'openid "x"', 'openid,email', 'openid\temail']) {
    t.match(onlyProblemOf({ ...SSO, OIDC_SCOPES: scopes }), /^OIDC_SCOPES is /, scopes);
  }
  for (const text of ['x'.repeat(61), 'a\nb']) t.match(onlyProblemOf({ ...SSO, OIDC_BUTTON_TEXT: text }), /^OIDC_BUTTON_TEXT is /);
  t.match(onlyProblemOf({ ...SSO, OIDC_GROUPS_CLAIM: 'two words' }), /^OIDC_GROUPS_CLAIM is /);
  t.equal(safeText(SETTINGS.oidcClientSecret, 'hush'), '(hidden)');
  t.equal(safeText(SETTINGS.oidcClientSecret, ''), '');
  t.end();
});
