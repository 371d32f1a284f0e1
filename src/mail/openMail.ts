import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { OutgoingMail } from './outgoingMail.js';

/** Null without a mail server: then the mail library is not loaded. */
export async function openMail({ smtpUrl, mailFrom, publicUrl }: Config, log: Logger): Promise<OutgoingMail | null> {
  if (smtpUrl === null || publicUrl === null) return null;
  const { OutgoingMail } = await import('./outgoingMail.js');
  const from = mailFrom ?? { name: 'Switchboard', address: `switchboard@${new URL(publicUrl).hostname}` };
  return new OutgoingMail({ smtp: { server: smtpUrl }, sender: { from, publicUrl }, log });
}
