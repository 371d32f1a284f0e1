/** Composition root: builds the whole service from its configuration and shuts it down. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { ELECTION_MS } from './partitions/deadline.js';
import type { Readiness } from './partitions/health/readiness.js';
import { boardLimits } from './shard/boardLimits.js';
import { ListPlaces } from './partitions/cache/listPlaces.js';
import { storeMetrics } from './partitions/health/partitionMetrics.js';
import { ADMINISTRATION } from './api/operations/service/admin.js';
import { operations } from './api/operations/table.js';
import { openAudit } from './audit/openAudit.js';
import { AccountTokens } from './auth/accountTokens.js';
import { operatorServices } from './api/operatorServices.js';
import { unsubscribeLink } from './api/pageLinks.js';
import { Callers } from './auth/callers.js';
import { SealedSecrets } from './auth/sealedSecrets.js';
import { createGuessGate } from './auth/guessing/guessGate.js';
import { LoginGuard } from './auth/guessing/loginGuard.js';
import { RecentFailures as RecentTimes } from './auth/guessing/recentFailures.js';
import { createLoginLimiter } from './auth/guessing/loginLimiter.js';
import { createPasswords } from './auth/passwords.js';
import { RefreshLimits } from './auth/guessing/refreshLimits.js';
import { RefreshTokens } from './auth/refreshTokens.js';
import { SingleSignOn } from './auth/sso/singleSignOn.js';
import { UnsubscribeTokens } from './auth/unsubscribeTokens.js';
import { recordActivity } from './auth/sessionActivity.js';
import { createTokens } from './auth/tokens.js';
import type { Bus } from './bus/bus.js';
import { busMetrics } from './bus/busMetrics.js';
import { LocalBus } from './bus/localBus.js';
import type { NatsBus } from './bus/natsBus.js';
import { changedSettings, type Config } from './settings/config.js';
import { startOperatorServer } from './operator/server.js';
import { startDataServices, type Moved, type PeerConnection } from './dataServices.js';
import { parsePartition } from './partitions/partitionNames.js';
import type { Replication } from './replication/prepareReplication.js';
import { DocumentThreadClient } from './documents/documentThreadClient.js';
import { AppError } from './domain/errors.js';
import { OwnerCounts } from './flow/ownerCounts.js';
import { IdSource } from './domain/ids.js';
import { checkCertificate, findCertificateFlaw, type TlsFiles } from './http/certificate.js';
import { BodyMemory } from './http/answer/bodyMemory.js';
import { findListenFault } from './http/listenFault.js';
import { documentPages } from './http/pages/pages.js';
import { loadWebApp, NO_WEB_APP } from './http/pages/webApp.js';
import { apiDocuments } from './http/pages/apiDocuments.js';
import { HttpServer } from './http/server.js';
import { createLogger } from './logger.js';
import { mailMetrics } from './mail/mailMetrics.js';
import { openMail } from './mail/openMail.js';
import { NoticeSender } from './mail/noticeSender.js';
import { renderMetrics } from './metrics/prometheus.js';
import { startProcessMetrics } from './metrics/processMetrics.js';
import { RequestMetrics } from './metrics/requestMetrics.js';
import { ConnectionLimits } from './realtime/entry/connectionLimits.js';
import { EventStreams } from './realtime/socket/eventStreams.js';
import { Hub } from './realtime/hub.js';
import { socketMetrics } from './realtime/socketMetrics.js';
import { SocketServer } from './realtime/socket/sockets.js';
import { shardsOfStart } from './replication/shardCount.js';
import { readClusterKey } from './store/folder/clusterKey.js';
import { folderIdentity } from './store/folder/record/folderIdentity.js';
import { removeUnfinishedSnapshots } from './store/folder/snapshotFiles.js';
import { tightenModes } from './store/folder/folderModes.js';
import { watchFreeSpace } from './store/folder/freeSpace.js';
import { prepareFolder } from './store/folder/prepareFolder.js';
import { offerSetup, setupTokenPath } from './setupOffer.js';
import { ThisInstance } from './thisInstance.js';
import { VERSION } from './version.js';
import { PeerRefusals } from './wire/peerRefusals.js';
import { tokenDigest } from './wire/tokenDigest.js';

/** While the service starts and stops. */
const NOT_READY: Readiness = { isReady: false, detail: 'Not ready' };

const FAILED_LOGINS = { limit: 10, windowSeconds: 60 } as const;
/** As many keys take about 5 MB. */
const PROFILE_CHANGES = { windowMs: 60_000, maxKeys: 20_000 } as const;
const PUBLIC_SECRET = 'access tokens are signed with the public development secret, so anyone can forge one; set JWT_SECRET to a random text';
/** A proxy in front may have a certificate: then the setting says so. */
const NO_HTTPS =
  'browsers keep a login over HTTPS only: put a proxy with a certificate in front and set PUBLIC_URL to its https:// address, or set TLS_CERT_FILE and TLS_KEY_FILE';

