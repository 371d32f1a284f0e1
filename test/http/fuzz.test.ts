import type { Ajv2020 } from 'ajv/dist/2020.js';
import t, { type Test } from 'tap';
import type { OpenAPIObject, RequestBodyObject } from 'openapi3-ts/oas31';
import { operationsOf, type DocumentedOperation } from '../support/http/documentedRequests.js';
import { fillBoard } from '../support/http/fuzzedBoard.js';
import { Fuzzer, isDeletion, type Answer } from '../support/http/fuzzer.js';
import { startMailServer } from '../support/mail/mailServer.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { ALLOWED } from '../support/webhooks/hookScene.js';
import { Receiver } from '../support/webhooks/receiver.js';

/** Each deletes all of a board that was filled for it. */
const ROUNDS_OF_DELETIONS = 3;
const SETUP = 'auth.setup';

type Reasons = ReadonlyArray<readonly [operations: RegExp, reason: string]>;

/** What a request of random values cannot be about, and why. */
const LEFT_OUT: Reasons = [[/^auth\.sso/, 'they redirect a browser to a provider, and the service has none']];

/** What is tried, but refused as documented. */
const NEVER_DONE: Reasons = [[/^auth\.requestVerification$/, 'whoever has just registered has a mail, and the next one has to wait']];

/** They take the version of a text that an edit was written on. */
const WITH_BASE = /^(?:card\.update|comment\.update|board\.batch)$/;

/** They need what others change: the address of a webhook, a column with few cards, and a card with so little that its copies can be archived. */
const FIRST = /\.test$|^(?:column|card)\.copy$/;
/** They take away what others need: a rule loses its column with it. */
const LAST = /\.(?:archive|restore|undo)$/;

function inOrder(operations: readonly DocumentedOperation[]): DocumentedOperation[] {
  const place = ({ name }: DocumentedOperation): number => (FIRST.test(name) ? 0 : LAST.test(name) ? 2 : 1);
  return operations.filter((each) => !isDeletion(each)).sort((a, b) => place(a) - place(b));
}

/** What is inside something goes before it. */
function deletionsOf(operations: readonly DocumentedOperation[]): DocumentedOperation[] {
  const depth = ({ path }: DocumentedOperation): number => path.split('/').length;
  return operations
    .filter(isDeletion)
    .reverse()
    .sort((a, b) => depth(b) - depth(a));
}

function namesOf(operations: readonly DocumentedOperation[]): string[] {
  return operations.map(({ name }) => name);
}

function matches(reasons: Reasons, name: string): boolean {
  return reasons.some(([pattern]) => pattern.test(name));
}

/** Whether the service must accept the form of a change of a rule: the rule that it leads to could have been created. */
function isWholeRule(ajv: Ajv2020, document: OpenAPIObject, rule: object, changes: object): boolean {
  const creation = document.paths?.['/boards/{board_id}/automations']?.post?.requestBody as RequestBodyObject;
  const schema = creation.content['application/json']?.schema as object;
  return ajv.validate(schema, { ...rule, ...changes }) as boolean;
}

/** The number of a version rises with each edit, so a document cannot name the greatest one. */
function isLaterBase(body: unknown): boolean {
  return /^(?:\d+: )?base: must not be greater than \d+, the current version$/.test((body as { detail: string }).detail);
}

async function startService(t: Test): Promise<TestApp> {
  const { url } = await startMailServer(t);
  const mail = { SMTP_URL: url, PUBLIC_URL: 'https://boards.example.org' };
  return startTestApp(t, { ...ALLOWED, ...mail, MAX_PROFILE_CHANGES_PER_MINUTE: '1000', MAX_INVITES_PER_DAY: '1000' });
}

t.test('HTTP16 no request that the document allows is refused for its form, and every answer is documented', async (t: Test) => {
  const app = await startService(t);
  const receiver = await Receiver.start(t);
  const fuzzer = await Fuzzer.on(app);
  const all = operationsOf(fuzzer.document);
  const fuzzed = all.filter(({ name }) => !matches(LEFT_OUT, name));

  const setup = fuzzed.find(({ name }) => name === SETUP);
  if (setup === undefined) throw new Error(`there is no ${SETUP}`);
  await t.resolves(fuzzer.trySetup(setup), SETUP);

  const filled = await fillBoard(app, receiver.url);
  let { rule } = filled;
  for (const each of inOrder(fuzzed)) {
    if (each === setup) continue;
    const check = ({ status, body, sent }: Answer): boolean => {
      if (WITH_BASE.test(each.name)) return status === 422 && isLaterBase(body);
      if (each.name !== 'rule.update') return false;
      if (status === 200) rule = body as object;
      return status === 422 && !isWholeRule(fuzzer.ajv, fuzzer.document, rule, sent as object);
    };
    await t.resolves(fuzzer.try(each, filled, { check }), each.name);
  }

  // A query can name what does not exist, such as the user who gets the boards: such a deletion may be refused.
  for (let round = 0; round < ROUNDS_OF_DELETIONS; round += 1) {
    const board = await fillBoard(app, receiver.url);
    for (const each of deletionsOf(fuzzed)) await t.resolves(fuzzer.try(each, board, { once: true }), each.name);
  }
  const undone = fuzzed.filter((each) => !fuzzer.done.has(each.name) && !(isDeletion(each) && fuzzer.isVaried(each)));
  t.strictSame(
    namesOf(undone).filter((name) => !matches(NEVER_DONE, name)),
    [],
    'each was carried out',
  );
  t.strictSame(
    namesOf(fuzzed).filter((name) => !fuzzer.tried.has(name)),
    [],
    'tried or left out for a reason',
  );
  for (const [pattern, reason] of [...LEFT_OUT, ...NEVER_DONE])
    t.ok(
      all.some(({ name }) => pattern.test(name)),
      `there is what is left out: ${reason}`,
    );
});

t.test('HTTP16 a request in which something is wrong gets a documented answer, too', async (t: Test) => {
  const app = await startService(t);
  const receiver = await Receiver.start(t);
  const fuzzer = await Fuzzer.on(app);
  const filled = await fillBoard(app, receiver.url);
  const broken = inOrder(operationsOf(fuzzer.document)).filter((each) => !matches(LEFT_OUT, each.name) && fuzzer.canBreak(each));
  for (const each of broken) await t.resolves(fuzzer.tryBroken(each, filled), each.name);
  t.ok(broken.length > 0);
});
