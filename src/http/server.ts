/** The HTTP edge: turns a uWebSockets request into a call of an operation, and its result into an answer. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { FairLanes } from '../flow/fairLanes.js';
import { parsePathParameters } from '../api/operation/pathParameters.js';
import { requireKeyBoard, requireKeyRights } from '../api/operation/keyAccess.js';
import { validateQuery } from '../api/operation/validate.js';
import type { Operation, RawCall, Services } from '../api/operation/operation.js';
import type { Callers } from '../auth/callers.js';
import type { RequestMetrics } from '../metrics/requestMetrics.js';
import { readCookie } from '../auth/cookie.js';
import { Answers } from './answer/answers.js';
import { BodyWatch, DEFAULT_PACE, type BodyPace } from './body/bodyWatch.js';
import { CallerTurns } from './callerTurns.js';
import { ClientAddresses } from './clientAddress.js';
import { Cors } from './cors.js';
import type { SendingLimits } from './answer/bodyWriter.js';
import { Exchange } from './exchange.js';
import { readHead, type RequestHead } from './head.js';
import type { BodyMemory } from './answer/bodyMemory.js';
import { Identification, requireRank } from './identification.js';
import { InflowGate } from './body/inflowGate.js';
import { KeptBodies, type Intake } from './body/keptBodies.js';
import { Listener, type ListenerOptions } from './listener.js';
import { confirmedDocument, confirmedUpload, NO_BODY, readBody, startBody, type IncomingBody } from './body/operationBody.js';
import { WriteScheduler } from './answer/writeScheduler.js';
import { isLocalClient } from './localClient.js';
import { OwnOrigin } from './ownOrigin.js';
import type { Page } from './pages/page.js';
import type { Pages } from './pages/pages.js';
import { Patience } from './patience.js';
import type { WebApp } from './pages/webApp.js';
import { Quotas, type Release } from './quotas.js';
import { fingerprintedDocument, fingerprintedUpload, NO_KEY, RequestKeys } from './requestKeys.js';
import { Router } from './router.js';

/** Leaves two of the ten seconds of a stop for closing the data. */
const DEFAULT_STOP_DEADLINE_MS = 8_000;
/** File pieces read at once: they arrive together, and writing a mebibyte takes half a millisecond. */
const MAX_READS = 16;
const MAX_READS_EACH = 4;
/** Of the four threads that libuv has for everything whole answers may take two, and one stays free for files. */
const MAX_DEFLATES = 1;
/** Large answers to one caller at once: more than a browser has connections. */
const MAX_LEAVING_EACH = 16;
const CLIENT_REQUEST_ID = /^[\w.:-]{1,64}$/;
const API_PREFIX = '/api';
/** Of an operation that is open to everyone. */
const NOBODY = { user: null, key: null } as const;
const NONE: IncomingBody = { kind: 'none' };

export interface HttpServerOptions extends Omit<ListenerOptions, 'tls'>, Partial<Pick<ListenerOptions, 'tls'>> {
  readonly operations: readonly Operation[];
  readonly services: Services;
  readonly callers: Callers;
  readonly pages: Pages;
  readonly webApp: WebApp;
  readonly log: Logger;
  readonly metrics: RequestMetrics;
  /** The memory of unfinished answers. */
  readonly held: BodyMemory;
  /** The memory of requests that are not carried out yet. */
  readonly kept?: KeptBodies;
  readonly bodyPace?: BodyPace;
  /** How long a request may wait for partitions. Null without a bound: nothing that it waits for can be away. */
  readonly patienceMs?: number | null;
  /** How long a stop waits for requests in flight. */
  readonly stopDeadlineMs?: number;
}

