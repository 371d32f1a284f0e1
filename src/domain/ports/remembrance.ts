/**
 * Until when an instance may use what it remembers about users, sessions and API keys. The owner of the directory reports
 * changes, but an instance that lost contact does not hear them.
 */
export interface Remembrance {
  /** Whether what is remembered may be used without asking the directory. */
  isCurrent(): boolean;
  /** Whether it may be used when the directory was asked and did not answer. */
  isUsable(): boolean;
}
