import t, { type Test } from 'tap';
import { DEFAULT_NOTICE_SETTINGS } from '../../src/domain/account/noticeSettings.js';
import type { SentNotification } from '../../src/domain/account/notification.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { DirectoryCommand, DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import { IdSource, type Uuid } from '../../src/domain/ids.js';
import type { MailPort, PreparedMail } from '../../src/domain/ports/mail.js';
import { MailLimits, MAIL_LIMITS, SENDER_LIMIT } from '../../src/mail/mailLimits.js';
import { sendDue } from '../../src/mail/noticeSender.js';
import { MemoryDirectory } from '../support/store/memoryDirectory.js';
import { noticeWorld, NOW } from '../support/store/noticeWorld.js';

const ids = new IdSource();
const MINUTE_MS = 60_000;
const SENT_AT_ONCE = { kinds: { ...DEFAULT_NOTICE_SETTINGS.kinds, assigned: { app: true, mail: 'now' } } } as const;

/** Ada and Bob are mailed at once; what is posted is kept until the test sends it. */
function setUp(t: Test) {
  const directory = new MemoryDirectory({ onError: (error) => void t.error(error) });
  const world = noticeWorld(directory);
  const { run, ada, bob } = world;
  for (const { id } of [ada, bob]) {
    run({ op: 'user.update', input: { id, now: NOW, changes: { is_verified: true } } });
    run({ op: 'noticeSettings.put', input: { user_id: id, settings: { ...DEFAULT_NOTICE_SETTINGS, ...SENT_AT_ONCE } } });
  }
  const scene = { time: Date.parse(NOW), room: 100, isOwner: true };
  const limits = new MailLimits(() => scene.time);
  const posted: Array<() => Promise<PreparedMail | null>> = [];
  const asked: string[] = [];
  const refused = new Set<string>();
  const late: Uuid[] = [];
  const port: DirectoryPort = {
    ask: async (op, input) => {
      asked.push(op);
      if (refused.has(op)) throw new AppError('unavailable', 'The directory moves');
      return run({ op, input } as unknown as DirectoryCommand).value as never;
    },
  };
  const mail: MailPort = {
    admit: (kind, address, source) => limits.take(kind, address, source),
    admitSender: (sender, recipient) => limits.takeSender(sender, recipient),
    room: () => scene.room,
    post: (_kind, prepare) => void posted.push(prepare),
  };
  const options = {
    directory: port,
    mail,
    isOwner: () => scene.isOwner,
    unsubscribeLink: (id: string) => `link of ${id}`,
    now: () => new Date(scene.time),
  };
  return {
    ...world,
    scene,
    asked,
    /** Operations that the directory does not carry out now. */
    refused,
    posted,
    /** Lets a minute pass. */
    tick: async () => {
      scene.time += MINUTE_MS;
      return sendDue(options, late);
    },
    /** As the queue does. */
    sent: async () => {
      const mails = await Promise.all(posted.splice(0).map(async (prepare) => prepare()));
      return mails.flatMap((each) => (each === null ? [] : [each])).sort((a, b) => a.to.localeCompare(b.to));
    },
    assign: (user: PublicUser, fields: Partial<SentNotification> = {}) => {
      const notice = world.noticeTo(user, { created_at: new Date(scene.time).toISOString(), ...fields });
      run({ op: 'notification.add', input: { notifications: [notice], is_mailing: true } });
      return notice;
    },
  };
}

t.test('MAIL41 what is due is one mail for each user, with a link of their own', async (t) => {
  const { ada, bob, tick, assign, sent } = setUp(t);
  const [first, second] = [assign(ada), assign(ada)];
  assign(bob, { actor_id: ada.id });
  t.equal(await tick(), false);
  t.match(await sent(), [
    {
      to: 'ada@example.org',
      content: { kind: 'notices', username: 'ada', notices: [{ id: first.id }, { id: second.id }], link: `link of ${ada.id}` },
    },
    { to: 'bob@example.org', content: { notices: [{ user: { username: 'ada' } }], link: `link of ${bob.id}` } },
  ]);
  await tick();
  t.strictSame(await sent(), [], 'nothing is sent twice');
});

t.test('MAIL41 what was taken before a kill is not sent again', async (t) => {
  const { ada, tick, assign, posted } = setUp(t);
  assign(ada);
  await tick();
  posted.length = 0;
  await tick();
  t.strictSame(posted, []);
});

t.test('MAIL41 nothing is taken that the queue has no room for, nor by an instance that does not own the directory', async (t) => {
  const { ada, scene, tick, assign, asked, sent } = setUp(t);
  assign(ada);
  scene.room = 0;
  t.equal(await tick(), false);
  Object.assign(scene, { room: 100, isOwner: false });
  t.equal(await tick(), false);
  t.strictSame(asked, []);
  scene.isOwner = true;
  scene.room = 1;
  t.equal(await tick(), true, 'there may be more than a page');
  t.equal((await sent()).length, 1);
});

t.test('MAIL7 a sender and a recipient have a limit of notices at once; what is beyond waits for the mail of the day', async (t) => {
  const { ada, bob, tick, assign, sent, refused } = setUp(t);
  const actors = (mails: readonly PreparedMail[]) =>
    mails.map(({ content }) => (content.kind === 'notices' ? content.notices.map(({ user }) => user?.username) : []));
  for (let count = 0; count < SENDER_LIMIT.limit; count += 1) {
    assign(ada);
    await tick();
    t.strictSame(actors(await sent()), [['bob']]);
  }
  assign(ada);
  assign(ada, { actor_id: null });
  await tick();
  t.strictSame(actors(await sent()), [[undefined]], 'others get through');
  assign(bob, { actor_id: ada.id });
  await tick();
  t.strictSame(actors(await sent()), [['ada']], 'and so does the mail to another user');
  const hourly = MAIL_LIMITS.notices.address[0]?.limit ?? 0;
  for (let count = SENDER_LIMIT.limit + 1; count < hourly; count += 1) {
    assign(ada, { actor_id: ids.fresh() });
    await tick();
    t.equal((await sent()).length, 1);
  }
  assign(ada, { actor_id: ids.fresh() });
  refused.add('noticeMail.postpone');
  await t.rejects(tick(), { code: 'unavailable' });
  refused.clear();
  t.strictSame(await sent(), [], 'a recipient has a limit too');
  for (let hours = 0; hours < 9; hours += 1) for (let minute = 0; minute < 60; minute += 1) await tick();
  t.equal(actors(await sent())[0]?.length, 2, 'both come with the mail of the day, although the directory was away');
});
