/** What the caller wants of notices. */
import * as v from 'valibot';
import { DEFAULT_KINDS, DEFAULT_NOTICE_SETTINGS, MAX_BOARD_WISHES, NOTICE_MAILS, type NoticeWish } from '../../../domain/account/noticeSettings.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../domain/account/notification.js';
import { AppError } from '../../../domain/errors.js';
import type { PublicUser } from '../../../domain/account/user.js';
import { answer, operation, type Operation, type Services } from '../../operation/operation.js';
import { documented, enumeration, reminderMinutes, uuid } from '../../schemas/fields.js';
import { NotificationSettings } from '../../schemas/resources.js';

const tag = 'Notifications';
const path = '/me/notification-settings';

const NO_WISH: NoticeWish = { app: true, mail: 'now' };

const wish = ({ app, mail }: NoticeWish) => v.object({ app: v.optional(v.boolean(), app), mail: v.optional(enumeration(NOTICE_MAILS), mail) });

const kinds = Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, v.optional(wish(DEFAULT_KINDS[kind]), {})])) as {
  readonly [Kind in NotificationKind]: v.OptionalSchema<ReturnType<typeof wish>, Record<string, never>>;
};

const boards = v.pipe(
  v.record(uuid(), wish(NO_WISH)),
  // As many keys as an object of a body may have: more are refused before.
  documented({ maxProperties: MAX_BOARD_WISHES }),
);

const getSettings = operation({
  name: 'notification.settings',
  method: 'GET',
  path,
  access: 'user',
  tag,
  summary: 'Get what the caller wants of notices',
  description: 'Of boards, those that the caller is on and has chosen something for.',
  success: { status: 200, description: 'The settings', schema: NotificationSettings },
  async handle({ caller }, { directory }) {
    return answer(await directory.ask('noticeSettings.get', { user_id: caller.id }));
  },
});

const putSettings = operation({
  name: 'notification.setSettings',
  method: 'PUT',
  path,
  access: 'user',
  tag,
  summary: 'Set what the caller wants of notices',
  description:
    'Replaces all of it; what is left out has its default. It decides about notices from then on: what is in the list stays there. ' +
    'A board only holds back: of its choice and that of the kind, the less counts. There is a limit a minute ' +
    '(`MAX_PROFILE_CHANGES_PER_MINUTE`, 10 by default).',
  body: {
    kind: 'json',
    schema: v.object({
      reminder_minutes: v.optional(reminderMinutes(), DEFAULT_NOTICE_SETTINGS.reminder_minutes),
      kinds: v.optional(v.object(kinds), {}),
      boards: v.optional(boards, {}),
    }),
  },
  // It can be repeated as it is.
  isAnswerKept: false,
  success: { status: 200, description: 'The settings', schema: NotificationSettings },
  errors: { 429: 'The caller has changed them as often as `MAX_PROFILE_CHANGES_PER_MINUTE` allows; try again after `Retry-After` seconds' },
  async handle({ caller, body }, services) {
    countChange(services, caller);
    return answer(await services.directory.ask('noticeSettings.put', { user_id: caller.id, settings: body }));
  },
});

export const notificationSettingsOperations: readonly Operation[] = [getSettings, putSettings];

/** Each may change a thousand rows of the directory, which serves everyone. */
function countChange({ profileChanges, config }: Services, { id }: PublicUser): void {
  const key = `notices of ${id}`;
  const waitMs = profileChanges.wait(key, performance.now());
  if (waitMs > 0) {
    const most = `${config.maxProfileChangesPerMinute} times a minute (MAX_PROFILE_CHANGES_PER_MINUTE)`;
    throw new AppError('too_many', `A user can change what they want of notices at most ${most}`, { retryAfter: Math.ceil(waitMs / 1000) });
  }
  profileChanges.add(key, performance.now());
}
