/** The first superuser of a service, made in the page or by one request. */
import * as v from 'valibot';
import { hashSetupToken, isSetupToken } from '../../../auth/setupTokens.js';
import { alreadySetUp, wrongSetupToken } from '../../../domain/account/setup.js';
import { AppError } from '../../../domain/errors.js';
import { requireGoodPassword } from '../../accounts/requireGoodPassword.js';
import { clientOf } from '../../operation/audited.js';
import { changeOnce, earlierAnswer, keyedRequest } from '../../operation/keyedChange.js';
import { answer, operation, type Call, type Operation, type Services } from '../../operation/operation.js';
import { email, newPassword, optionalName, username } from '../../schemas/fields.js';
import { PublicUser } from '../../schemas/resources.js';

const MAX_TOKEN_CHARACTERS = 100;
/** All guesses of the token count together. */
const SETUP_ACCOUNT = 'setup';

const createFirst = operation({
  name: 'auth.setup',
  method: 'POST',
  path: '/auth/setup',
  access: 'public',
  tag: 'Authentication',
  summary: 'Create the first superuser',
  description:
    'Works once: while no user is a superuser, or ever was. It needs the token of the service, which is in the file ' +
    '`setup-token` of the data folder; a start on a terminal shows the link `/app/setup#token=…`. In development a client ' +
    'on the same machine needs none, if it reaches the service directly at `localhost` or a loopback address. A wrong token ' +
    'counts as a failed login. The rules for names and passwords are those of the registration, which this does not depend on.',
  body: {
    kind: 'json',
    schema: v.object({
      token: v.optional(
        v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARACTERS), v.description('From the file `setup-token`, or the link of the start')),
      ),
      email: email(),
      username: username(),
      password: newPassword(),
      firstname: optionalName(),
      lastname: optionalName(),
    }),
  },
  success: { status: 201, description: 'The superuser', schema: PublicUser },
  errors: {
    403: 'The token is missing or wrong',
    409: 'A user is or was a superuser, or another user has this e-mail address or username',
    429: 'Too many wrong tokens; try again after `Retry-After` seconds',
    503: 'Too many passwords are waiting to be hashed; try again after `Retry-After` seconds',
  },
  async handle(call, services) {
    const { body, idempotency } = call;
    const client = clientOf(call);
    // Anonymous clients must not meet each other's keys, so the key counts only together with the whole request.
    const request = keyedRequest(services, idempotency?.fingerprint() ?? '', idempotency);
    const earlier = await earlierAnswer<'setup.create'>(services, request);
    if (earlier !== null) return answer(earlier.value, earlier.headers);
    // Before the password is hashed: anonymous clients must not cause that work.
    const token_hash = await provenToken(services, body.token, call);
    requireGoodPassword('password', body.password, services);
    const hashed_password = await services.passwords.hash(body.password, { lane: 'registration', address: client.address() });
    const input = {
      token_hash,
      id: services.ids.fresh(),
      email: body.email,
      username: body.username,
      hashed_password,
      firstname: body.firstname ?? null,
      lastname: body.lastname ?? null,
      now: services.now().toISOString(),
    };
    const event = {
      kind: 'user.created',
      user: { ...input, is_superuser: true },
      client,
      subject: { id: input.id, name: input.username },
      details: { setup: token_hash === null ? 'local' : 'token', superuser: true },
    } as const;
    const { value: user, headers } = await changeOnce(services, request, 'setup.create', input, event);
    services.setup.close();
    return answer(user, headers);
  },
});

/** A request after the setup is refused with `conflict` before its input is validated. */
const setup: Operation = {
  ...createFirst,
  async invoke(call, services) {
    // A repetition of the successful request has a key, and gets its answer.
    if (services.setup.isDone && !(call.idempotency.ok && call.idempotency.value !== null)) throw alreadySetUp();
    return createFirst.invoke(call, services);
  },
};

export const setupOperations: readonly Operation[] = [setup];

/** The hash of the right token; null for a client on this machine in development. Refused with `forbidden` or `conflict`. */
async function provenToken(
  services: Services,
  token: string | undefined,
  { isLocal, address }: Pick<Call<null, unknown, unknown>, 'isLocal' | 'address'>,
): Promise<string | null> {
  if (token === undefined) {
    await services.directory.ask('setup.check', { token_hash: null });
    if (mayDoWithoutToken(services, isLocal)) return null;
    throw wrongSetupToken();
  }
  const found = await services.loginGuard.attempt(SETUP_ACCOUNT, address(), async () => {
    if (!isSetupToken(token)) return null;
    const token_hash = hashSetupToken(token);
    try {
      await services.directory.ask('setup.check', { token_hash });
      return { token_hash };
    } catch (error) {
      if (error instanceof AppError && error.code === 'forbidden') return null;
      throw error;
    }
  });
  if (found === null) throw wrongSetupToken();
  return found.token_hash;
}

/** In production the machine may be shared, and a proxy may hide where a request comes from. */
export function mayDoWithoutToken({ config }: Services, isLocal: () => boolean): boolean {
  return config.environment === 'development' && isLocal();
}