export class HttpServer {
  readonly listener: Listener;
  readonly #options: HttpServerOptions;
  readonly #router: Router;
  readonly #addresses: ClientAddresses;
  readonly #cors: Cors;
  readonly #ownOrigin: OwnOrigin;
  readonly #identification: Identification;
  readonly #answers: Answers;
  readonly #intake: Intake;
  readonly #quotas: Quotas;
  readonly #turns = new CallerTurns();
  readonly #keys: RequestKeys;
  readonly #limits: SendingLimits;
  readonly #requestIdPrefix = randomBytes(5).toString('hex');
  readonly #onSettled = (): void => {
    this.#inFlight -= 1;
    this.#draining?.();
  };
  #requests = 0;
  /** Requests neither answered nor abandoned by their clients. */
  #inFlight = 0;
  #draining: (() => void) | null = null;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#router = new Router(options.operations);
    this.#addresses = new ClientAddresses(options.services.config.trustedProxies);
    this.#cors = new Cors(options.services.config.corsOrigins);
    const cors = this.#cors;
    const isTls = (options.tls ?? null) !== null;
    this.#ownOrigin = new OwnOrigin({ publicUrl: options.services.config.publicUrl, addresses: this.#addresses, isTls });
    this.#identification = new Identification({
      callers: options.callers,
      metricsToken: options.services.config.metricsToken,
      cors,
      ownOrigin: this.#ownOrigin,
    });
    const { log, metrics } = options;
    this.#answers = new Answers({ cors, log, metrics, isStopping: () => this.#draining !== null });
    this.#quotas = new Quotas(options.services.config);
    this.#keys = new RequestKeys(options.services.config.jwtSecret);
    this.#intake = {
      watch: new BodyWatch(options.bodyPace ?? DEFAULT_PACE),
      kept: options.kept ?? new KeptBodies(),
      gate: new InflowGate(),
    };
    this.#limits = {
      writes: new WriteScheduler(),
      held: options.held,
      reads: new FairLanes(MAX_READS, MAX_READS_EACH),
      deflates: new FairLanes(MAX_DEFLATES, 1),
      leaving: new FairLanes(Infinity, MAX_LEAVING_EACH),
    };
    this.listener = new Listener({ ...options, tls: options.tls ?? null });
    this.listener.serve((app) => app.any('/*', (res, req) => this.#accept(res, req)));
  }

  /** Returns the port it listens on. */
  listen(): number {
    return this.listener.listen();
  }

  /** Whether new requests are accepted. */
  get isServing(): boolean {
    return this.listener.isListening && this.#draining === null;
  }

  /** Whether a page may use its visitor's cookie to open a socket: ours, or one of a listed origin. */
  admitsCookie(res: HttpResponse, req: HttpRequest): boolean {
    const head = readHead(req);
    const peerAddress = (): string => Buffer.from(res.getRemoteAddressAsText()).toString();
    return head.origin !== '' && (this.#cors.names(head.origin) || this.#ownOrigin.is({ head, peerAddress }));
  }

  /** Accepts no new connections, answers requests in flight, then closes every connection. */
  async stop(): Promise<void> {
    if (!this.listener.isListening) return;
    this.listener.stopListening();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.stopDeadlineMs ?? DEFAULT_STOP_DEADLINE_MS);
      this.#draining = () => {
        if (this.#inFlight > 0) return;
        clearTimeout(timer);
        resolve();
      };
      this.#draining();
    });
    this.#intake.watch.stop();
    // The last answer may have been given while uWebSockets still delivers the bytes of its request. It leaves when
    // that is done, and closing now would lose it.
    await new Promise(setImmediate);
    await this.listener.close();
  }

  /** Runs inside uWebSockets' handler: everything that must be read or attached at once is done here. */
  #accept(res: HttpResponse, req: HttpRequest): void {
    const head = readHead(req);
    const exchange = new Exchange(res, head, this.#requestIdFrom(head.requestId), this.#limits, this.#onSettled);
    this.#inFlight += 1;
    try {
      this.#route(exchange, head);
    } finally {
      exchange.outliveHandler();
    }
  }

  #route(exchange: Exchange, head: RequestHead): void {
    if (head.body.kind === 'ambiguous') {
      this.#options.log.warn({ requestId: exchange.requestId }, 'a request with an ambiguous length was cut off');
      exchange.cut();
      return;
    }
    const path = withoutPrefix(head.path);
    const route = this.#router.match(head.method, path);
    if (route.kind === 'not_found') this.#answerPage(exchange, path);
    else if (head.method === 'OPTIONS') this.#answers.answerOptions(exchange, route);
    else if (route.kind === 'operation') void this.#perform(exchange, route.operation, route.params);
    else this.#answers.refuseMethod(exchange, route.allow);
  }

  /** What is no operation may be a page. */
  #answerPage(exchange: Exchange, path: string): void {
    // The application has no second address below the prefix of the API.
    const page = this.#findPage(path) ?? this.#options.webApp.find(exchange.head.path);
    if (page === undefined) this.#answers.refuse(exchange, { code: 'not_found', detail: 'Not Found' });
    else this.#answers.answerPage(exchange, page);
  }

  /** A file that is gone since the start is reported, and ends nothing. */
  #findPage(path: string): Page | undefined {
    try {
      return this.#options.pages.find(path);
    } catch (error) {
      this.#options.log.error({ err: error, path }, 'a page cannot be read');
      return undefined;
    }
  }

  async #perform(exchange: Exchange, operation: Operation, params: Record<string, string>): Promise<void> {
    exchange.operation = operation.name;
    let release: Release | null = null;
    const patience = this.#patienceFor(operation);
    try {
      const body = operation.body === null ? NONE : startBody(exchange, operation.body, this.#intake);
      const isForged = this.#identification.isForged(exchange);
      const identified = this.#identification.identify(exchange.head, operation, isForged);
      const { user: caller, key } = (identified instanceof Promise ? await waited(identified, patience) : identified) ?? NOBODY;
      if (caller !== null) {
        requireRank(caller, operation.access);
        if (key !== null) requireKeyRights(key, operation);
        exchange.caller = caller.id;
      }
      const ids = parsePathParameters(params);
      if (key !== null) requireKeyBoard(key, operation, ids);
      if (operation.quota !== undefined && caller !== null) {
        release = await this.#quotas.take(operation.quota, caller.id);
      }
      if (caller !== null) {
        // Counted when the body is complete: a flood could hold back the last byte of each.
        if (body.kind === 'read') await body.reader.settled();
        const turn = this.#turns.enter(caller.id);
        if (turn !== null) await turn;
      }
      const { head } = exchange;
      // While a body arrives, the caller can be deactivated or the token expire.
      const confirm = (): unknown => caller !== null && this.#identification.identify(head, operation, isForged);
      const { documents } = this.#options.services;
      const { idempotencyKey } = head;
      const idempotency = idempotencyKey === null ? NO_KEY : this.#keys.read(idempotencyKey, operation, withoutPrefix(head.path));
      const requestKey = idempotency.ok ? idempotency.value : null;
      const input =
        body.kind === 'read' ? await readBody(body.reader, operation, body.spec, head.contentType, documents, requestKey, exchange.caller) : NO_BODY;
      if (body.kind === 'read') {
        const confirmed = confirm();
        if (confirmed instanceof Promise) await waited(confirmed, patience);
      }
      const call: RawCall = {
        caller,
        key,
        params: ids,
        query: validateQuery(operation.query, head.query),
        body: input.body,
        idempotency: input.isUnread === true ? NO_KEY : idempotency,
        upload: body.kind === 'upload' ? confirmedUpload(fingerprintedUpload(body.upload, requestKey), confirm) : null,
        document: body.kind === 'document' ? confirmedDocument(fingerprintedDocument(body.document, requestKey), confirm) : null,
        address: () => this.#addresses.of(exchange),
        isForged,
        isLocal: () => isLocalClient(exchange, this.#ownOrigin),
        ifNoneMatch: head.ifNoneMatch,
        // Ranges apply to GET: HEAD describes the whole.
        range: head.method === 'HEAD' ? '' : head.range,
        ifRange: head.ifRange,
        // HEAD describes the finite answer.
        accept: head.method === 'HEAD' ? '' : head.accept,
        lastEventId: head.lastEventId,
        token: () => this.#identification.tokenOf(head, isForged),
        cookie: (name) => (isForged ? undefined : readCookie(head.cookie, name)),
        userAgent: head.userAgent,
      };
      const invoked = operation.invoke(call, this.#options.services);
      const answer = invoked instanceof Promise ? await waited(invoked, patience) : invoked;
      const streaming = this.#answers.answer(exchange, operation, answer);
      if (streaming !== null) await streaming;
    } catch (error) {
      this.#answers.fail(exchange, operation, error);
    } finally {
      // Not when the client disconnects: its work may still be running.
      release?.();
    }
  }

  /** Null for work that may take long by itself. */
  #patienceFor({ quota }: Operation): Patience | null {
    const { patienceMs = null } = this.#options;
    return patienceMs === null || quota !== undefined ? null : new Patience(patienceMs);
  }

  #requestIdFrom(given: string): string {
    if (CLIENT_REQUEST_ID.test(given)) return given;
    this.#requests += 1;
    return `${this.#requestIdPrefix}-${this.#requests.toString(36)}`;
  }
}

function waited<Value>(work: Promise<Value>, patience: Patience | null): Promise<Value> {
  return patience === null ? work : patience.wait(work);
}

function withoutPrefix(path: string): string {
  return path.startsWith(`${API_PREFIX}/`) ? path.slice(API_PREFIX.length) : path;
}
