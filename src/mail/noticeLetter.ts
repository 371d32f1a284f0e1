/** What a mail says about notices: a sentence and a link for each. */
import { MAX_PENDING_MAILS } from '../domain/account/noticeMail.js';
import type { Notification } from '../domain/account/notification.js';
import type { MailContent } from '../domain/ports/mail.js';
import type { Speaker } from '../words/speaker.js';

/** A paragraph, or a link in a line of its own. */
export type Part = string | { readonly link: string };

export interface Letter {
  /** Has nothing that a user wrote. */
  readonly subject: string;
  readonly parts: readonly Part[];
  readonly headers?: Readonly<Record<string, string>>;
}

type Notices = Extract<MailContent, { kind: 'notices' }>;

export function writeNotices({ username, time_zone, notices, link }: Notices, speaker: Speaker, publicUrl: string): Letter {
  const isCut = notices.length >= MAX_PENDING_MAILS;
  return {
    subject: speaker.say('notices.subject'),
    parts: [
      speaker.say('mail.greeting', { name: username }),
      speaker.say('notices.count', { count: notices.length }),
      ...notices.flatMap((notice): Part[] => [sentence(notice, speaker, time_zone), { link: placeOf(notice, publicUrl) }]),
      ...(isCut ? [speaker.say('notices.more')] : []),
      speaker.say('notices.chosen', { url: publicUrl }),
      { link },
    ],
    // A mail program offers it beside the mail, and asks for it by POST without opening a page, see RFC 8058.
    headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
}

function sentence({ kind, user, title: given, due_at }: Notification, speaker: Speaker, zone: string | null): string {
  const title = given ?? '';
  // Who is put on a board has not chosen whose words to read: an invitation quotes nothing.
  if (kind === 'invited') return speaker.say('notice.invited');
  if (kind === 'due')
    return due_at === null ? speaker.say('notice.due', { title }) : speaker.say('notice.dueAt', { title, date: shownDate(due_at, speaker, zone) });
  return user === null ? speaker.say(`notice.${kind}`, { title }) : speaker.say(`notice.${kind}By`, { name: user.username, title });
}

/** A bare day is the same everywhere. */
function shownDate(date: string, { locale }: Speaker, zone: string | null): string {
  const isDay = !date.includes('T');
  const options = isDay
    ? ({ dateStyle: 'long', timeZone: 'UTC' } as const)
    : ({ dateStyle: 'long', timeStyle: 'short', timeZone: zone ?? 'UTC' } as const);
  const shown = new Intl.DateTimeFormat(locale, options).format(new Date(date));
  return isDay ? shown : `${shown} (${zone ?? 'UTC'})`;
}

function placeOf({ board_id, card_id }: Notification, publicUrl: string): string {
  const board = `${publicUrl}/app/boards/${board_id}`;
  return card_id === null ? board : `${board}/cards/${card_id}`;
}
