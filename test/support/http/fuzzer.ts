/** Sends generated requests to a service, and fails if it refuses the form of one that its document allows. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { TestApp } from '../service/app.js';
import { DocumentedRequests, type DocumentedOperation, type DocumentedRequest } from './documentedRequests.js';
import { FuzzedAccounts } from './fuzzedAccount.js';
import type { FuzzedBoard } from './fuzzedBoard.js';
import type { KnownIds } from './schemaArbitrary.js';

/** For each operation; each is one request over HTTP. */
const RUNS = 20;
/** For those without a query and a body. */
const RUNS_OF_THE_SAME = 5;
/** Each needs a user of its own. */
const RUNS_OF_ACCOUNTS = 6;
/** Of requests in which something is wrong. */
const RUNS_OF_BROKEN = 5;
/** As many more, until one is carried out: an id or a password in a request is wrong now and then. */
const MORE_RUNS = 100;
const PATIENCE_MS = 20_000;
const KEY_HEADER = 'Idempotency-Key';
const MAX_KEY_LENGTH = 255;

/** Statuses of a request whose form is wrong. */
const WRONG_FORM = [400, 413, 415, 422];

/** They change accounts, end sessions or count as failed logins: each request has a user of its own. */
const OF_ACCOUNTS = /^auth\.|^key\.create$|^invitation\.accept$|^notification\.unsubscribe/;
const OF_SUPERUSERS = /^admin|^metrics$|^invitation\.(?!preview|accept)/;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** As JSON. */
  readonly sent?: unknown;
}

interface Caller {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class Fuzzer {
  readonly document: OpenAPIObject;
  readonly ajv = new Ajv2020({ strict: false });
  readonly tried = new Set<string>();
  /** Carried out at least once. */
  readonly done = new Set<string>();
  readonly #app: TestApp;
  readonly #accounts: FuzzedAccounts;
  readonly #requests: DocumentedRequests;
  #count = 0;

  private constructor(app: TestApp, document: OpenAPIObject) {
    addFormats.default(this.ajv);
    this.#app = app;
    this.#accounts = new FuzzedAccounts(app);
    this.document = document;
    this.#requests = new DocumentedRequests(this.ajv, document);
  }

  static async on(app: TestApp): Promise<Fuzzer> {
    return new Fuzzer(app, (await app.api.request<OpenAPIObject>('GET', '/openapi.json')).body);
  }

  isVaried(each: DocumentedOperation): boolean {
    return this.#requests.isVaried(each);
  }

  /** For the operation that makes the first superuser: `filled` has one. */
  async trySetup(each: DocumentedOperation): Promise<void> {
    const known: KnownIds = { token: this.#accounts.setupToken() };
    await this.#try(each, RUNS_OF_ACCOUNTS, async () => ({ known: { ids: known, document: null }, caller: { token: '', headers: {} } }));
  }

  /** `check` may forgive a refusal. `once`: it takes away what it needs. */
  async try(each: DocumentedOperation, filled: FuzzedBoard, { once = false, check = (): boolean => false }: TryOptions = {}): Promise<void> {
    const isOfAccount = isOfAccounts(each);
    const runs = once ? 1 : isOfAccount && this.isVaried(each) ? RUNS_OF_ACCOUNTS : this.isVaried(each) ? RUNS : RUNS_OF_THE_SAME;
    await this.#try(each, runs, () => this.#scene(each, filled), check, !once);
  }

  /** Requests that the document does not allow, for the most part: their answers must be documented, and no faults of the service. */
  async tryBroken(each: DocumentedOperation, filled: FuzzedBoard): Promise<void> {
    const check = ({ status, body }: Answer): boolean => {
      if (status >= 500) throw new Error(`${each.name} answered ${status}: ${JSON.stringify(body)}`);
      return true;
    };
    const isFresh = isOfAccounts(each);
    for (let run = 0; run < RUNS_OF_BROKEN; run += isFresh ? 1 : RUNS_OF_BROKEN) {
      const { known, caller } = await this.#scene(each, filled);
      await this.#send(each, caller, this.#requests.broken(each, known), isFresh ? 1 : RUNS_OF_BROKEN, check);
    }
  }

  /** Whether a request can be broken without the loss of what others need. */
  canBreak(each: DocumentedOperation): boolean {
    return this.#requests.canBreak(each);
  }

  async #scene(each: DocumentedOperation, filled: FuzzedBoard): Promise<Scene> {
    const ofSuperusers = OF_SUPERUSERS.test(each.name);
    const ids = { ...filled.ids, ...(ofSuperusers ? filled.adminIds : {}), ...filled.ownIds[each.name] };
    if (!isOfAccounts(each)) {
      return { known: { ids, document: filled.document }, caller: { token: (ofSuperusers ? filled.root : filled.owner).token, headers: {} } };
    }
    const { user, known, headers } = await this.#accounts.for(each.name);
    return { known: { ids: { ...ids, ...known }, document: filled.document }, caller: { token: user.token, headers } };
  }

