/** The text of each mail. Plain text, with the same as HTML. */
import { randomUUID } from 'node:crypto';
import type { MailContent, PreparedMail } from '../domain/ports/mail.js';
import type { MailAddress } from '../settings/settingFormats.js';

export interface MailMessage {
  readonly from: MailAddress;
  readonly to: string;
  /** Has nothing that a user wrote. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Sender {
  readonly from: MailAddress;
  /** The address of the service, as users know it. */
  readonly publicUrl: string;
}

/** A paragraph, or a link in a line of its own. */
type Part = string | { readonly link: string };

interface Letter {
  readonly subject: string;
  readonly parts: readonly Part[];
}

/** A longer name would be a message of its own. */
const MAX_NAME_CHARACTERS = 40;

export function composeMail({ to, content }: PreparedMail, sender: Sender): MailMessage {
  return messageOf(to, write(content, sender.publicUrl), sender);
}

/** With which an operator tries the mail server. */
export function composeTestMail(to: string, sender: Sender): MailMessage {
  const text = `This is a test by the operator of ${sender.publicUrl}: mails of the service arrive. Nothing is to be done.`;
  return messageOf(to, { subject: 'Test of the mail server', parts: [text] }, sender);
}

function messageOf(to: string, { subject, parts }: Letter, { from, publicUrl }: Sender): MailMessage {
  return {
    from,
    to,
    subject,
    text: `${parts.map((part) => (typeof part === 'string' ? part : part.link)).join('\n\n')}\n`,
    html: parts.map((part) => `<p>${typeof part === 'string' ? escapeHtml(part) : anchor(part.link)}</p>\n`).join(''),
    messageId: `<${randomUUID()}@${new URL(publicUrl).hostname}>`,
    // No automatic reply is wanted, see RFC 3834.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function write(content: MailContent, publicUrl: string): Letter {
  switch (content.kind) {
    case 'reset':
      return {
        subject: 'Set a new password',
        parts: [
          `Hello ${quoted(content.username)},`,
          `a new password was asked for, for your account at ${publicUrl}. With this link you can set it within an hour:`,
          { link: content.link },
          'The link works once. If you did not ask for it, ignore this mail: your password stays as it is.',
        ],
      };
    case 'verification':
      return {
        subject: 'Confirm your e-mail address',
        parts: [
          `This e-mail address was given at ${publicUrl} for the account ${quoted(content.username)}. ` +
            'If this was you, confirm the address within a day:',
          { link: content.link },
          'If it was not you, do not open the link.',
        ],
      };
    case 'invitation': {
      const board = content.board === null ? '' : ` to the board ${quoted(content.board)}`;
      return {
        subject: 'You are invited',
        parts: [
          `${quoted(content.inviter)} invites you${board} at ${publicUrl}. With this link you can accept:`,
          { link: content.link },
          'If you do not know who invites you, ignore this mail.',
        ],
      };
    }
    case 'address':
      return {
        subject: 'Your e-mail address was changed',
        parts: [
          `Hello ${quoted(content.username)},`,
          `your account at ${publicUrl} has another e-mail address now, and this one is no longer used.`,
          'If you did not change it, tell the operator of the service at once.',
        ],
      };
    case 'password':
      return {
        subject: 'Your password was changed',
        parts: [
          `Hello ${quoted(content.username)},`,
          `the password of your account at ${publicUrl} was changed.`,
          'If you did not change it, set a new one with “Forgotten password”, and tell the operator of the service.',
        ],
      };
  }
}

/**
 * A name that a user chose, which must not pass for a part of our text. Mail programs make links of plain text, so
 * characters that a web or mail address needs are replaced.
 */
function quoted(name: string): string {
  // First, because it makes ordinary dots and slashes of those that look alike.
  const plain = name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const short = [...plain].slice(0, MAX_NAME_CHARACTERS);
  const isWhole = short.length === [...plain].length;
  const unlinked = short.join('').replace(/[/\\:@#?=&%“”"<>]|[.。](?=\S)/gu, '·');
  return `“${unlinked}${isWhole ? '' : '…'}”`;
}

function anchor(link: string): string {
  const address = escapeHtml(link);
  return `<a href="${address}">${address}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
