/** The second factor of the caller's password logins. */
import * as v from 'valibot';
import { newRecoveryCodes } from '../../../auth/recoveryCodes.js';
import { isTotpCode, newTotpSecret, otpauthUri, toBase32 } from '../../../auth/totp.js';
import { MAX_PER_HOUR } from '../../../domain/audit.js';
import { AppError } from '../../../domain/errors.js';
import { RECOVERY_CODES, type FactorProof, type ProofOutcome } from '../../../domain/account/factor.js';
import type { PublicUser } from '../../../domain/account/user.js';
import { clientOf, type AuditClient } from '../../operation/audited.js';
import { answer, operation, type Operation, type Services } from '../../operation/operation.js';
import { requireOwnPassword } from '../../accounts/ownPassword.js';
import { timestamp } from '../../schemas/basics.js';
import { factorCode, password } from '../../schemas/fields.js';
import { isAccepted, proofOf, stepOf, WRONG_CODE } from '../../accounts/secondFactor.js';

const tag = 'Authentication';
const PRODUCT = 'Switchboard';

const code = () => factorCode('Of the authenticator application, or a recovery code');
const passwordAndCode = v.object({ password: password(), code: code() });
const RecoveryCodes = v.object({
  recovery_codes: v.pipe(v.array(v.string()), v.description('Each works once. They are in this answer alone')),
});

const CODE_ERRORS = {
  403: 'The password or the code is wrong',
  409: 'The second factor is off',
  429:
    `Too many wrong passwords or codes, or more than ${MAX_PER_HOUR['factor.enabled']} such changes within an hour; ` +
    'try again after `Retry-After` seconds',
  503: 'Too many passwords are waiting to be checked; try again after `Retry-After` seconds',
} as const;

const state = operation({
  name: 'auth.factors',
  method: 'GET',
  path: '/auth/factors',
  access: 'user',
  tag,
  summary: 'Get the state of the second factor',
  description:
    'The second factor protects logins with a password. Whoever logs in through a provider (single sign-on) has the factors of that provider.',
  success: {
    status: 200,
    description: 'The state',
    schema: v.object({
      totp: v.object({
        state: v.pipe(v.picklist(['off', 'unconfirmed', 'on']), v.description('`unconfirmed`: logins need no code yet')),
        confirmed_at: v.nullable(timestamp()),
      }),
      recovery_codes_left: v.pipe(v.number(), v.integer()),
    }),
  },
  async handle({ caller }, { directory }) {
    const factor = await directory.ask('factor.get', { user_id: caller.id });
    const confirmed_at = factor?.confirmed_at ?? null;
    const state = factor === null ? 'off' : confirmed_at === null ? 'unconfirmed' : 'on';
    return answer({ totp: { state, confirmed_at }, recovery_codes_left: factor?.recovery_codes ?? 0 });
  },
});

const begin = operation({
  name: 'auth.beginTotp',
  method: 'POST',
  path: '/auth/factors/totp',
  access: 'user',
  tag,
  summary: 'Begin to set up the second factor',
  description:
    'Answers the secret for an authenticator application (TOTP, RFC 6238: SHA-1, 30 seconds, 6 digits), as text and as the ' +
    'address for a QR code. It counts only after `POST /auth/factors/totp/confirm` within an hour.',
  body: { kind: 'json', schema: v.object({ password: password() }) },
  isAnswerKept: false,
  success: {
    status: 201,
    description: 'The secret, in this answer alone',
    schema: v.object({
      secret: v.pipe(v.string(), v.description('In base32')),
      otpauth_uri: v.string(),
    }),
  },
  errors: { ...CODE_ERRORS, 403: 'The password is wrong', 409: 'The second factor is already on' },
  async handle(call, services) {
    const { caller, body } = call;
    await requireOwnPassword(services, caller, body.password, clientOf(call));
    const secret = newTotpSecret();
    const sealed_secret = services.factorSecrets.seal(caller.id, secret);
    await services.directory.ask('factor.begin', { user_id: caller.id, sealed_secret, now: services.now().toISOString() });
    return answer({ secret: toBase32(secret), otpauth_uri: otpauthUri(secret, issuer(services), caller.email) });
  },
});

