import { createHash } from 'node:crypto';
import t from 'tap';
import { qrCodeOf } from '../../src/web/account/qrCode.js';

/** Computed by another implementation (Project Nayuki), with the same mask. */
const KNOWN: ReadonlyArray<readonly [text: string, size: number, hash: string]> = [
  ['a', 21, '6KtoCFTkAZxKyJvQ4Z3-H36Wfzyv0EgJGz4-xHS29DE'],
  [
    'otpauth://totp/Switchboard:ann%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Switchboard',
    41,
    'ewX4905Vj60yR8CUEJA4rTySv5QpSu5R1eajP59g8oY',
  ],
  ['ä'.repeat(150), 69, 'G0H0J7fCNeZmqf7EVEJJhDakrVZyEEKo31NsYJ8DSSU'],
  ['x'.repeat(666), 97, 'SX32w1pn0T9ysK-sAHc0207VwfC4AmfoOlQU0qbzqgw'],
];

t.test('WEBIN3 a QR code is the one that another implementation makes, and a text that is too long has none', async (t) => {
  for (const [text, size, hash] of KNOWN) {
    const rows = qrCodeOf(text)?.map((row) => row.map(Number).join('')) ?? [];
    t.equal(rows.length, size);
    t.equal(createHash('sha256').update(rows.join('\n')).digest('base64url'), hash);
  }
  t.equal(qrCodeOf('x'.repeat(667)), null);
});
