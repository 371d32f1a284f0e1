import type { Test } from 'tap';
import { MAX_PENDING_MAILS, type NoticeLetter, type TakenNotices } from '../../../src/domain/account/noticeMail.js';
import { DEFAULT_NOTICE_SETTINGS, type KindWishes, type NoticeSettings } from '../../../src/domain/account/noticeSettings.js';
import type { SentNotification } from '../../../src/domain/account/notification.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { UserChanges } from '../../../src/domain/commands/directoryCommands.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import { noticeWorld, NOW } from '../../support/store/noticeWorld.js';

const { kinds } = DEFAULT_NOTICE_SETTINGS;
const LATER = '2030-01-03T00:00:00.000Z';

/** Ada and Bob have verified addresses. Who is assigned is mailed at once, and who is mentioned once a day. */
function setUp(t: Test, open: OpenDirectory) {
  const world = noticeWorld(open(t));
  const { run, ada, bob } = world;
  const change = ({ id }: PublicUser, changes: UserChanges) => run({ op: 'user.update', input: { id, now: NOW, changes } });
  const put = ({ id: user_id }: PublicUser, settings: Partial<NoticeSettings>) =>
    run({ op: 'noticeSettings.put', input: { user_id, settings: { ...DEFAULT_NOTICE_SETTINGS, ...settings } } });
  const wish = (user: PublicUser, wishes: Partial<KindWishes>) => put(user, { kinds: { ...kinds, ...wishes } });
  for (const user of [ada, bob]) {
    change(user, { is_verified: true });
    wish(user, { assigned: { app: true, mail: 'now' } });
  }
  return {
    ...world,
    change,
    put,
    wish,
    mail: (...notifications: SentNotification[]) => run({ op: 'notification.add', input: { notifications, is_mailing: true } }).messages ?? [],
    take: (now: string, limit = 10) => run({ op: 'noticeMail.take', input: { now, limit } }).value as TakenNotices[],
    letter: ({ id: user_id }: PublicUser, notices: readonly SentNotification[]) =>
      run({ op: 'noticeMail.read', input: { user_id, ids: notices.map(({ id }) => id) } }).value as NoticeLetter | null,
  };
}

const at = (time: string) => ({ created_at: `2030-01-01T${time}.000Z` });

onBoth('MAIL41 notices at once wait a minute for others, and are taken once', (t, open) => {
  const { ada, bob, noticeTo, mail, take } = setUp(t, open);
  const [first, second, next] = [noticeTo(ada, at('10:00:00')), noticeTo(ada, at('10:00:50')), noticeTo(ada, at('10:01:30'))];
  mail(first, second, noticeTo(bob, { ...at('10:00:30'), actor_id: ada.id }));
  t.strictSame(take('2030-01-01T10:00:59.999Z'), []);
  const [taken, ...others] = take('2030-01-01T10:01:00.000Z');
  t.strictSame([taken?.user_id, others], [ada.id, []]);
  const expected = [first, second].map(({ id }) => ({ id, mail: 'now', actor_id: bob.id }));
  t.strictSame(new Set(taken?.notices), new Set(expected));
  t.strictSame(take('2030-01-01T10:01:00.000Z'), [], 'whoever took them has them');
  mail(first, next);
  t.match(take(LATER, 1), [{ user_id: bob.id }], 'a page, in the order of time');
  t.strictSame(
    take(LATER).map(({ notices }) => notices.map(({ id }) => id)),
    [[next.id]],
    'what is delivered again is mailed no second time',
  );
});

onBoth('MAIL41 the mail of the day is due at eight in the time zone of the user', (t, open) => {
  const { ada, bob, run, noticeTo, mail, take } = setUp(t, open);
  run({ op: 'user.configure', input: { id: ada.id, now: NOW, changes: {}, locale: { time_zone: 'Europe/Vienna' } } });
  mail(noticeTo(ada, { ...at('06:00:00'), kind: 'mentioned' }), noticeTo(bob, { ...at('06:00:00'), kind: 'mentioned' }));
  t.strictSame(take('2030-01-01T06:59:59.999Z'), []);
  t.match(take('2030-01-01T07:00:00.000Z'), [{ user_id: ada.id, notices: [{ mail: 'daily' }] }]);
  t.match(take('2030-01-01T08:00:00.000Z'), [{ user_id: bob.id }]);
  mail(noticeTo(ada, { ...at('07:30:00'), kind: 'mentioned' }));
  t.strictSame(take('2030-01-02T06:59:59.999Z'), []);
  t.equal(take('2030-01-02T07:00:00.000Z').length, 1);
});

