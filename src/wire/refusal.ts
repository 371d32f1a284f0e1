/** Reasons to refuse a message of another instance. A closed list, because it labels a metric. */
export const REFUSAL_REASONS = [
  'malformed', // the bytes or the shape are wrong
  'too_large', // a bound on size, count or nesting is exceeded
  'version', // the sender speaks another protocol version
  'unsupported', // well-formed, but of a kind that this version does not know
  'sealed', // a message that our key does not open
  'repeated', // a message that came before
  'clock', // of an instance whose time of day differs
  'flood', // more came than can be handled
  'fault', // it is as it should be, and handling it failed: a fault of ours
  'misdirected', // the command belongs to another partition than the one it was sent to
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The text says what is wrong and quotes at most a few characters of the message. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: RefusalReason;
  /** The instance that the message names as its sender; empty if it names none. */
  readonly sender: string;

  constructor(reason: RefusalReason, message: string, sender = '') {
    super(message);
    this.reason = reason;
    this.sender = sender;
  }
}

const MAX_QUOTED_CHARACTERS = 60;

/** A name from a peer, short enough for a log line and an answer. */
export function quote(name: unknown): string {
  return JSON.stringify(String(name).slice(0, MAX_QUOTED_CHARACTERS));
}
