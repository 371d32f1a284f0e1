import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import type { JWTPayload } from 'jose';
import t from 'tap';
import { createTokens } from '../../src/auth/tokens.js';
import { AppError } from '../../src/domain/errors.js';

const USER = '6c2b1d9e-30a4-4f0b-9c61-2a7d5a0c8f11';
const SECRET = 'a secret of more than thirty-two characters';
const START = 1_700_000_000;

/** Tokens with a manual clock. */
function setUp(options: { maxRemembered?: number } = {}) {
  const clock = { seconds: START };
  const settings = { secret: SECRET, algorithm: 'HS256', lifetimeSeconds: 3600, audience: 'boards' } as const;
  const tokens = createTokens({ ...settings, ...options, now: () => clock.seconds * 1000 });
  return { clock, settings, tokens };
}

const goodClaims: JWTPayload = { sub: USER, aud: ['boards'], iat: START, exp: START + 60 };

function forge(claims: JWTPayload, options: { alg?: string; secret?: string } = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: options.alg ?? 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(options.secret ?? SECRET));
}

function without(claim: keyof JWTPayload): JWTPayload {
  const { [claim]: _, ...rest } = goodClaims;
  return rest;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const SESSION = '22222222-2222-4222-8222-222222222222';

t.test('TOK1 a token carries exactly sub, aud, exp and iat, and names its algorithm', async (t) => {
  const { tokens } = setUp();
  const token = await tokens.issue(USER);
  t.strictSame(decodeJwt(token), { sub: USER, aud: ['boards'], iat: START, exp: START + 3600 });
  t.strictSame(decodeProtectedHeader(token), { alg: 'HS256', typ: 'JWT' });
});

t.test('TOK1 the token of a session names it, and does not outlive it', async (t) => {
  const { tokens } = setUp();
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const session = { id: SESSION, refreshed_at: time(START), expires_at: time(START + 9_000) };
  const token = await tokens.issue(USER, session);
  t.strictSame(decodeJwt(token), { sub: USER, aud: ['boards'], iat: START, exp: START + 3600, sid: SESSION });
  t.equal(await tokens.issue(USER, session), token, 'the same until the session is refreshed');
  t.match(await tokens.verify(token), { sessionId: SESSION, issuedAt: START });
  t.equal(decodeJwt(await tokens.issue(USER, { ...session, expires_at: time(START + 60) })).exp, START + 60);
  for (const sid of ['x', 7, null, [SESSION]]) {
    await t.rejects(tokens.verify(await forge({ ...goodClaims, sid })), { code: 'unauthenticated' }, JSON.stringify(sid));
  }
});

t.test('TOK1 the configured algorithm signs and is the only one accepted', async (t) => {
  const { settings, tokens } = setUp();
  for (const algorithm of ['HS384', 'HS512'] as const) {
    const others = createTokens({ ...settings, algorithm, now: () => START * 1000 });
    const token = await others.issue(USER);
    t.equal(decodeProtectedHeader(token).alg, algorithm);
    t.match(await others.verify(token), { userId: USER });
    await t.rejects(tokens.verify(token), { code: 'unauthenticated' }, `${algorithm} is not HS256`);
  }
});

t.test('a short development secret works', async (t) => {
  const tokens = createTokens({ ...setUp().settings, secret: 'dev' });
  t.match(await tokens.verify(await tokens.issue(USER)), { userId: USER });
});

t.test('AUTH11 a token is valid until the second in which it expires', async (t) => {
  const { clock, tokens } = setUp();
  const token = await forge(goodClaims);
  clock.seconds = START + 59;
  t.strictSame(await tokens.verify(token), { userId: USER, sessionId: null, issuedAt: START, expiresAt: START + 60, key: null });
  clock.seconds = START + 60;
  await t.rejects(tokens.verify(token), { code: 'unauthenticated', message: 'The token has expired' });
});

t.test('AUTH11 the user id is given in lower case', async (t) => {
  const token = await forge({ ...goodClaims, sub: USER.toUpperCase() });
  t.match(await setUp().tokens.verify(token), { userId: USER });
});

t.test('AUTH11 a token that the service would not issue is refused', async (t) => {
  const { tokens } = setUp();
  const good = await forge(goodClaims);
  const [header = '', payload = '', signature = ''] = good.split('.');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaInput = `${encode({ alg: 'RS256', typ: 'JWT' })}.${payload}`;
  const hostile: Record<string, string> = {
    'alg none': new UnsecuredJWT(goodClaims).encode(),
    'alg none with our signature': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'another key': await forge(goodClaims, { secret: 'another secret of more than thirty-two characters' }),
    'another HMAC': await forge(goodClaims, { alg: 'HS512' }),
    'RS256 header, our signature': `${encode({ alg: 'RS256', typ: 'JWT' })}.${payload}.${signature}`,
    'RS256 signed': `${rsaInput}.${sign('sha256', Buffer.from(rsaInput), privateKey).toString('base64url')}`,
    'another audience': await forge({ ...goodClaims, aud: ['others'] }),
    'our audience among others': await forge({ ...goodClaims, aud: ['boards', 'others'] }),
    'audience as a string': await forge({ ...goodClaims, aud: 'boards' }),
    'no audience': await forge(without('aud')),
    expired: await forge({ ...goodClaims, exp: START }),
    'no exp': await forge(without('exp')),
    'exp without end': await forge({ ...goodClaims, exp: 1e300 }),
    'exp as text': await forge(Object.assign({}, goodClaims, { exp: String(START + 60) })),
    'no sub': await forge(without('sub')),
    'sub that is no UUID': await forge({ ...goodClaims, sub: 'admin' }),
    'sub as a number': await forge(Object.assign({}, goodClaims, { sub: 7 })),
    'issued in the future': await forge({ ...goodClaims, iat: START + 31 }),
    'not yet valid': await forge({ ...goodClaims, nbf: START + 31 }),
    'other claims, same signature': `${header}.${encode({ ...goodClaims, sub: USER.replace('6', '7') })}.${signature}`,
    'claims that are an array': `${header}.${encode([])}.${signature}`,
    truncated: good.slice(0, -4),
    'without signature': `${header}.${payload}.`,
    'four parts': `${good}.x`,
    padded: `${good}=`,
    'white space': ` ${good}`,
    empty: '',
    dots: '..',
  };
  for (const [what, token] of Object.entries(hostile)) {
    await t.rejects(tokens.verify(token), { code: 'unauthenticated' }, what);
    t.equal(tokens.peek(token), undefined, `${what}: not cached`);
  }
  t.match(await tokens.verify(good), { userId: USER }, 'the original token is valid');
});

t.test('AUTH11 a small difference in the time of issue is tolerated', async (t) => {
  const token = await forge({ ...goodClaims, iat: START + 30 });
  t.match(await setUp().tokens.verify(token), { userId: USER });
});

t.test('AUTH11 garbage of every kind is refused as unauthenticated', async (t) => {
  const { tokens } = setUp();
  const good = await tokens.issue(USER);
  const part = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
  );
  const garbage = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(part, part, part).map((parts) => parts.join('.')),
    fc.tuple(fc.constantFrom(...good.split('.')), part, part).map((parts) => parts.join('.')),
  );
  const isRefused = fc.asyncProperty(garbage, async (token) => {
    const outcome: unknown = await tokens.verify(token).catch((reason: unknown) => reason);
    return outcome instanceof AppError && outcome.code === 'unauthenticated';
  });
  await t.resolves(fc.assert(isRefused, { numRuns: 500 }));
});