onBoth('MAIL41 nothing is mailed that its user turned off, nor to an address that is not verified, nor by a service without mail', (t, open) => {
  const { ada, board, noticeTo, add, mail, take, put, wish, change } = setUp(t, open);
  add(noticeTo(ada));
  mail(noticeTo(ada, { kind: 'moved' }));
  put(ada, { boards: { [board]: { app: true, mail: 'off' } } });
  mail(noticeTo(ada));
  wish(ada, { assigned: { app: true, mail: 'now' } });
  change(ada, { is_verified: false });
  mail(noticeTo(ada));
  change(ada, { is_verified: true, is_active: false });
  mail(noticeTo(ada));
  t.strictSame(take(LATER), []);
  change(ada, { is_active: true });
  put(ada, { kinds: { ...kinds, assigned: { app: true, mail: 'now' } }, boards: { [board]: { app: true, mail: 'daily' } } });
  mail(noticeTo(ada));
  t.match(take(LATER), [{ notices: [{ mail: 'daily' }] }], 'a board only holds back');
});

onBoth('MAIL41 a mail says what its reader may see when it is sent, and has not read', (t, open) => {
  const { ada, bob, board, noticeTo, mail, letter, read, run, change, leave, put } = setUp(t, open);
  const [late, early] = [noticeTo(ada, at('11:00:00')), noticeTo(ada, at('10:00:00'))];
  mail(late, early);
  t.match(letter(ada, [late, early]), {
    email: 'ada@example.org',
    username: 'ada',
    time_zone: null,
    notices: [{ id: early.id, title: 'A card', user: { username: 'bob' }, board_id: board }, { id: late.id }],
  });
  t.equal(letter(bob, [late])?.notices.length, 1, 'the ids are those that were taken');
  read(ada, [early.id]);
  t.equal(letter(ada, [late, early])?.notices.length, 1);
  for (const [changes, back] of [
    [{ is_verified: false }, { is_verified: true }],
    [{ is_active: false }, { is_active: true }],
  ]) {
    change(ada, changes ?? {});
    t.equal(letter(ada, [late]), null);
    change(ada, back ?? {});
  }
  put(ada, { boards: { [board]: { app: true, mail: 'off' } } });
  t.equal(letter(ada, [late]), null, 'not wanted any more');
  put(ada, {});
  t.ok(letter(ada, [late]));
  leave(ada);
  t.equal(letter(ada, [late]), null, 'of a lost board nothing');
  run({ op: 'user.delete', input: { id: ada.id, heir_id: null, now: NOW } });
  t.equal(letter(ada, [late]), null);
});

onBoth('MAIL41 what is wanted by mail alone is in no list, marked by nobody, and pushes nothing out of the list', (t, open) => {
  const { ada, noticeTo, mail, list, read, take, wish, letter } = setUp(t, open);
  wish(ada, { assigned: { app: false, mail: 'now' } });
  const hidden = noticeTo(ada, at('10:00:00'));
  t.strictSame(mail(hidden), [], 'nothing is told');
  t.strictSame(list(ada), { notifications: [], unread: 0, next: null });
  read(ada, null);
  t.equal(letter(ada, [hidden])?.notices.length, 1);
  mail(hidden);
  t.equal(take(LATER).length, 1);
  mail(hidden);
  t.strictSame(take(LATER), [], 'it is known after it was mailed');
});

onBoth('MAIL41 a bounded number waits for a mail; what is refused then waits for the mail of the day', (t, open) => {
  const { ada, noticeTo, mail, take, run } = setUp(t, open);
  const all = Array.from({ length: MAX_PENDING_MAILS + 1 }, () => noticeTo(ada));
  mail(...all);
  const taken = take('2030-01-01T00:02:00.000Z')[0]?.notices ?? [];
  t.strictSame(
    taken.map(({ id }) => id).sort(),
    all
      .slice(0, -1)
      .map(({ id }) => id)
      .sort(),
  );
  run({ op: 'noticeMail.postpone', input: { ids: taken.map(({ id }) => id), now: '2030-01-01T08:00:00.000Z' } });
  t.strictSame(take('2030-01-02T07:59:59.999Z'), []);
  t.equal(take('2030-01-02T08:00:00.000Z')[0]?.notices.filter((each) => each.mail === 'daily').length, MAX_PENDING_MAILS);
});

onBoth('MAIL43 after an unsubscription nothing is mailed, and the rest of the settings stays', (t, open) => {
  const { ada, board, noticeTo, mail, take, letter, run, wish } = setUp(t, open);
  const waiting = noticeTo(ada);
  mail(waiting);
  wish(ada, { assigned: { app: true, mail: 'now' }, moved: { app: false, mail: 'now' } });
  run({ op: 'noticeSettings.unsubscribe', input: { user_id: ada.id } });
  const { kinds: after } = run({ op: 'noticeSettings.get', input: { user_id: ada.id } }).value as NoticeSettings;
  t.match(after, { assigned: { app: true, mail: 'off' }, moved: { app: false, mail: 'off' }, due: { app: true, mail: 'off' } });
  t.equal(letter(ada, [waiting]), null);
  take(LATER);
  mail(noticeTo(ada));
  t.strictSame(take(LATER), []);
  t.equal(run({ op: 'noticeSettings.unsubscribe', input: { user_id: board } }).value, true, 'a user who is gone');
});
