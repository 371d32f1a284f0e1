import t from 'tap';
import { AppError } from '../../src/domain/errors.js';
import { closeFor } from '../../src/realtime/entry/admission.js';

t.test('WS2 a socket that is not admitted hears why, in a reason that fits into its frame', async (t) => {
  t.strictSame(closeFor(new AppError('unavailable', 'It took too long')), { code: 1013, reason: 'It took too long' });
  t.strictSame(closeFor(new AppError('too_many', 'Too many sockets')), { code: 1013, reason: 'Too many sockets' });
  t.strictSame(closeFor(new AppError('forbidden', 'Not a member')), { code: 1008, reason: 'Not a member' });
  t.match(closeFor(new AppError('unavailable', 'é'.repeat(62))), { code: 1013, reason: 'Try again later' }, '124 bytes');
  t.match(closeFor(new AppError('forbidden', 'é'.repeat(61))), { code: 1008, reason: 'é'.repeat(61) }, '122 bytes');
  t.match(closeFor(new TypeError('a fault of ours')), { code: 1013, reason: 'Try again later' }, 'nothing of a fault');
});
