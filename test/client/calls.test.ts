import t from 'tap';
import { WebSocket } from 'ws';
import type { Success } from '../../src/api/operation/operation.js';
import { operations } from '../../src/api/operations/table.js';
import { ApiError, createClient, type Client } from '../../src/client/index.js';
import { startTestApp } from '../support/service/app.js';
import { newRegistration } from '../support/http/users.js';

const app = await startTestApp(t);

const isForBrowsers = ({ status, contentType }: Success): boolean => status === 302 || contentType === 'text/html';

t.test('CLIENT7 every operation of the service is a method, except those that redirect a browser or show it a page', async (t) => {
  const client = createClient({ baseUrl: app.url });
  for (const { name, success } of operations) {
    const method = name.split('.').reduce<unknown>((found, part) => (found as Record<string, unknown>)[part], client);
    t.equal(typeof method, isForBrowsers(success) ? 'undefined' : 'function', name);
  }
});

t.test('CLIENT7 accounts and users', async (t) => {
  const client = createClient({ baseUrl: `${app.url}/api/` });
  const registration = newRegistration({ firstname: 'Ada' });
  const { password, ...names } = registration;
  const user = await client.auth.register(registration);
  t.match(user, names);
  await client.auth.login({ username: registration.email, password });
  t.strictSame(await client.auth.me(), { ...user, language: null, time_zone: null });
  const rename = { firstname: null, lastname: 'Lovelace' };
  t.match(await client.auth.updateMe(rename), rename);
  const change = { current_password: password, new_password: 'another' };
  t.strictSame(await client.auth.changePassword(change), { detail: 'Password changed' });
  await client.auth.login({ username: registration.email, password: 'another' });
  t.match(await client.users.get({ user_id: user.id }), { lastname: 'Lovelace' });
  const search = user.username.slice(3);
  t.strictSame(
    (await client.users.search({ search, limit: 1 })).map(({ id }) => id),
    [user.id],
  );
  t.strictSame(await client.users.search({ search, offset: 1 }), []);
  t.ok((await client.users.search()).length > 0, 'a query is optional');
  t.equal((await client.health()).status, 'ok');
  t.match((await client.openapi()).openapi, /^3\.1/);
});

t.test('CLIENT7 boards and everything on them', async (t) => {
  const client = await newClient();
  const other = await newClient();
  const { id: user_id } = await other.auth.me();
  const board = await client.board.create({ title: 'Plans' });
  const path = { board_id: board.id };

  t.match(await client.board.update(path, { description: 'text' }), { title: 'Plans', description: 'text' });
  t.match(await client.board.list(), [{ id: board.id, role: 'owner' }]);
  t.strictSame(await client.member.add(path, { user_id }), { user_id, role: 'member' });
  t.match(await client.member.setRole({ ...path, user_id }, { role: 'owner' }), { role: 'owner' });
  t.equal((await client.member.list(path)).length, 2);

  const todo = await client.column.create(path, { title: 'To do' });
  const done = await client.column.create(path, { title: 'Done', position: 0, is_done_column: true });
  t.match(await client.column.update({ column_id: todo.id }, { color: 'teal' }), { color: 'teal' });
  await client.column.move({ column_id: todo.id }, { position: 0 });

  const label = await client.label.create(path, { name: 'urgent' });
  t.match(await client.label.update({ label_id: label.id }, { name: 'soon' }), { name: 'soon' });
  const card = await client.card.create({ ...path, column_id: todo.id }, { title: 'Card' });
  const card_id = card.id;
  t.match(await client.card.update({ card_id }, { title: 'Renamed' }), { title: 'Renamed' });
  t.match(await client.card.move({ card_id }, { column_id: done.id }), { column_id: done.id });
  t.match(await client.card.assign({ card_id }, { user_ids: [user_id] }), { assignees: [{ id: user_id }] });
  t.match(await client.card.addLabel({ card_id, label_id: label.id }), { labels: [{ name: 'soon' }] });
  t.match(await client.label.stats(path), [{ label_id: label.id, card_count: 1 }]);

  const checklist = await client.checklist.create({ card_id }, { title: 'Steps' });
  const checklist_id = checklist.id;
  await client.checklist.update({ checklist_id }, { title: 'Renamed' });
  await client.checklist.move({ checklist_id }, { position: 0 });
  const { id: item_id } = await client.item.create({ checklist_id }, { content: 'First' });
  t.match(await client.item.update({ item_id }, { is_done: true }), { is_done: true });
  await client.item.move({ item_id }, { position: 0 });
  t.match(await client.item.assign({ item_id }, { user_ids: [user_id] }), { assignees: [{ id: user_id }] });

  const rule = await client.rule.create(path, {
    name: 'When done',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done.id,
    action_type: 'ASSIGN_MEMBER',
    action_user_id: user_id,
  });
  t.match(await client.rule.update({ rule_id: rule.id }, { is_enabled: false }), { is_enabled: false });
  t.equal((await client.rule.list(path)).length, 1);

  const full = await client.board.get(path);
  t.strictSame(full.columns[1]?.cards, [await client.card.get({ card_id })]);
  t.strictSame(await client.label.list(path), full.labels);
  t.strictSame((await client.presence.get(path)).online_users, []);
  const { events, seq } = await client.board.events(path, { since: 1 });
  t.equal(events.at(-1)?.seq, seq);
  t.equal(events[0]?.seq, 2);

  t.equal(await client.rule.delete({ rule_id: rule.id }), undefined);
  await client.item.unassign({ item_id, user_id });
  await client.item.delete({ item_id });
  await client.checklist.delete({ checklist_id });
  await client.card.removeLabel({ card_id, label_id: label.id });
  await client.card.unassign({ card_id, user_id });
  await client.card.delete({ card_id });
  await client.label.delete({ label_id: label.id });
  await client.column.delete({ column_id: todo.id });
  await client.member.remove({ ...path, user_id });
  t.match(await client.board.get(path), { columns: [{ id: done.id, cards: [] }], labels: [], members: [{}] });
  await client.board.delete(path);
  t.strictSame(await client.board.list(), []);
});

