/** The caller's notices: what concerns them on their boards. */
import * as v from 'valibot';
import { writePlace } from '../../../domain/board/comments/commentsOnDisk.js';
import { MAX_NOTIFICATIONS } from '../../../domain/account/notification.js';
import { operation, type Operation } from '../../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../../operation/paging.js';
import { enumeration, uuid } from '../../schemas/fields.js';
import { Notification } from '../../schemas/resources.js';

const tag = 'Notifications';

const unread = v.pipe(v.number(), v.integer(), v.description('Of all that are kept'));

const listNotifications = operation({
  name: 'notification.list',
  method: 'GET',
  path: '/me/notifications',
  access: 'user',
  tag,
  summary: 'List the caller’s notices',
  description:
    `The newest first; the last ${MAX_NOTIFICATIONS} are kept. None is about what the caller did. \`user.notification\` on the ` +
    'socket `/ws` tells of a new one.',
  query: {
    unread: {
      schema: v.optional(enumeration(['true', 'false']), 'false'),
      description: 'Only those that are not marked as read',
      document: { type: 'boolean', default: false },
    },
    before: beforePlace,
    limit: pageLimit('notices'),
  },
  success: {
    status: 200,
    description: 'A page of notices',
    schema: v.object({ notifications: v.array(Notification), unread, next: nextPlace }),
  },
  async handle({ caller, query }, { directory }) {
    const { before = null, limit } = query;
    const page = await directory.ask('notification.list', { user_id: caller.id, unread: query.unread === 'true', before, limit });
    return { json: JSON.stringify({ ...page, next: page.next && writePlace(page.next) }) };
  },
});

const readNotifications = operation({
  name: 'notification.read',
  method: 'POST',
  path: '/me/notifications/read',
  access: 'user',
  tag,
  summary: 'Mark notices as read',
  description: 'Those with these ids, or all. Ids that the caller has no notice for are ignored.',
  body: {
    kind: 'json',
    schema: v.object({
      ids: v.optional(v.pipe(v.array(uuid()), v.maxLength(MAX_NOTIFICATIONS, `must have at most ${MAX_NOTIFICATIONS} ids`))),
    }),
  },
  // It can be repeated as it is.
  isAnswerKept: false,
  success: { status: 200, description: 'How many are left unread', schema: v.object({ unread }) },
  async handle({ caller, body }, { directory, now }) {
    const input = { user_id: caller.id, ids: body.ids ?? null, now: now().toISOString() };
    return { json: JSON.stringify({ unread: await directory.ask('notification.read', input) }) };
  },
});

export const notificationOperations: readonly Operation[] = [listNotifications, readNotifications];
