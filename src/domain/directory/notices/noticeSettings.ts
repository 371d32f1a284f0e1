/** What users want of notices. A user without rows has the defaults. */
import type { KindWishes, NoticeSettings, NoticeWish } from '../../account/noticeSettings.js';
import { AppError } from '../../errors.js';
import { toPublicUser } from '../../account/user.js';
import type { Uuid } from '../../ids.js';
import type { DirectoryHandlersOf } from '../handler.js';
import { findUser, requireUser } from '../names.js';
import { addPending } from '../outbox.js';
import type { DirectoryRows } from '../rows.js';
import { kindSettings, ownReminder } from './notifications.js';

export const noticeSettingsHandlers: DirectoryHandlersOf<'noticeSettings'> = {
  'noticeSettings.get': { effect: 'read', run: (rows, { user_id }) => ({ value: shownSettings(rows, user_id) }) },
  'noticeSettings.put': {
    effect: 'idempotent',
    run(rows, { user_id, settings: { reminder_minutes, kinds, boards } }) {
      const user = requireUser(rows, user_id);
      const reminder = ownReminder(rows, user_id);
      const named = Object.keys(boards);
      const own = new Set(rows.boardsAmong(user_id, named));
      const foreign = named.find((id) => !own.has(id));
      if (foreign !== undefined) throw new AppError('invalid', `boards.${foreign}: must be a board that you are on`);
      const before = boardWishes(rows, user_id);
      for (const [board_id, { app, mail }] of Object.entries(boards)) {
        if (!isSameWish(before.get(board_id), boards[board_id])) rows.write({ op: 'boardNotices.put', wish: { user_id, board_id, app, mail } });
      }
      for (const board_id of before.keys()) if (!own.has(board_id)) rows.write({ op: 'boardNotices.remove', user_id, board_id });
      putKinds(rows, user_id, reminder_minutes, kinds);
      const isNew = ownReminder(rows, user_id) !== reminder && rows.get('membership', { user_id }) !== null;
      const profile = toPublicUser(user);
      const waiting = isNew ? null : rows.get('pending_profile', { user_id });
      const added = isNew ? [addPending(rows, user_id, profile)] : waiting === null ? [] : [{ id: waiting.id, user: profile }];
      return { value: shownSettings(rows, user_id), ...(added.length > 0 ? { added } : {}) };
    },
  },
  'noticeSettings.reminder': { effect: 'read', run: (rows, { user_id }) => ({ value: ownReminder(rows, user_id) }) },
  'noticeSettings.unsubscribe': {
    effect: 'idempotent',
    run(rows, { user_id }) {
      if (findUser(rows, user_id) === null) return { value: true };
      const { reminder_minutes, kinds } = kindSettings(rows, user_id);
      putKinds(rows, user_id, reminder_minutes, withoutMail(kinds));
      return { value: true };
    },
  },
};

export function forgetNoticeSettings(rows: DirectoryRows, user_id: Uuid): void {
  if (rows.get('notice_settings', { user_id }) !== null) rows.write({ op: 'noticeSettings.forget', user_id });
  if (rows.count('board_notices', { user_id }) > 0) rows.write({ op: 'boardNotices.forget', user_id });
}

/** Of boards that the user has left nothing is shown; the choice counts again if they come back. */
function shownSettings(rows: DirectoryRows, user_id: Uuid): NoticeSettings {
  const wishes = boardWishes(rows, user_id);
  const shown = rows.boardsAmong(user_id, [...wishes.keys()]).flatMap((id) => {
    const wish = wishes.get(id);
    return wish === undefined ? [] : [[id, wish] as const];
  });
  return { ...kindSettings(rows, user_id), boards: Object.fromEntries(shown) };
}

function putKinds(rows: DirectoryRows, user_id: Uuid, reminder_minutes: number, kinds: KindWishes): void {
  const settings = { reminder_minutes, kinds };
  if (JSON.stringify(kindSettings(rows, user_id)) === JSON.stringify(settings)) return;
  rows.write({ op: 'noticeSettings.put', settings: { user_id, ...settings } });
}

function boardWishes(rows: DirectoryRows, user_id: Uuid): Map<Uuid, NoticeWish> {
  const all = rows.list('board_notices', { user_id }, { order: ['board_id'] });
  return new Map(all.map(({ board_id, app, mail }) => [board_id, { app, mail }]));
}

function isSameWish(a: NoticeWish | undefined, b: NoticeWish | undefined): boolean {
  return a?.app === b?.app && a?.mail === b?.mail;
}

function withoutMail(kinds: KindWishes): KindWishes {
  const off = Object.entries(kinds).map(([kind, { app }]) => [kind, { app, mail: 'off' }]);
  return Object.fromEntries(off) as KindWishes;
}
