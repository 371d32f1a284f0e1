/** Codes that change with time (RFC 6238): SHA-1, 30 seconds, 6 digits, as every authenticator application has them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
/** As long as the output of SHA-1, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Steps before and after the present one, for clocks that differ and codes that are typed slowly. */
const TOLERANCE = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / STEP_MS);
}

export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step that the code belongs to, or null. Compares with every possible step, so that the time reveals nothing. */
export function matchingStep(secret: Uint8Array, code: string, time: Date): number | null {
  const given = Buffer.from(code);
  const now = stepAt(time);
  let found: number | null = null;
  for (let step = now - TOLERANCE; step <= now + TOLERANCE; step += 1) {
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}

/** Whether the text has the form of a code. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** RFC 4648 without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= BITS; bits -= BITS) text += BASE32.charAt((held >> (bits - BITS)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32.charAt((held << (BITS - bits)) & 31);
}

/** For the QR code that an authenticator application reads. */
export function otpauthUri(secret: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = new URLSearchParams({
    secret: toBase32(secret),
    issuer,
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP_MS / 1000),
  });
  return `otpauth://totp/${label}?${parameters.toString().replaceAll('+', '%20')}`;
}