t.test('AUTH11 an overlong token is refused, even if its signature is valid', async (t) => {
  const { tokens } = setUp();
  const signed = await forge({ ...goodClaims, padding: 'x'.repeat(4096) });
  await t.rejects(tokens.verify(signed), { code: 'unauthenticated' });
  await t.rejects(tokens.verify('x'.repeat(10_000_000)), { code: 'unauthenticated' });
});

t.test('AUTH11 a refusal reveals nothing about the token', async (t) => {
  const { tokens } = setUp();
  for (const token of ['not-a-token', await forge({ ...goodClaims, exp: START }), await forge(without('sub'))]) {
    const error: unknown = await tokens.verify(token).catch((reason: unknown) => reason);
    if (!(error instanceof AppError)) throw error;
    t.notOk(error.message.includes(token));
    t.equal(error.cause, undefined, 'no library error with the claims in it');
  }
});

t.test('LIMIT6 a verified token is cached until it expires, and read without an await', async (t) => {
  const { clock, tokens } = setUp();
  const token = await forge(goodClaims);
  t.equal(tokens.peek(token), undefined, 'not before it was verified');
  await tokens.verify(token);
  clock.seconds = START + 59;
  t.strictSame(tokens.peek(token), { userId: USER, sessionId: null, issuedAt: START, expiresAt: START + 60, key: null });
  clock.seconds = START + 60;
  t.equal(tokens.peek(token), undefined);
  clock.seconds = START + 59;
  t.equal(tokens.peek(token), undefined, 'an expired token is removed');
});

t.test('LIMIT6 only the exact string is cached', async (t) => {
  const { tokens } = setUp();
  const token = await tokens.issue(USER);
  await tokens.verify(token);
  t.equal(tokens.peek(token.slice(0, -1)), undefined);
  t.equal(tokens.peek(token.split('.')[2] ?? ''), undefined);
});

t.test('LIMIT6 memory is bounded: the oldest token is evicted first, and stays valid', async (t) => {
  const { tokens } = setUp({ maxRemembered: 2 });
  const first = await forge({ ...goodClaims, jti: 'first' });
  const second = await forge({ ...goodClaims, jti: 'second' });
  const third = await forge({ ...goodClaims, jti: 'third' });
  for (const token of [first, second, third]) await tokens.verify(token);
  t.equal(tokens.peek(first), undefined);
  t.match(tokens.peek(second), { userId: USER });
  t.match(tokens.peek(third), { userId: USER });
  t.match(await tokens.verify(first), { userId: USER });
});