  async #try(
    each: DocumentedOperation,
    runs: number,
    scene: () => Promise<Scene>,
    check: (answer: Answer) => boolean = () => false,
    untilDone = true,
  ): Promise<void> {
    this.tried.add(each.name);
    const judge = (answer: Answer): boolean => {
      if (answer.status < 300) this.done.add(each.name);
      return check(answer);
    };
    const isFresh = isOfAccounts(each);
    if (isFresh) {
      for (let run = 0; run < runs; run += 1) await this.#tryOnce(each, scene, judge);
    } else {
      const { known, caller } = await scene();
      await this.#send(each, caller, this.#requests.for(each, known), runs, judge);
    }
    for (let run = 0; untilDone && !this.done.has(each.name) && run < MORE_RUNS; run += 1) await this.#tryOnce(each, scene, judge);
  }

  async #tryOnce(each: DocumentedOperation, scene: () => Promise<Scene>, check: (answer: Answer) => boolean): Promise<void> {
    const { known, caller } = await scene();
    await this.#send(each, caller, this.#requests.for(each, known), 1, check);
  }

  /** Also validates status, headers and body of each answer against the document. */
  async #send(
    { method }: DocumentedOperation,
    { token, headers }: Caller,
    requests: fc.Arbitrary<DocumentedRequest>,
    numRuns: number,
    check: (answer: Answer) => boolean,
  ): Promise<void> {
    const property = fc.asyncProperty(requests, async (made) => {
      this.#count += 1;
      // A key is used once: short random ones are drawn again.
      const key = made.headers[KEY_HEADER];
      const keyed = key === undefined ? {} : { [KEY_HEADER]: `${this.#count}${key}`.slice(0, MAX_KEY_LENGTH) };
      const sent = { ...(token === '' ? {} : { token }), headers: { ...made.headers, ...keyed, ...headers }, ...made.content };
      const { status, body } = await this.#app.api.request(method, made.address, sent);
      if (check({ status, body, sent: made.content.json })) return;
      if (WRONG_FORM.includes(status)) throw new Error(`${method} ${made.address} got ${status}: ${JSON.stringify(body)}`);
    });
    await fc.assert(property, { numRuns, endOnFailure: true, interruptAfterTimeLimit: PATIENCE_MS });
  }
}

interface TryOptions {
  readonly once?: boolean;
  readonly check?: (answer: Answer) => boolean;
}

interface Scene {
  readonly known: { readonly ids: KnownIds; readonly document: unknown };
  readonly caller: Caller;
}

function isOfAccounts(each: DocumentedOperation): boolean {
  return OF_ACCOUNTS.test(each.name) && !isDeletion(each);
}

/** A body, such as a password, is tried with other changes. */
export function isDeletion({ method, operation }: DocumentedOperation): boolean {
  return method === 'DELETE' && operation.requestBody === undefined;
}
