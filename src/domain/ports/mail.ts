/** Mails of the service. They are sent after the answer to the request that causes them. */
import type { NoticeLetter } from '../account/noticeMail.js';

/** What a mail says. Names are as users chose them. */
export type MailContent =
  | { readonly kind: 'reset'; readonly username: string; readonly link: string }
  | { readonly kind: 'verification'; readonly username: string; readonly link: string }
  | { readonly kind: 'invitation'; readonly inviter: string; readonly board: string | null; readonly link: string }
  | { readonly kind: 'password'; readonly username: string }
  /** `link`: to get none any more. */
  | ({ readonly kind: 'notices'; readonly link: string } & Omit<NoticeLetter, 'email' | 'language'>)
  /** To the address before. */
  | { readonly kind: 'address'; readonly username: string };

export type MailKind = MailContent['kind'];

export interface PreparedMail {
  /** One e-mail address. */
  readonly to: string;
  /** Of the recipient, a tag of BCP 47; null: not known. */
  readonly language: string | null;
  readonly content: MailContent;
}

export interface MailRefusal {
  readonly by: 'address' | 'source' | 'queue';
  /** Seconds. */
  readonly retryAfter: number;
}

export interface MailPort {
  /**
   * Counts a mail of the kind against the limits of its address and of `source`, who causes it: a network, or a user. Null
   * if it may be sent; a refused one is not counted.
   */
  admit(kind: MailKind, address: string, source: string | null): MailRefusal | null;
  /** Counts a mail to this user that somebody else causes by what they do. False if there were too many lately. */
  admitSender(sender: string, recipient: string): boolean;
  /** How many mails of the kind can be posted now. */
  room(kind: MailKind): number;
  /** Sends in the background. `prepare` is called before each attempt; it answers null if there is nothing to send. */
  post(kind: MailKind, prepare: () => Promise<PreparedMail | null>): void;
}
