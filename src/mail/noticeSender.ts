/**
 * Mails notices: takes what is due from the directory, a page at a time, and hands it to the queue. The owner of the directory does
 * it; each page is taken in a commit, so two instances never mail the same notice.
 */
import type { Logger } from 'pino';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import type { TakenNotices } from '../domain/account/noticeMail.js';
import type { Uuid } from '../domain/ids.js';
import type { MailPort } from '../domain/ports/mail.js';

export interface NoticeSenderOptions {
  readonly directory: DirectoryPort;
  readonly mail: MailPort;
  readonly isOwner: () => boolean;
  /** The link with which the user gets no more of them. */
  readonly unsubscribeLink: (userId: Uuid) => string;
  readonly now: () => Date;
  readonly log: Logger;
}

/** What is due soon waits no longer than that. */
const IDLE_MS = 2_000;
/** At eight in the morning everyone's mails are due: between two pages the directory serves others. */
const BETWEEN_PAGES_MS = 100;
/** Users; some milliseconds of the directory. */
const PAGE = 10;

export class NoticeSender {
  readonly #options: NoticeSenderOptions;
  readonly #late: Uuid[] = [];
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: NoticeSenderOptions) {
    this.#options = options;
    this.#schedule(IDLE_MS);
  }

  /** What was taken has been handed to the queue then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#turn();
    }, afterMs).unref();
  }

  async #turn(): Promise<void> {
    let isMore = false;
    try {
      isMore = await sendDue(this.#options, this.#late);
    } catch (error) {
      // The directory is away or moves: what was not taken stays due, and what is late is postponed by the next turn.
      this.#options.log.debug({ err: error, late: this.#late.length }, 'notices could not be taken to be mailed; trying again');
    }
    this.#schedule(isMore ? BETWEEN_PAGES_MS : IDLE_MS);
  }
}

/**
 * Mails a page of what is due; whether there may be more. Nothing is taken that the queue has no room for. `late`: what was taken by
 * an earlier turn that failed, and belongs into the mail of the day; empty at the end.
 */
export async function sendDue(options: Omit<NoticeSenderOptions, 'log'>, late: Uuid[]): Promise<boolean> {
  const { directory, mail, isOwner, now } = options;
  await postpone(options, late);
  const limit = Math.min(PAGE, mail.room('notices'));
  if (!isOwner() || limit === 0) return false;
  const taken = await directory.ask('noticeMail.take', { now: now().toISOString(), limit });
  late.push(...taken.flatMap((each) => send(options, each)));
  await postpone(options, late);
  return taken.length === limit;
}

async function postpone({ directory, now }: Pick<NoticeSenderOptions, 'directory' | 'now'>, late: Uuid[]): Promise<void> {
  if (late.length === 0) return;
  await directory.ask('noticeMail.postpone', { ids: [...late], now: now().toISOString() });
  late.length = 0;
}

/** Returns those beyond a limit, for the mail of the day. That one has no limit: it is one. */
function send({ directory, mail, unsubscribeLink }: Omit<NoticeSenderOptions, 'log'>, { user_id, notices }: TakenNotices): Uuid[] {
  const daily = notices.filter((each) => each.mail === 'daily');
  const admitted = admit(
    mail,
    user_id,
    notices.filter((each) => each.mail === 'now'),
  );
  const ids = [...daily, ...admitted].map(({ id }) => id);
  if (ids.length > 0) {
    mail.post('notices', async () => {
      const letter = await directory.ask('noticeMail.read', { user_id, ids });
      if (letter === null) return null;
      const { email: to, language = null, ...said } = letter;
      return { to, language, content: { kind: 'notices', ...said, link: unsubscribeLink(user_id) } };
    });
  }
  return notices.map(({ id }) => id).filter((id) => !ids.includes(id));
}

/** Those that may be mailed at once. A sender counts once in a mail, and a mail that has nothing to say does not count. */
function admit(mail: MailPort, userId: Uuid, notices: TakenNotices['notices']): TakenNotices['notices'] {
  const senders = new Set(notices.map(({ actor_id }) => actor_id));
  const refused = new Set([...senders].filter((sender) => sender !== null && !mail.admitSender(sender, userId)));
  const admitted = notices.filter(({ actor_id }) => !refused.has(actor_id));
  return admitted.length === 0 || mail.admit('notices', userId, null) !== null ? [] : admitted;
}
