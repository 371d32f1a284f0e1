import t from 'tap';
import { createClient } from '../../src/client/index.js';
import { newPerson } from '../support/web/people.js';
import { startTestApp } from '../support/service/app.js';
import { ManualClock } from './manualClock.js';
import { startScriptedHttp } from './scriptedHttp.js';
import { until } from '../support/until.js';

t.test('CLIENT9 a board is exported to a file and imported from it, and both report how far they are', async (t) => {
  const { api } = await startTestApp(t);
  const { client } = await newPerson(api);
  const { id: board_id } = await client.board.create({ title: 'Plans' });
  const { id: column_id } = await client.column.create({ board_id }, { title: 'To do' });
  const { id: card_id } = await client.card.create({ board_id, column_id }, { title: 'Räksmörgås' });
  await client.attachment.create({ card_id }, { name: 'file', content: 'x'.repeat(300_000) });

  const received: number[] = [];
  const file = await client.exportFile({ board_id }, { onReceived: (bytes) => received.push(bytes) });
  t.strictSame(JSON.parse(await file.text()), await client.board.export({ board_id }));
  t.equal(file.type, 'application/json');
  t.equal(received[0], 0);
  t.equal(received.at(-1), file.size);
  t.strictSame(
    received,
    [...received].sort((a, b) => a - b),
    'it only grows',
  );

  const sent: number[] = [];
  const { board, imported, left_out } = await client.importFile(file, { onProgress: (part) => sent.push(part) });
  t.match({ board, imported, left_out }, { board: { title: 'Plans' }, imported: { cards: 1, attachments: 1 }, left_out: [] });
  t.equal(sent.at(-1), 1);
  await t.rejects(client.importFile(new Blob(['{'])), { name: 'ApiError', status: 400 });
});

t.test('CLIENT9 an import from a file is repeated with its content and one key, and has no time-out', async (t) => {
  const service = await startScriptedHttp(t, { status: 503 }, 'silence');
  const clock = new ManualClock();
  const client = createClient({ baseUrl: service.url, token: 'token', clock, random: () => 0.5 });
  const controller = new AbortController();
  const call = client.importFile(new Blob(['{"format":1}'], { type: 'text/plain' }), { signal: controller.signal });
  const ended = t.rejects(call, { name: 'AbortError' });
  await service.arrived(1);
  await until(() => clock.waits.length > 0);
  clock.fire();
  await service.arrived(2);
  t.strictSame(clock.waits, [], 'nothing limits the second attempt');
  controller.abort();
  await ended;
  t.strictSame(
    service.seen.map(({ body }) => body),
    ['{"format":1}', '{"format":1}'],
  );
  t.ok(service.seen.every(({ headers }) => headers['content-type'] === 'application/json'));
  t.equal(new Set(service.seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
});
