import t from 'tap';
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asyncApiDocument, messagesJsonSchema } from '../../src/api/describe/asyncapi.js';
import { CLOSE } from '../../src/api/closeCodes.js';
import { EVENT_TYPES } from '../../src/domain/events.js';
import { packagePath } from '../../src/paths.js';
import { VERSION } from '../../src/version.js';
import { MessageChecker } from '../support/realtime/messageChecker.js';
import { startTestApp } from '../support/service/app.js';

const ID = '3f0e4a52-9a43-4f0e-8c64-0f1a2b3c4d5e';
const TIME = '2026-01-01T00:00:00.000Z';
const LABEL = { id: ID, board_id: ID, name: 'red', color: 'red', created_at: TIME, updated_at: TIME };
const EVENT = { type: 'label.created', data: LABEL, user_id: ID, timestamp: TIME, version: '1.0' };

const document = asyncApiDocument(VERSION);

t.test('ASYNC1 the service describes its sockets at /asyncapi.json', async (t) => {
  const { api } = await startTestApp(t);
  for (const prefix of ['', '/api']) {
    const { status, body } = await api.request('GET', `${prefix}/asyncapi.json`);
    t.equal(status, 200);
    t.strictSame(body, document);
  }
});

t.test('ASYNC1 the document is AsyncAPI 3, and all its references resolve', async (t) => {
  t.equal(document.asyncapi, '3.0.0');
  t.match(document.info, { title: 'Switchboard', version: VERSION });
  t.match(document.servers['switchboard'], { protocol: 'ws', description: /`wss`.*TLS_CERT_FILE.*TLS_KEY_FILE.*proxy/ });
  const references = referencesIn(document);
  t.ok(references.length > 100, 'there are references');
  t.strictSame(
    references.filter((reference) => resolve(reference) === undefined),
    [],
  );

  const { channels, operations, components } = document;
  t.strictSame(Object.keys(channels), ['board', 'shared']);
  const { address, parameters, messages, bindings } = channels['board'] ?? {};
  t.equal(address, '/ws/boards/{boardId}');
  t.ok(parameters !== undefined && 'boardId' in parameters);
  t.match(bindings, { ws: { query: { properties: { token: Object, since: Object } } } });
  t.match(channels['shared'], { address: '/ws', bindings: { ws: { query: { properties: { token: Object } } } } });
  const onChannels = [...Object.keys(messages ?? {}), ...Object.keys(channels['shared']?.messages ?? {})];
  t.strictSame(onChannels, Object.keys(components.messages), 'every message is on a channel');
  t.match(operations, { send: { action: 'send' }, receive: { action: 'receive' } });
  t.match(operations, { sendShared: { action: 'send' }, receiveShared: { action: 'receive' } });
  for (const [name, { channel, messages: used }] of Object.entries(operations)) {
    const expected = name.endsWith('Shared') ? '#/channels/shared' : '#/channels/board';
    t.equal(channel.$ref, expected);
    t.ok(
      used.every(({ $ref }) => $ref.startsWith(`${expected}/messages/`)),
      'messages of the channel',
    );
  }
  for (const [key, { name, payload }] of Object.entries(components.messages)) {
    t.match(resolve(payload.$ref), { type: 'object', properties: { type: { const: name } } });
    t.match(key, /^[\w.-]+$/, 'a name that a component may have');
    t.ok(key.endsWith(name), key);
  }
});

t.test('ASYNC1 every event, every other message and every close code is described', async (t) => {
  const others = ['user_joined', 'user_left', 'ping', 'resync'];
  const names = (operation: string): string[] =>
    (document.operations[operation]?.messages ?? []).map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1));
  t.strictSame(names('send').sort(), [...EVENT_TYPES, ...others].sort());
  t.strictSame(names('receive'), ['pong']);
  const feed = ['user.board_added', 'user.board_removed', 'user.board_changed', 'user.notification'];
  const shared = [...others, ...feed, 'authenticated', 'subscribed', 'unsubscribed', 'state', 'signal', 'error'];
  t.strictSame(names('sendShared').sort(), [...EVENT_TYPES, ...shared].map((type) => `shared.${type}`).sort());
  const fromClient = ['subscribe', 'unsubscribe', 'state', 'signal', 'auth', 'pong'];
  t.strictSame(
    names('receiveShared'),
    fromClient.map((type) => `shared.client.${type}`),
  );
  for (const { code } of Object.values(CLOSE)) t.match(document.channels['board']?.description, String(code));
});

t.test('ASYNC1 every message has an example, and its schema allows it', async (t) => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'asyncapi');
  for (const [key, { name, payload, examples }] of Object.entries(document.components.messages)) {
    const validate = ajv.compile({ $ref: `asyncapi${payload.$ref}` });
    t.ok(examples.length > 0, key);
    for (const { payload: example } of examples) {
      t.ok(validate(example), `${key}: ${ajv.errorsText(validate.errors)}`);
      t.match(example, { type: name });
      t.notOk(validate({ ...example, type: 'another' }), 'the schema can refuse');
    }
  }
});

t.test('ASYNC1 the copy in schema/ equals what the code generates', async (t) => {
  for (const [file, content] of [
    ['asyncapi.json', document],
    ['events.json', messagesJsonSchema()],
  ] as const) {
    const text = await readFile(packagePath('schema', file), 'utf8');
    t.ok(text === `${JSON.stringify(content, null, 2)}\n`, `schema/${file} is stale: run \`npm run openapi\``);
  }
});

t.test('ASYNC1 the JSON Schema in schema/ accepts messages and rejects anything else', async (t) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(messagesJsonSchema());
  const good = [
    EVENT,
    { ...EVENT, seq: 7, user_id: null },
    { ...EVENT, type: 'board.deleted', data: { id: ID } },
    { type: 'user_left', user_id: ID, username: 'ann' },
    { type: 'ping', board_id: ID },
    { type: 'resync', seq: 7 },
    { type: 'pong' },
  ];
  for (const message of good) t.ok(validate(message), JSON.stringify(message));
  const bad = [
    {},
    { type: 'label.invented' },
    { ...EVENT, version: '2.0' },
    { ...EVENT, data: { id: ID } },
    { ...EVENT, seq: '7' },
    { ...EVENT, user_id: 'ann' },
    { type: 'ping' },
  ];
  for (const message of bad) t.notOk(validate(message), JSON.stringify(message));
});

t.test('a message that does not match its description fails the test that receives it', async (t) => {
  const checker = new MessageChecker();
  t.strictSame(checker.read(JSON.stringify(EVENT)), EVENT);
  const wrong: Record<string, { message: object; problem: RegExp }> = {
    'an unknown type': { message: { type: 'secret' }, problem: /without a known type/ },
    'a type that only clients send': { message: { type: 'pong' }, problem: /without a known type/ },
    'a field too many': { message: { ...EVENT, secret: 1 }, problem: /additional properties/ },
    'a field too many inside': { message: { ...EVENT, data: { ...LABEL, x: 1 } }, problem: /additional properties/ },
    'a field too few': { message: { type: 'user_left', user_id: ID }, problem: /required property 'username'/ },
    'data of another kind': { message: { ...EVENT, type: 'card.created' }, problem: /required property 'column_id'/ },
  };
  for (const [name, { message, problem }] of Object.entries(wrong)) {
    t.throws(() => checker.read(JSON.stringify(message)), { message: problem }, name);
  }
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}