t.test('CLIENT9 files are uploaded from every supported source and downloaded unchanged', async (t) => {
  const client = await newClient();
  const { id: board_id } = await client.board.create({ title: 'Files' });
  const { id: column_id } = await client.column.create({ board_id }, { title: 'To do' });
  const { id: card_id } = await client.card.create({ board_id, column_id }, { title: 'Card' });
  const bytes = new Uint8Array([0, 255, 13, 10, 128]);
  const uploads = [
    { file: new File([bytes], 'räksmörgås.bin', { type: 'image/png' }), type: 'image/png' },
    { file: { name: 'bytes', content: bytes }, type: 'application/octet-stream' },
    { file: { name: 'blob', content: new Blob([bytes], { type: 'text/csv' }) }, type: 'text/csv' },
    { file: { name: 'typed', content: new Blob([bytes]), type: 'text/x-typed' }, type: 'text/x-typed' },
  ];
  for (const { file, type } of uploads) {
    const attachment = await client.attachment.create({ card_id }, file);
    t.match(attachment, { name: file.name, mime_type: type, size: bytes.length }, file.name);
    const blob = await client.attachment.get({ attachment_id: attachment.id });
    t.strictSame(new Uint8Array(await blob.arrayBuffer()), bytes, `${file.name} comes down`);
    t.equal(blob.type, type);
  }
  const [first] = (await client.card.get({ card_id })).attachments;
  await client.attachment.delete({ attachment_id: first?.id ?? '' });
  t.equal((await client.card.get({ card_id })).attachments.length, uploads.length - 1);
});

t.test('CLIENT10 a refusal is an ApiError with the code and text of the service', async (t) => {
  const client = createClient({ baseUrl: app.url });
  await t.rejects(client.auth.me(), { name: 'ApiError', status: 401, retryAfter: null });
  const user = await newClient();
  const refused: unknown = await user.board.create({ title: '' }).catch((error: unknown) => error);
  t.ok(refused instanceof ApiError);
  t.match(refused, { status: 422, detail: /^title: / });

  const answering = (response: Response): Client => createClient({ baseUrl: app.url, retry: false, fetch: async () => response });
  const busy = new Response('{"detail": "Later"}', { status: 503, headers: { 'retry-after': '7' } });
  await t.rejects(answering(busy).health(), { name: 'ApiError', status: 503, detail: 'Later', retryAfter: 7 });
  const proxy = new Response('<h1>Oops</h1>', { status: 502, statusText: 'Bad Gateway' });
  await t.rejects(answering(proxy).health(), { name: 'ApiError', detail: 'Bad Gateway', retryAfter: null });
});

t.test('CLIENT50 the token is kept from login to logout', async (t) => {
  const client = createClient({ baseUrl: app.url });
  const registration = newRegistration();
  await client.auth.register(registration);
  t.equal(client.token, null);
  const { access_token } = await client.auth.login({ username: registration.email, password: registration.password });
  t.equal(client.token, access_token);
  t.match(await createClient({ baseUrl: app.url, token: access_token }).auth.me(), { email: registration.email });
  await client.auth.logout();
  t.equal(client.token, null);
  client.token = access_token;
  await t.rejects(client.auth.me(), { name: 'ApiError', status: 401 }, 'the session of the token has ended');
});

t.test('CLIENT10 a call can be aborted, and a call with an empty id is not sent', async (t) => {
  const client = await newClient();
  const given = new AbortController();
  given.abort();
  await t.rejects(client.board.list({}, { signal: given.signal }), { name: 'AbortError' });
  await t.rejects(client.board.delete({ board_id: '' }), { name: 'TypeError', message: 'board_id is missing' });
  t.throws(() => createClient({ baseUrl: '/boards' }), { message: 'Invalid URL' });
});

t.test('CLIENT10 connecting reports missing options at once', async (t) => {
  t.throws(() => createClient({ baseUrl: app.url, webSocket: WebSocket }).connect('x'), /log in first/);
  t.intercept(globalThis, 'WebSocket', { value: undefined });
  t.throws(() => createClient({ baseUrl: app.url, token: 'x' }).connect('x'), /This runtime has no WebSocket/);
});

async function newClient(): Promise<Client> {
  const client = createClient({ baseUrl: app.url });
  const registration = newRegistration();
  await client.auth.register(registration);
  await client.auth.login({ username: registration.email, password: registration.password });
  return client;
}
