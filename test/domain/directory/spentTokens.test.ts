import { onBoth } from '../../support/store/directories.js';

const NOW = '2030-01-01T00:00:00.000Z';
const SOON = '2030-01-01T00:10:00.000Z';
const LATER = '2030-01-02T00:00:00.000Z';

onBoth('MAIL3 a token that works once is spent once, also by two redemptions in one commit', async (t, open) => {
  const directory = open(t);
  const spend = (hash: string, now: string, expires_at = SOON) => ({ op: 'token.spend', input: { hash, expires_at, now } }) as const;
  t.match(directory.runNow([spend('a', NOW), spend('a', NOW), spend('b', NOW)]), [{ value: true }, { value: false }, { value: true }]);
  t.match(directory.runNow([spend('a', NOW)]), [{ value: false }]);
  t.match(directory.runNow([spend('c', SOON)]), [{ value: false }], 'an expired token is not good');
  t.match(directory.runNow([spend('d', LATER, '2030-01-03T00:00:00.000Z')]), [{ value: true }]);
  t.match(directory.runNow([spend('a', LATER)]), [{ value: false }], 'its row is gone, but it has expired');
});

onBoth('MAIL3 no token is spent while a program that does not know spent tokens must be able to read the commits', async (t, open) => {
  const written: unknown[] = [];
  const directory = open(t, { onCommit: (commit) => written.push(commit) });
  const command = { op: 'token.spend', input: { hash: 'a', expires_at: SOON, now: NOW } } as const;
  directory.writeFor(12);
  t.match(directory.runNow([command]), [{ ok: false, error: { code: 'unavailable' } }]);
  t.strictSame(written, []);
  directory.writeFor(13);
  t.match(directory.runNow([command]), [{ ok: true, value: true }]);
});
