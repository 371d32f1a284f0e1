import t from 'tap';
import { BOARD_ID, FakeService, settled } from './fakeService.js';

t.test('CLIENT40 the feed reports added, removed and changed boards, and keeps the socket open', async (t) => {
  const service = new FakeService();
  const feed = service.client.feed();
  await settled();
  const seen: Array<[string, object]> = [];
  for (const name of ['board_added', 'board_removed', 'board_changed', 'notification', 'reconnected', 'closed'] as const) {
    feed.on(name, (event) => seen.push([name, event]));
  }
  service.socket.admit();
  await feed.ready;
  service.socket.say({ type: 'user.board_added', board_id: BOARD_ID });
  service.socket.say({ type: 'user.board_changed', board_id: BOARD_ID, title: 'Plans' });
  service.socket.say({ type: 'user.board_removed', board_id: BOARD_ID });
  service.socket.say({ type: 'user.notification', board_id: BOARD_ID, notification: { id: 'a notice' } });
  service.socket.say({ type: 'user.something_new', board_id: BOARD_ID });
  t.strictSame(seen, [
    ['board_added', { board_id: BOARD_ID }],
    ['board_changed', { board_id: BOARD_ID, title: 'Plans' }],
    ['board_removed', { board_id: BOARD_ID }],
    ['notification', { notification: { id: 'a notice' } }],
  ]);
  const connection = service.connect();
  connection.close();
  t.equal(service.socket.isClosed, false);
  feed.close();
  t.strictSame([service.socket.isClosed, service.sockets.length], [true, 1]);
});

t.test('CLIENT40 after a lost connection the feed says that lists must be read again', async (t) => {
  const service = new FakeService();
  const feed = service.client.feed();
  const reasons: string[] = [];
  feed.on('reconnected', ({ reason }) => reasons.push(reason));
  await settled();
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  service.socket.admit();
  await feed.ready;
  t.strictSame(reasons, [], 'there was nothing before');
  for (const code of [1001, 1006]) {
    service.socket.end(code);
    service.clock.fire();
    await settled();
  }
  t.strictSame(reasons, [], 'it is not back yet');
  service.socket.admit();
  t.strictSame(reasons, ['Closed with 1001']);
});

t.test('CLIENT40 the feed reports that the service refused the client', async (t) => {
  const service = new FakeService();
  const [feed, early] = [service.client.feed(), service.client.feed()];
  const reasons: string[] = [];
  feed.on('closed', ({ reason }) => reasons.push(reason));
  early.close();
  await t.rejects(early.ready, { message: 'Closed by the client' });
  await settled();
  service.socket.end(1008, 'Deactivated');
  await t.rejects(feed.ready, { message: 'Deactivated' });
  t.strictSame([reasons, service.clock.waits], [['Deactivated'], []]);
});
