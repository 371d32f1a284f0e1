/** What an error of the mail server means. */

/** Of nodemailer's errors; all may be absent. */
interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly command?: unknown;
  /** The text of the server. */
  readonly response?: unknown;
}

/** Errors whose text has the address, or something of the server. */
const WITH_FOREIGN_TEXT: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE', 'EAUTH', 'EPROTOCOL']);

/** The server refused this address or this message for good. A refused login is repaired by the operator. */
export function isFinalRefusal(error: unknown): boolean {
  const { code, responseCode } = fieldsOf(error);
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return isAboutMail && (typeof responseCode !== 'number' || responseCode >= 500);
}

/** For the log. A server may repeat the address, the link or the login in its answer, so its text is left out. */
export function safeReason(error: unknown): Readonly<Record<string, unknown>> {
  const { code, responseCode, command, response } = fieldsOf(error);
  const facts = { code, status: responseCode, command };
  if (response !== undefined || WITH_FOREIGN_TEXT.has(code) || !(error instanceof Error)) return facts;
  return { ...facts, reason: error.message };
}

function fieldsOf(error: unknown): SmtpError {
  return typeof error === 'object' && error !== null ? error : {};
}
