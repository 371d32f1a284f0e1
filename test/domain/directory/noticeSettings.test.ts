import type { Test } from 'tap';
import { DEFAULT_NOTICE_SETTINGS, type NoticeSettings } from '../../../src/domain/account/noticeSettings.js';
import type { SentNotification } from '../../../src/domain/account/notification.js';
import { noticeWorld } from '../../support/store/noticeWorld.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';

const { kinds } = DEFAULT_NOTICE_SETTINGS;

function setUp(t: Test, open: OpenDirectory) {
  const world = noticeWorld(open(t));
  const { run, ada } = world;
  return {
    ...world,
    get: () => run({ op: 'noticeSettings.get', input: { user_id: ada.id } }).value as NoticeSettings,
    put: (settings: Partial<NoticeSettings>) =>
      run({ op: 'noticeSettings.put', input: { user_id: ada.id, settings: { ...DEFAULT_NOTICE_SETTINGS, ...settings } } }).value,
  };
}

onBoth('NOTICE2 settings are the defaults until they are set, are replaced as a whole, and go with their user', (t, open) => {
  const { ada, board, run, refusal, get, put, leave } = setUp(t, open);
  t.strictSame(get(), DEFAULT_NOTICE_SETTINGS);
  const own: NoticeSettings = {
    reminder_minutes: -1,
    kinds: { ...kinds, moved: { app: false, mail: 'now' } },
    boards: { [board]: { app: false, mail: 'off' } },
  };
  t.strictSame([put(own), get()], [own, own]);
  t.strictSame(put({}), DEFAULT_NOTICE_SETTINGS);
  put(own);
  const strange = { ...own, boards: { ...own.boards, [ada.id]: { app: true, mail: 'off' } } } as const;
  t.match(refusal({ op: 'noticeSettings.put', input: { user_id: ada.id, settings: strange } }), {
    code: 'invalid',
    detail: `boards.${ada.id}: must be a board that you are on`,
  });
  t.strictSame(get(), own, 'nothing of it was set');
  leave(ada);
  t.strictSame(get().boards, {}, 'a lost board is not named');
  run({ op: 'user.delete', input: { id: ada.id, heir_id: null, now: '2030-01-01T00:00:00.000Z' } });
  t.strictSame(get(), DEFAULT_NOTICE_SETTINGS);
});

onBoth('REMIND1 another reminder goes to the boards of its user, and to those that the user joins later', (t, open) => {
  const { ada, bob, run } = setUp(t, open);
  const put = (reminder_minutes: number) =>
    run({ op: 'noticeSettings.put', input: { user_id: ada.id, settings: { ...DEFAULT_NOTICE_SETTINGS, reminder_minutes } } });
  const own = () => run({ op: 'noticeSettings.reminder', input: { user_id: ada.id } }).value;
  t.strictSame([put(1_440).added, own()], [undefined, null]);
  const [first] = put(60).added ?? [];
  t.match(first, { user: { id: ada.id } });
  t.equal(own(), 60);
  t.match(put(60).added, [{ id: first?.id }], 'a repetition waits for the same delivery');
  run({ op: 'outbox.delivered', input: { id: first?.id ?? 0 } });
  t.equal(put(60).added, undefined);
  const joined = [ada, bob].map((user) => ({ user_id: user.id, profile: user }));
  const { added } = run({ op: 'membership.apply', input: { board_id: bob.id, version: 1, members: joined } });
  t.match(added, [{ user: { id: ada.id } }], 'it does not know when she wants to be reminded');
  t.equal(added?.length, 1);
  put(1_440);
  t.equal(own(), null);
});

onBoth('NOTICE2 what a kind or a board keeps from the list is neither listed, counted nor told', (t, open) => {
  const { ada, board, noticeTo, add, list, put } = setUp(t, open);
  const addOf = (kind: SentNotification['kind']): number => add(noticeTo(ada, { kind })).length;
  put({ kinds: { ...kinds, moved: { app: false, mail: 'off' } } });
  t.strictSame([addOf('moved'), addOf('assigned')], [0, 1]);
  t.match(list(ada), { notifications: [{ kind: 'assigned' }], unread: 1 });
  put({ kinds: { ...kinds, moved: { app: false, mail: 'off' } }, boards: { [board]: { app: true, mail: 'now' } } });
  t.equal(addOf('moved'), 0, 'a board gives nothing that the kind does not');
  put({ boards: { [board]: { app: false, mail: 'now' } } });
  t.equal(addOf('assigned'), 0);
  t.equal(list(ada).notifications.length, 1, 'what is in the list stays there');
});
