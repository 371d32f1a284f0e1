/** The text of each mail. Plain text, with the same as HTML. */
import { randomUUID } from 'node:crypto';
import type { MailContent, PreparedMail } from '../domain/ports/mail.js';
import type { MailAddress } from '../settings/settingFormats.js';
import { Speaker } from '../words/speaker.js';
import { writeNotices, type Letter } from './noticeLetter.js';

export interface MailMessage {
  readonly from: MailAddress;
  readonly to: string;
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

export function composeMail({ to, language, content }: PreparedMail, sender: Sender): MailMessage {
  return messageOf(to, write(content, new Speaker(language), sender.publicUrl), sender);
}

/** With which an operator tries the mail server. */
export function composeTestMail(to: string, sender: Sender): MailMessage {
  const text = `This is a test by the operator of ${sender.publicUrl}: mails of the service arrive. Nothing is to be done.`;
  return messageOf(to, { subject: 'Test of the mail server', parts: [text] }, sender);
}

function messageOf(to: string, { subject, parts, headers = {} }: Letter, { from, publicUrl }: Sender): MailMessage {
  return {
    from,
    to,
    subject,
    text: `${parts.map((part) => (typeof part === 'string' ? part : part.link)).join('\n\n')}\n`,
    html: parts.map((part) => `<p>${typeof part === 'string' ? escapeHtml(part) : anchor(part.link)}</p>\n`).join(''),
    messageId: `<${randomUUID()}@${new URL(publicUrl).hostname}>`,
    // No automatic reply is wanted, see RFC 3834.
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
  };
}

function write(content: MailContent, speaker: Speaker, url: string): Letter {
  switch (content.kind) {
    case 'reset':
      return {
        subject: speaker.say('reset.subject'),
        parts: [
          speaker.say('mail.greeting', { name: content.username }),
          speaker.say('reset.text', { url }),
          { link: content.link },
          speaker.say('reset.note'),
        ],
      };
    case 'verification':
      return {
        subject: speaker.say('verification.subject'),
        parts: [speaker.say('verification.text', { url, name: content.username }), { link: content.link }, speaker.say('verification.note')],
      };
    case 'invitation': {
      const { inviter, board, link } = content;
      const text = board === null ? speaker.say('invitation.text', { inviter, url }) : speaker.say('invitation.toBoard', { inviter, board, url });
      return { subject: speaker.say('invitation.subject'), parts: [text, { link }, speaker.say('invitation.note')] };
    }
    case 'notices':
      return writeNotices(content, speaker, url);
    case 'address':
    case 'password':
      return {
        subject: speaker.say(`${content.kind}.subject`),
        parts: [
          speaker.say('mail.greeting', { name: content.username }),
          speaker.say(`${content.kind}.text`, { url }),
          speaker.say(`${content.kind}.note`),
        ],
      };
  }
}

function anchor(link: string): string {
  const address = escapeHtml(link);
  return `<a href="${address}">${address}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
