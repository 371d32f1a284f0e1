import t, { type Test } from 'tap';
import { createPasswords, type PasswordsOptions } from '../../src/auth/passwords.js';
import { FakePasswordThreads } from '../support/service/fakePasswordThreads.js';
import { rejectionOf } from '../support/rejection.js';

const FLOODER = '203.0.113.1';

/** One thread that is already busy with 'first', unless the options say otherwise. */
async function setUp(t: Test, options: PasswordsOptions = {}) {
  const threads = new FakePasswordThreads();
  const passwords = createPasswords({ threads: 1, startThread: threads.start, ...options });
  t.teardown(async () => {
    const closed = passwords.close();
    threads.finishAll();
    await closed;
  });
  const refused: string[] = [];
  const note = (name: string) => (error: Error) => void refused.push(`${name}: ${error.message}`);
  const register = (name: string, address = FLOODER): void => void passwords.hash(name, { lane: 'registration', address }).catch(note(name));
  const logIn = (name: string, address: string): void => void passwords.verify(null, name, { lane: 'login', address }).catch(note(name));
  register('first');
  await new Promise(setImmediate);
  t.strictSame(threads.running, ['first']);
  return { passwords, threads, refused, register, logIn };
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

t.test('PASS12 a login goes before every waiting registration', async (t) => {
  const { threads, register, logIn } = await setUp(t);
  for (const name of numbered('registration', 90)) register(name);
  logIn('login', '192.0.2.1');
  t.equal(threads.finishOne(), 'first');
  t.strictSame(threads.running, ['login'], 'after the running task');
});

t.test('PASS12 under constant logins one task of nine is a registration', async (t) => {
  const { threads, register, logIn } = await setUp(t);
  for (const name of numbered('registration', 2)) register(name);
  for (const name of numbered('login', 20)) logIn(name, FLOODER);
  t.strictSame(threads.finishAll(), [
    'first',
    ...numbered('login', 8),
    'registration 1',
    ...numbered('login', 16).slice(8),
    'registration 2',
    ...numbered('login', 20).slice(16),
  ]);
});

t.test('PASS12 addresses take turns, in logins and in registrations', async (t) => {
  const { threads, register, logIn } = await setUp(t);
  for (const name of numbered('flood', 3)) register(name);
  register('registration of another', '192.0.2.1');
  for (const name of numbered('guess', 3)) logIn(name, FLOODER);
  logIn('login of another', '192.0.2.1');
  t.strictSame(threads.finishAll(), [
    'first',
    'guess 1',
    'login of another',
    'guess 2',
    'guess 3',
    'flood 1',
    'registration of another',
    'flood 2',
    'flood 3',
  ]);
});

t.test('PASS12 all addresses of an IPv6 network count as one', async (t) => {
  const { threads, logIn } = await setUp(t);
  for (const [index, name] of numbered('guess', 3).entries()) logIn(name, `2001:db8::${index + 1}`);
  logIn('login of another', '2001:db8:0:1::1');
  t.strictSame(threads.finishAll(), ['first', 'guess 1', 'login of another', 'guess 2', 'guess 3']);
});

t.test('PASS12 in a full queue the address with the most makes room', async (t) => {
  const { threads, refused, logIn } = await setUp(t, { maxQueue: 4 });
  for (const name of numbered('guess', 5)) logIn(name, FLOODER);
  await new Promise(setImmediate);
  t.match(refused, [/^guess 5: Too many password checks are waiting/], 'it has filled the queue alone');
  logIn('login of another', '192.0.2.1');
  await new Promise(setImmediate);
  t.match(refused.slice(1), [/^guess 4: /], 'its newest task is refused');
  t.strictSame(threads.finishAll(), ['first', 'guess 1', 'login of another', 'guess 2', 'guess 3']);
});

t.test('PASS13 fifty registrations at once from one address wait their turn', async (t) => {
  const { threads, refused, register } = await setUp(t);
  for (const name of numbered('registration', 50)) register(name);
  t.equal(threads.finishAll().length, 51);
  t.strictSame(refused, []);
});

t.test('PASS13 an address with more than a hundred registrations is refused until later, and others are not', async (t) => {
  const { passwords, threads, register } = await setUp(t);
  for (const name of numbered('registration', 100)) register(name);
  const error = await rejectionOf(passwords.hash('one more', { lane: 'registration', address: FLOODER }));
  t.match(error, { code: 'too_many', retryAfter: 1, detail: /address.* at most 100 / });
  register('registration of another', '192.0.2.1');
  t.equal(passwords.queued, 101);
  t.ok(threads.finishAll().includes('registration of another'));
});

t.test('PASS13 registrations of all addresses together are bounded', async (t) => {
  const { passwords, register } = await setUp(t, { maxRegistrations: 3 });
  for (const name of numbered('registration', 3)) register(name, `192.0.2.${name.at(-1) ?? ''}`);
  const late = await rejectionOf(passwords.hash('late', { lane: 'registration', address: '192.0.2.9' }));
  t.match(late, { code: 'unavailable', retryAfter: 1, detail: 'Too many registrations are waiting' });
});

t.test('PASS13 the registrations of one address leave a thread to the others', async (t) => {
  const { threads, register } = await setUp(t, { threads: 3 });
  for (const name of numbered('registration', 10)) register(name);
  await new Promise(setImmediate);
  t.strictSame(threads.running, ['first', 'registration 1'], 'two of three threads');
  register('registration of another', '192.0.2.1');
  await new Promise(setImmediate);
  t.strictSame(threads.running, ['first', 'registration 1', 'registration of another']);
  t.equal(threads.finishAll().length, 12);
});