const NO_SUPERUSER = 'no user is a superuser yet: open the page /app/setup with the token in this file, or run "switchboard user create --superuser"';

export interface App {
  /** The address of the service, with the actual port. */
  readonly url: string;
  /** Publishes changes of boards and users. */
  readonly bus: Bus;
  /** The token for the first superuser, for a terminal alone; null if a user is or was one. */
  readonly setupToken: Promise<string | null>;
  /** Resolves when a part failed that only a restart can repair. */
  readonly broken: Promise<unknown>;
  /** Reads the certificate again, for new connections. If it is invalid, that is logged and nothing changes. */
  renewCertificate(): void;
  close(): Promise<void>;
}

/** `signal` aborts a running start after its current step. */
export async function startApp(config: Config, log: Logger = createLogger(config), signal: AbortSignal = new AbortController().signal): Promise<App> {
  /** Shut down in reverse order of building, also if building fails halfway. */
  const built: Array<() => unknown> = [];
  const closeAll = async (): Promise<void> => {
    for (let close = built.pop(); close !== undefined; close = built.pop()) await close();
  };
  try {
    return { ...(await build(config, log, built, signal)), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function build(given: Config, log: Logger, built: Array<() => unknown>, signal: AbortSignal): Promise<Omit<App, 'close'>> {
  const tls = tlsFiles(given);
  if (tls !== null) reportCertificate(tls, log);
  const instance = new ThisInstance(randomBytes(6).toString('hex'));
  // Before a folder is made, because the cluster decides on the number of its shards.
  const replication = given.replication === 'off' ? null : await openReplication(given, instance.id, log);
  if (replication !== null) built.push(() => replication.watch.stop());
  const shards = replication?.settings.shards ?? shardsOfStart(given, null);
  const config = { ...given, shards };
  const { dataDir } = config;
  const folder = await prepareFolder({ dataDir, shards, signal });
  if (replication !== null) removeUnfinishedSnapshots(dataDir);
  reportModes(dataDir, log);
  const refusals = new PeerRefusals(log);
  const peers = await openNatsBus(config, instance.id, refusals, log);
  const nats = peers?.network ?? null;
  const bus: Bus = nats ?? new LocalBus();
  built.push(() => bus.close());
  signal.throwIfAborted();

  const stopping = new AbortController();
  const held = new BodyMemory();
  const data = await startDataServices({
    room: held,
    config,
    folder: folder.id,
    bus,
    peers,
    log,
    describe: () => instance.describe(),
    replication,
    built,
  });

  const { replicated } = data;
  signal.throwIfAborted();
  const space = await watchFreeSpace(dataDir, (error) => {
    log.warn({ err: error, dataDir }, 'the free space of the disk cannot be read');
  });
  built.push(() => space.stop());
  const audit = openAudit(config, data.directory, log);
  built.push(() => audit.close());
  const tokens = createTokens({
    secret: config.jwtSecret,
    algorithm: config.jwtAlgorithm,
    lifetimeSeconds: config.jwtLifetimeSeconds,
    audience: config.jwtAudience,
  });
  const callers = new Callers(tokens, data.directory, data.remembrance);
  data.onForgotten((forgotten) => {
    if (forgotten === 'all') callers.doubtAll();
    else for (const id of forgotten) callers.forget(id);
  });
  bus.subscribeToUsers((user) => callers.forget(user.id));
  bus.subscribeToSessions((message) => {
    if (message.kind === 'ended') callers.forget(message.user_id);
  });
  const activity = recordActivity(callers, data.directory, (error) => log.debug({ err: error }, 'the use of sessions was not recorded'));
  built.push(() => activity.stop());
  const passwords = createPasswords({
    onError: (error) => log.error({ err: error }, 'a password could not be checked'),
    cost: config.passwordCost,
  });
  built.push(() => passwords.close());
  const loginGuard = new LoginGuard(createLoginLimiter(FAILED_LOGINS), createGuessGate(FAILED_LOGINS));
  const documents = new DocumentThreadClient({
    limits: boardLimits(config),
    imports: config,
    onError: (error) => log.error({ err: error }, 'a document could not be read'),
  });
  built.push(() => documents.close());
  const mail = await openMail(config, log);
  if (mail !== null) built.push(() => mail.close());
  const ids = new IdSource();
  const now = (): Date => new Date();
  const report = (failure: unknown, message: string): void => log.warn({ err: failure }, message);
  const { directory, boards, imports, content, trashedBoards } = data;
  const unsubscribeTokens = new UnsubscribeTokens(config.jwtSecret);
  if (mail !== null && config.publicUrl !== null) {
    const { publicUrl } = config;
    const sender = new NoticeSender({
      directory,
      mail,
      isOwner: () => data.ownsDirectory(),
      unsubscribeLink: (userId) => unsubscribeLink(publicUrl, unsubscribeTokens.issue(userId, now())),
      now,
      log,
    });
    built.push(() => sender.stop());
  }
  const setup = offerSetup(dataDir, directory, log);
  built.push(() => setup.stop());
  const operators = await startOperatorServer({
    dataDir: config.dataDir,
    directory,
    operator: operatorServices({
      config,
      directory,
      boards,
      imports,
      content,
      trashedBoards,
      documents,
      ids,
      now,
      report,
      writeToFile: (entry) => audit.writeToFile(entry),
    }),
    overview: () => ({
      pubsub: bus.status(),
      instances: data.instances(),
      partitions: data.partitions,
      ...(replicated === null ? {} : { replicated: replicated.overview() }),
    }),
    cluster: replicated,
    audit,
    takeSnapshot: (text) => data.takeSnapshot(parsePartition(text, data.partitions)),
    log,
  });
  built.push(() => operators.close());

  const requests = new RequestMetrics();
  const processMetrics = startProcessMetrics();
  built.push(() => processMetrics.stop());
  const metrics = async (): Promise<string> => {
    const stats = await data.stats();
    return renderMetrics([
      ...requests.collect(),
      ...storeMetrics(stats),
      ...(replicated?.metrics(stats) ?? []),
      ...data.cacheMetrics(),
      ...socketMetrics(hub),
      ...busMetrics(bus.status()),
      ...refusals.collect(),
      ...audit.collect(),
      ...data.webhooks.metrics(stats),
      ...mailMetrics(mail?.stats ?? null),
      ...processMetrics.collect(),
    ]);
  };

  const isServed = (tag: string): boolean => config.adminApi || tag !== ADMINISTRATION;
  const served = operations.filter(({ tag }) => isServed(tag));
  const server: HttpServer = new HttpServer({
    held,
    host: config.host,
    port: config.port,
    // Instances on one machine may share a port; the kernel spreads the connections.
    sharePort: nats !== null,
    tls,
    operations: served,
    callers,
    pages: documentPages({ hasWebApp: config.webApp }),
    webApp: config.webApp ? loadWebApp() : NO_WEB_APP,
    log,
    metrics: requests,
    patienceMs: replicated === null ? null : ELECTION_MS,
    services: {
      config,
      directory,
      boards,
      imports,
      answers: data.answers,
      trashedBoards,
      content,
      presence: data.presence,
      webhooks: data.webhooks,
      lists: new ListPlaces(held),
      eventStreams: { open: (request) => streams.open(request) },
      instances: () => data.instances(),
      replicated,
      passwords,
      tokens,
      refreshTokens: new RefreshTokens(config.jwtSecret),
      refreshLimits: new RefreshLimits(),
      accountTokens: new AccountTokens(config.jwtSecret),
      unsubscribeTokens,
      mail,
      documents,
      loginGuard,
      profileChanges: new RecentTimes({ limit: config.maxProfileChangesPerMinute, ...PROFILE_CHANGES }),
      movesUnderWay: new OwnerCounts(),
      factorSecrets: new SealedSecrets(config.jwtSecret, 'factors'),
      audit,
      setup: setup.door,
      sso: singleSignOn(config, log),
      ids,
      now,
      pubsub: () => bus.status(),
      differingSettings: () => data.differingSettings(),
      report,
      metrics,
      readiness: () => (stopping.signal.aborted || !server.isServing ? NOT_READY : data.readiness(space.isFull)),
      apiDocuments: apiDocuments(isServed),
    },
  });
  const hub = new Hub({
    publisher: server.listener,
    bus,
    presence: data.presence,
    eventLog: data.eventLog,
    directory: data.directory,
    log,
    heartbeatIntervalMs: config.heartbeatIntervalSeconds * 1000,
    pongTimeoutMs: config.pongTimeoutSeconds * 1000,
    compress: config.wsCompression,
    tokenLifetimeSeconds: config.jwtLifetimeSeconds,
  });
  /** Messages about users or boards may have been lost. */
  const recheck = ({ isBoard, users }: Moved): void => {
    if (users) {
      callers.doubtAll();
      void hub.recheckUsers();
    }
    hub.recheck(isBoard);
  };
  data.onMoved(recheck);
  nats?.onConnect(() => recheck({ isBoard: () => true, users: true }));
  const connectionLimits = new ConnectionLimits(hub, config);
  const streams = new EventStreams({ hub, boards: data.boards, connectionLimits, log });
  const sockets = new SocketServer({
    hub,
    connectionLimits,
    presence: data.presence,
    callers,
    config,
    log,
    admitsCookie: (res, req) => server.admitsCookie(res, req),
  });
  server.listener.serve((app) => sockets.attach(app));
  built.push(() => server.stop());
  built.push(() => loginGuard.close());
  built.push(() => sockets.stop());
  // Built last, so it goes first: load balancers see the stop before anything is closed.
  built.push(() => stopping.abort());
  const port = await listen(server, config);
  const url = `${tls === null ? 'http' : 'https'}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  instance.serves(url, () => hub.size);
  audit.record({
    kind: 'service.started',
    user: null,
    details: { instance: instance.id, url, version: VERSION, ...changedSettings(given) },
  });
  if (config.jwtSecretIsPlaceholder) log.warn(PUBLIC_SECRET);
  if (config.environment === 'production' && tls === null && config.publicUrl?.startsWith('https://') !== true) log.warn(NO_HTTPS);
  log.info({ url, environment: config.environment, dataDir: config.dataDir }, 'serving');
  const renewCertificate = (): void => {
    if (tls === null) return;
    try {
      reportCertificate(tls, log);
      server.listener.renewCertificate();
    } catch (error) {
      log.error({ err: error }, 'the certificate was not renewed');
    }
  };
  void setup.token.then((token) => {
    if (token !== null) log.info({ file: setupTokenPath(dataDir) }, NO_SUPERUSER);
  });
  return { url, bus, setupToken: setup.token, broken: data.broken, renewCertificate };
}

async function listen(server: HttpServer, { host, port }: Config): Promise<number> {
  try {
    return server.listen();
  } catch (error) {
    const fault = await findListenFault(host, port);
    throw fault === null ? error : new AppError('unavailable', fault.text, { cause: error });
  }
}

/** Null for a single process: loading the NATS client would be a tenth of its start. */
async function openNatsBus(
  config: Config,
  instanceId: string,
  refusals: PeerRefusals,
  log: Logger,
): Promise<(PeerConnection & { readonly network: NatsBus }) | null> {
  if (config.natsUrl === null) return null;
  const { NatsBus } = await import('./bus/natsBus.js');
  const { clusterSecret, dataDir, natsPrefix, replication } = config;
  // Services with other data may use the same NATS without receiving each other's messages.
  const prefix = replication === 'off' ? `${natsPrefix}.${folderIdentity(dataDir)}` : natsPrefix;
  const key = clusterSecret === null ? readClusterKey(dataDir) : Buffer.from(clusterSecret);
  const tokens = [config.jwtSecret, config.jwtAlgorithm, config.jwtAudience];
  const network = new NatsBus({ urls: config.natsUrl, prefix, instanceId, key, refusals, log });
  return { network, refusals, tokens: tokenDigest({ clusterSecret: key, tokens, context: folderIdentity(dataDir) }) };
}

/** Loaded only when it is needed, as the NATS client is. */
async function openReplication(config: Config, instanceId: string, log: Logger): Promise<Replication> {
  const { prepareReplication } = await import('./replication/prepareReplication.js');
  return prepareReplication(config, instanceId, log);
}

/** Null if it is not configured. */
function singleSignOn(config: Config, log: Logger): SingleSignOn | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl } = config;
  if (issuer === null || clientId === null || publicUrl === null) return null;
  return new SingleSignOn({
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    superuserGroup: config.oidcSuperuserGroup,
    publicUrl,
    secret: config.jwtSecret,
    onTrouble: (problem) => log.warn({ issuer, problem }, 'the provider of single sign-on cannot be used'),
  });
}

/** Other users of this machine who can read the data can read every password hash. */
function reportModes(dataDir: string, log: Logger): void {
  const { tightened, open, isWritableByOthers } = tightenModes(dataDir);
  if (tightened.length > 0) log.warn({ dataDir, files: tightened }, 'data files were open to other users; now they are not');
  if (open.length > 0) log.warn({ dataDir, files: open }, 'data files are open to other users');
  if (isWritableByOthers) log.warn({ dataDir }, 'the data folder can be written by other users: chmod 700 it');
}

function tlsFiles({ tlsCertFile, tlsKeyFile }: Config): TlsFiles | null {
  return tlsCertFile === null || tlsKeyFile === null ? null : { certFile: tlsCertFile, keyFile: tlsKeyFile };
}

/** Throws if the files cannot be used. Logs when they expire, for monitoring. */
function reportCertificate(files: TlsFiles, log: Logger): void {
  const facts = checkCertificate(files);
  log.info(facts, 'certificate read');
  const flaw = findCertificateFlaw(facts, new Date());
  if (flaw !== null) log.warn({ certFile: files.certFile }, flaw);
}
