import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { SmtpServer } from '../settings/settingFormats.js';
import type { Sender } from './mailMessage.js';
import type { OutgoingMail } from './outgoingMail.js';

/** Null without a mail server. */
export function mailServerOf({ smtpUrl, mailFrom, publicUrl }: Config): { readonly server: SmtpServer; readonly sender: Sender } | null {
  if (smtpUrl === null || publicUrl === null) return null;
  const from = mailFrom ?? { name: 'Switchboard', address: `switchboard@${new URL(publicUrl).hostname}` };
  return { server: smtpUrl, sender: { from, publicUrl } };
}

/** Null without a mail server: then the mail library is not loaded. */
export async function openMail(config: Config, log: Logger): Promise<OutgoingMail | null> {
  const used = mailServerOf(config);
  if (used === null) return null;
  const { OutgoingMail } = await import('./outgoingMail.js');
  return new OutgoingMail({ smtp: { server: used.server }, sender: used.sender, log });
}
