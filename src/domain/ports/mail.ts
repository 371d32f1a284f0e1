/** Mails of the service. They are sent after the answer to the request that causes them. */

/** What a mail says. Names are as users chose them. */
export type MailContent =
  | { readonly kind: 'reset'; readonly username: string; readonly link: string }
  | { readonly kind: 'verification'; readonly username: string; readonly link: string }
  | { readonly kind: 'invitation'; readonly inviter: string; readonly board: string | null; readonly link: string }
  | { readonly kind: 'password'; readonly username: string }
  /** To the address before. */
  | { readonly kind: 'address'; readonly username: string };

export type MailKind = MailContent['kind'];

export interface PreparedMail {
  /** One e-mail address. */
  readonly to: string;
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
  /** Sends in the background. `prepare` is called before each attempt; it answers null if there is nothing to send. */
  post(kind: MailKind, prepare: () => Promise<PreparedMail | null>): void;
}
