import type { Test } from 'tap';
import { IdSource } from '../../../src/domain/ids.js';
import { MAX_NOTIFICATIONS } from '../../../src/domain/account/notification.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import { noticeWorld, NOW } from '../../support/store/noticeWorld.js';

const ids = new IdSource();

const setUp = (t: Test, open: OpenDirectory) => noticeWorld(open(t));

onBoth('NOTICE2 a notice is kept once, however often it is delivered, and read in pages with the newest first', (t, open) => {
  const { ada, bob, board, noticeTo, add, list, read } = setUp(t, open);
  const [first, second, third] = [noticeTo(ada), noticeTo(ada, { kind: 'due', actor_id: null, due_at: '2030-01-02' }), noticeTo(ada)];
  t.match(add(first, second), [
    { user_ids: [ada.id], event: { type: 'user.notification', board_id: board, notification: { id: first.id, user: bob, read_at: null } } },
    { event: { notification: { id: second.id, kind: 'due', user: null, due_at: '2030-01-02' } } },
  ]);
  t.match(add(second, third), [{ event: { notification: { id: third.id } } }], 'of a repeated delivery only what is new is told');
  const page = list(ada, false, null, 2);
  t.strictSame([page.notifications.map(({ id }) => id), page.unread], [[third.id, second.id], 3]);
  const rest = list(ada, false, page.next, 2);
  t.strictSame([rest.notifications.map(({ id }) => id), rest.next], [[first.id], null]);
  t.equal(read(ada, [second.id, ids.fresh()]), 2);
  t.equal(read(bob, [first.id]), 0, 'nobody else can mark it');
  t.strictSame(
    list(ada, true).notifications.map(({ id }) => id),
    [third.id, first.id],
  );
  add(second);
  t.equal(list(ada).unread, 2, 'what was read stays read');
  t.equal(read(ada, null), 0);
  t.strictSame(list(bob), { notifications: [], unread: 0, next: null });
});

onBoth('NOTICE2 of a board that the user has left only kind and time remain, and nothing is told', (t, open) => {
  const { ada, board, run, noticeTo, add, list } = setUp(t, open);
  const known = noticeTo(ada);
  add(known);
  run({ op: 'membership.apply', input: { board_id: board, version: 2, members: [{ user_id: ada.id, profile: null }] } });
  t.strictSame(add(noticeTo(ada)), [], 'a late one is not told');
  const nothing = { board_id: null, card_id: null, comment_id: null, user: null, title: null, due_at: null };
  t.strictSame(list(ada).notifications[1], {
    id: known.id,
    kind: 'assigned',
    created_at: known.created_at,
    read_at: null,
    is_late: false,
    ...nothing,
  });
});

onBoth('NOTICE2 the last notices of a user are kept, and those of a deleted user go', (t, open) => {
  const { ada, bob, run, noticeTo, add, list } = setUp(t, open);
  const all = Array.from({ length: MAX_NOTIFICATIONS + 2 }, () => noticeTo(ada));
  add(...all);
  t.equal(list(ada).unread, MAX_NOTIFICATIONS);
  t.strictSame(list(ada, false, null, MAX_NOTIFICATIONS).notifications.at(-1)?.id, all[2]?.id);
  add(noticeTo(bob, { actor_id: ada.id }));
  run({ op: 'user.delete', input: { id: ada.id, heir_id: null, now: NOW } });
  t.strictSame(list(ada), { notifications: [], unread: 0, next: null });
  t.match(list(bob).notifications, [{ user: null }], 'nobody is named any more');
  t.strictSame(add(noticeTo(ada)), []);
  t.equal(list(ada).unread, 0, 'a late one is not kept');
});