const confirm = operation({
  name: 'auth.confirmTotp',
  method: 'POST',
  path: '/auth/factors/totp/confirm',
  access: 'user',
  tag,
  summary: 'Turn the second factor on',
  description:
    `With a code of the new secret. From here on a login with a password needs a code. Answers ${RECOVERY_CODES} recovery codes ` +
    'for the case that the device is lost. All other sessions of the caller end; API keys stay valid.',
  body: { kind: 'json', schema: v.object({ code: code() }) },
  isAnswerKept: false,
  success: { status: 200, description: 'The second factor is on', schema: RecoveryCodes },
  errors: { 403: 'The code is wrong', 409: 'There is nothing to confirm', 429: CODE_ERRORS[429] },
  async handle(call, services) {
    const { caller, body, token } = call;
    const client = clientOf(call);
    const factor = await services.directory.ask('factor.get', { user_id: caller.id });
    if (factor === null || factor.confirmed_at !== null) throw nothingToConfirm();
    const given = body.code.replaceAll(' ', '');
    const step = isTotpCode(given) ? stepOf(services, caller.id, factor, given) : null;
    const { codes, hashes } = newRecoveryCodes();
    const { sessionId: keep_session } = await token();
    const { sealed_secret } = factor;
    const input = { user_id: caller.id, sealed_secret, step, recovery_hashes: hashes, keep_session, now: services.now().toISOString() };
    const outcome = await services.audit.along(
      { kind: 'factor.enabled', user: caller, client },
      (entry) => services.directory.ask('factor.confirm', input, entry),
      (result) => result === 'accepted',
    );
    if (outcome === 'none') throw nothingToConfirm();
    if (!isAccepted(outcome)) throw wrongCode(services, caller, client);
    return answer({ recovery_codes: codes });
  },
});

const renewCodes = operation({
  name: 'auth.renewRecoveryCodes',
  method: 'POST',
  path: '/auth/factors/recovery-codes',
  access: 'user',
  tag,
  summary: 'Get new recovery codes',
  description: 'Those of before are invalid.',
  body: { kind: 'json', schema: passwordAndCode },
  isAnswerKept: false,
  success: { status: 200, description: 'The new codes', schema: RecoveryCodes },
  errors: CODE_ERRORS,
  async handle(call, services) {
    const { caller, body } = call;
    const client = clientOf(call);
    const proof = await requireProof(services, caller, body, client);
    const { codes, hashes } = newRecoveryCodes();
    const input = { user_id: caller.id, proof, recovery_hashes: hashes, now: services.now().toISOString() };
    const outcome = await services.audit.along(
      { kind: 'recovery_codes.renewed', user: caller, client },
      (entry) => services.directory.ask('factor.renewCodes', input, entry),
      (result) => result === 'accepted',
    );
    requireAccepted(services, outcome, caller, client);
    return answer({ recovery_codes: codes });
  },
});

const turnOff = operation({
  name: 'auth.removeTotp',
  method: 'DELETE',
  path: '/auth/factors/totp',
  access: 'user',
  tag,
  summary: 'Turn the second factor off',
  description: 'All other sessions of the caller end. The recovery codes are invalid.',
  body: { kind: 'json', schema: passwordAndCode },
  isAnswerKept: false,
  success: { status: 204, description: 'The second factor is off' },
  errors: CODE_ERRORS,
  async handle(call, services) {
    const { caller, body, token } = call;
    const client = clientOf(call);
    const proof = await requireProof(services, caller, body, client);
    const { sessionId: keep_session } = await token();
    const input = { user_id: caller.id, proof, keep_session, now: services.now().toISOString() };
    const outcome = await services.audit.along(
      { kind: 'factor.disabled', user: caller, client },
      (entry) => services.directory.ask('factor.remove', input, entry),
      (result) => result === 'accepted',
    );
    requireAccepted(services, outcome, caller, client);
    return { json: null };
  },
});

export const factorOperations: readonly Operation[] = [state, begin, confirm, renewCodes, turnOff];

/** How an authenticator application names the service. */
function issuer({ config: { publicUrl } }: Services): string {
  return publicUrl === null ? PRODUCT : `${PRODUCT} ${new URL(publicUrl).hostname}`;
}

/** The code as the directory takes it, after the password was right. */
async function requireProof(
  services: Services,
  caller: PublicUser,
  given: { readonly password: string; readonly code: string },
  client: AuditClient,
): Promise<FactorProof> {
  await requireOwnPassword(services, caller, given.password, client);
  const factor = await services.directory.ask('factor.get', { user_id: caller.id });
  if (factor === null || factor.confirmed_at === null) throw isOff();
  const proof = proofOf(services, caller.id, factor, given.code);
  if (proof === null) throw wrongCode(services, caller, client);
  return proof;
}

function requireAccepted(services: Services, outcome: ProofOutcome, caller: PublicUser, client: AuditClient): void {
  if (outcome === 'none') throw isOff();
  if (!isAccepted(outcome)) throw wrongCode(services, caller, client);
}

function wrongCode({ audit }: Services, user: PublicUser, client: AuditClient): AppError {
  audit.record({ kind: 'login.failed', user, client, details: { reason: 'code', session: true } });
  return new AppError('forbidden', WRONG_CODE);
}

function isOff(): AppError {
  return new AppError('conflict', 'The second factor is off');
}

function nothingToConfirm(): AppError {
  return new AppError('conflict', 'There is nothing to confirm: begin with POST /auth/factors/totp');
}
