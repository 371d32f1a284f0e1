import t from 'tap';
import { send, startWorld } from '../support/board/boardWorld.js';
import { fileForm, populate } from '../support/board/populatedBoard.js';
import { filePart, multipart, MULTIPART } from '../support/http/multipart.js';
import { changeUser } from '../support/service/operator.js';
import { RawConnection } from '../support/http/rawHttp.js';
import { logIn, newUser } from '../support/http/users.js';

t.test('AUTH9 a caller who is deactivated while the body arrives is refused when the body is complete', async (t) => {
  const world = await startWorld(t);
  const { api, app, config, owner } = world;
  const { board, card } = await populate(world);
  const document = { format: 'switchboard-board', version: 1, title: 'Imported' };
  const requests: Array<[string, string, Uint8Array]> = [
    [`POST /cards/${card.id}/attachments`, MULTIPART['content-type'], multipart(filePart('x'.repeat(100_000)))],
    ['POST /boards/import', 'application/json', Buffer.from(JSON.stringify(document))],
    ['POST /boards', 'application/json', Buffer.from(JSON.stringify({ title: 'New' }))],
  ];
  const attachments = async (): Promise<unknown> => (await send<{ attachments: unknown }>(world, owner, `GET /cards/${card.id}`)).attachments;
  for (const [request, type, body] of requests) {
    const user = await newUser(api);
    await send(world, owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
    const before = await attachments();
    const connection = await RawConnection.open(app.url);
    const lines = ['Host: test', `Authorization: Bearer ${user.token}`, `Content-Type: ${type}`];
    await connection.send(`${request} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
    await connection.send(body.subarray(0, body.length - 5));
    // Answered by the same thread, so the request has begun.
    t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 200);
    await changeUser(config.dataDir, user.id, { is_active: false });
    await connection.send(body.subarray(body.length - 5));
    t.equal((await connection.response()).status, 401, request);
    connection.close();
    t.strictSame(await attachments(), before, 'nothing was changed');
    await changeUser(config.dataDir, user.id, { is_active: true });
    const again = { ...user, token: await logIn(api, user.email, user.password) };
    const boards = await send<Array<{ id: string }>>(world, again, 'GET /boards');
    t.strictSame(
      boards.map(({ id }) => id),
      [board.id],
      'no board either',
    );
  }
  const kept = await api.request('POST', `/cards/${card.id}/attachments`, { token: owner.token, body: fileForm('x') });
  t.equal(kept.status, 201);
});
