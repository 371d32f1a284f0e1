/** Sends the mails of the service through the configured mail server. */
import type { Logger } from 'pino';
import type { MailKind, MailPort, MailRefusal, PreparedMail } from '../domain/ports/mail.js';
import { composeMail, type Sender } from './mailMessage.js';
import { MailLimits } from './mailLimits.js';
import { MailQueue, type MailStats } from './mailQueue.js';
import { Smtp, type SmtpOptions } from './smtp.js';

export interface OutgoingMailOptions {
  readonly smtp: SmtpOptions;
  readonly sender: Sender;
  readonly log: Logger;
}

const FULL_RETRY_SECONDS = 60;

export class OutgoingMail implements MailPort {
  readonly #limits = new MailLimits();
  readonly #queue: MailQueue;

  constructor({ smtp: options, sender, log }: OutgoingMailOptions) {
    const smtp = new Smtp(options);
    this.#queue = new MailQueue({
      deliver: (mail) => smtp.send(composeMail(mail, sender)),
      hangUp: () => smtp.hangUp(),
      log,
    });
  }

  get stats(): MailStats {
    return this.#queue.stats;
  }

  admit(kind: MailKind, address: string, source: string | null): MailRefusal | null {
    if (!this.#queue.hasRoom(kind)) return { by: 'queue', retryAfter: FULL_RETRY_SECONDS };
    return this.#limits.take(kind, address, source);
  }

  admitSender(sender: string, recipient: string): boolean {
    return this.#limits.takeSender(sender, recipient);
  }

  room(kind: MailKind): number {
    return this.#queue.room(kind);
  }

  post(kind: MailKind, prepare: () => Promise<PreparedMail | null>): void {
    this.#queue.post(kind, prepare);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
