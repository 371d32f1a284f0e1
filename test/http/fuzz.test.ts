import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { OpenAPIObject, RequestBodyObject } from 'openapi3-ts/oas31';
import { DocumentedRequests, operationsOf, type DocumentedOperation, type DocumentedRequest } from '../support/http/documentedRequests.js';
import { fillBoard, type FuzzedBoard } from '../support/http/fuzzedBoard.js';
import { logIn, newUser, type TestUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { ALLOWED } from '../support/webhooks/hookScene.js';
import { Receiver } from '../support/webhooks/receiver.js';

/** For each operation; each is one request over HTTP. */
const RUNS = 20;
/** For those without a query and a body. */
const RUNS_OF_THE_SAME = 5;
/** Each deletes all of a board that was filled for it. */
const ROUNDS_OF_DELETIONS = 3;
const KEY_HEADER = 'Idempotency-Key';
const MAX_KEY_LENGTH = 255;

/** Statuses of a request whose form is wrong. */
const WRONG_FORM = [400, 413, 415, 422];

/** What a request of random values cannot be about, and why. */
const LEFT_OUT: ReadonlyArray<readonly [operations: RegExp, reason: string]> = [
  [/^auth\.sso/, 'they redirect a browser to a provider, and the service has none'],
];

/** They change accounts or end sessions: each has a user, and each request an address, of its own. */
const OF_ACCOUNTS = /^auth\.|^key\.create$/;
const OF_SUPERUSERS = /^admin|^invitation\.(?!preview|accept)/;

/** They take the version of a text that an edit was written on. */
const WITH_BASE = /^(?:card|comment)\.update$/;

/** They need what others change: the address of a webhook. */
const FIRST = /\.test$/;
/** They take away what others need: a rule loses its column with it. */
const LAST = /\.(?:archive|restore|undo)$/;

function inOrder(operations: readonly DocumentedOperation[]): DocumentedOperation[] {
  const place = ({ name }: DocumentedOperation): number => (FIRST.test(name) ? 0 : LAST.test(name) ? 2 : 1);
  return operations.filter((each) => !isDeletion(each)).sort((a, b) => place(a) - place(b));
}

/** What is inside something goes before it. A body, such as a password, is tried with the others. */
function deletionsOf(operations: readonly DocumentedOperation[]): DocumentedOperation[] {
  const depth = ({ path }: DocumentedOperation): number => path.split('/').length;
  return operations
    .filter(isDeletion)
    .reverse()
    .sort((a, b) => depth(b) - depth(a));
}

function isDeletion({ method, operation }: DocumentedOperation): boolean {
  return method === 'DELETE' && operation.requestBody === undefined;
}

function namesOf(operations: readonly DocumentedOperation[]): string[] {
  return operations.map(({ name }) => name);
}

/** Whether the service must accept the form of a change of a rule: the rule that it leads to could have been created. */
function isWholeRule(ajv: Ajv2020, document: OpenAPIObject, rule: object, changes: object): boolean {
  const creation = document.paths?.['/boards/{board_id}/automations']?.post?.requestBody as RequestBodyObject;
  const schema = creation.content['application/json']?.schema as object;
  return ajv.validate(schema, { ...rule, ...changes }) as boolean;
}

/** The number of a version rises with each edit, so a document cannot name the greatest one. */
function isLaterBase(body: unknown): boolean {
  return /^base: must not be greater than \d+, the current version$/.test((body as { detail: string }).detail);
}

class Fuzzer {
  readonly document: OpenAPIObject;
  readonly ajv = new Ajv2020({ strict: false });
  readonly tried = new Set<string>();
  readonly #app: TestApp;
  readonly #requests: DocumentedRequests;
  #count = 0;

  private constructor(app: TestApp, document: OpenAPIObject) {
    addFormats.default(this.ajv);
    this.#app = app;
    this.document = document;
    this.#requests = new DocumentedRequests(this.ajv, document);
  }

  static async on(app: TestApp): Promise<Fuzzer> {
    return new Fuzzer(app, (await app.api.request<OpenAPIObject>('GET', '/openapi.json')).body);
  }

  isVaried(each: DocumentedOperation): boolean {
    return this.#requests.isVaried(each);
  }

  /** `check` may forgive a refusal. */
  async try(each: DocumentedOperation, filled: FuzzedBoard, runs: number | null, check: (answer: Answer) => boolean = () => false): Promise<void> {
    const { name, method } = each;
    const isOfSuperusers = OF_SUPERUSERS.test(name);
    const isOfAccount = OF_ACCOUNTS.test(name) && !isDeletion(each);
    const account = isOfAccount ? await newUser(this.#app.api) : isOfSuperusers ? filled.root : filled.owner;
    const known = { ids: { ...filled.ids, ...(isOfSuperusers ? filled.adminIds : {}) }, document: filled.document };
    const property = fc.asyncProperty(this.#requests.for(each, known), async (made) => {
      const { status, body } = await this.#send(each, account, made, isOfAccount);
      if (check({ status, body, sent: made.content.json })) return;
      if (WRONG_FORM.includes(status)) throw new Error(`${method} ${made.address} got ${status}: ${JSON.stringify(body)}`);
    });
    this.tried.add(name);
    const numRuns = runs ?? (this.#requests.isVaried(each) ? RUNS : RUNS_OF_THE_SAME);
    await fc.assert(property, { numRuns, endOnFailure: true, interruptAfterTimeLimit: 20_000 });
  }

  /** Also validates status, headers and body of the answer against the document. */
  async #send({ name, method }: DocumentedOperation, account: TestUser, made: DocumentedRequest, isOfAccount: boolean): Promise<Answer> {
    const { api } = this.#app;
    const token = name === 'auth.logout' ? await logIn(api, account.email, account.password) : account.token;
    this.#count += 1;
    const address = isOfAccount ? { 'x-forwarded-for': `198.51.${this.#count >> 8}.${this.#count & 255}` } : {};
    // A key is used once: short random ones are drawn again.
    const key = made.headers[KEY_HEADER];
    const keyed = key === undefined ? {} : { [KEY_HEADER]: `${this.#count}${key}`.slice(0, MAX_KEY_LENGTH) };
    return api.request(method, made.address, { token, headers: { ...made.headers, ...keyed, ...address }, ...made.content });
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** As JSON. */
  readonly sent?: unknown;
}

t.test('HTTP16 no request that the document allows is refused for its form, and every answer is documented', async (t: Test) => {
  const app = await startTestApp(t, { ...ALLOWED, MAX_PROFILE_CHANGES_PER_MINUTE: '1000', MAX_INVITES_PER_DAY: '1000' });
  const receiver = await Receiver.start(t);
  const fuzzer = await Fuzzer.on(app);
  const all = operationsOf(fuzzer.document);
  const isLeftOut = ({ name }: DocumentedOperation): boolean => LEFT_OUT.some(([pattern]) => pattern.test(name));
  const fuzzed = all.filter((each) => !isLeftOut(each));

  const filled = await fillBoard(app, receiver.url);
  let { rule } = filled;
  for (const each of inOrder(fuzzed)) {
    const check = ({ status, body, sent }: Answer): boolean => {
      if (WITH_BASE.test(each.name)) return status === 422 && isLaterBase(body);
      if (each.name !== 'rule.update') return false;
      if (status === 200) rule = body as object;
      return status === 422 && !isWholeRule(fuzzer.ajv, fuzzer.document, rule, sent as object);
    };
    await t.resolves(fuzzer.try(each, filled, null, check), each.name);
  }

  // A query can name what does not exist, such as the user who gets the boards: such a deletion may be refused.
  const deleted = new Set<string>();
  for (let round = 0; round < ROUNDS_OF_DELETIONS; round += 1) {
    const board = await fillBoard(app, receiver.url);
    for (const each of deletionsOf(fuzzed)) {
      const note = ({ status }: Answer): boolean => status === 204 && deleted.add(each.name).size > 0;
      await t.resolves(fuzzer.try(each, board, 1, note), each.name);
    }
  }
  t.strictSame(
    namesOf(deletionsOf(fuzzed).filter((each) => !fuzzer.isVaried(each))).filter((name) => !deleted.has(name)),
    [],
    'all could be deleted',
  );
  t.strictSame(namesOf(all.filter((each) => !isLeftOut(each) && !fuzzer.tried.has(each.name))), [], 'tried or left out for a reason');
  for (const [pattern, reason] of LEFT_OUT)
    t.ok(
      all.some(({ name }) => pattern.test(name)),
      `there is what is left out: ${reason}`,
    );
});
