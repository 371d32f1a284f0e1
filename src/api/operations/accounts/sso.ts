/** Logins through a provider of single sign-on: pages that browsers are sent through, so they answer with redirects. */
import * as v from 'valibot';
import { clearedSsoLoginCookie, SSO_CALLBACK_PATH, SSO_LOGIN_COOKIE, ssoLoginCookie, ssoSessionCookies } from '../../../auth/cookie.js';
import { stateHash, PENDING_SECONDS, type PendingLogin } from '../../../auth/sso/pendingLogin.js';
import { SsoRefusal } from '../../../auth/sso/providerErrors.js';
import { isReturnPath, MAX_RETURN_CHARACTERS } from '../../../auth/sso/returnPath.js';
import type { SingleSignOn } from '../../../auth/sso/singleSignOn.js';
import { AppError } from '../../../domain/errors.js';
import { answer, operation, type Operation, type OperationAnswer, type QueryParameter, type Services } from '../../operation/operation.js';
import { openSession, sessionCookies, type Client } from '../../accounts/sessionTokens.js';
import { enterAccount, ssoRegistration } from '../../accounts/ssoAccounts.js';
import { mayDoWithoutToken } from './setup.js';
import { SSO_ERRORS, SsoDenied, ssoErrorOf } from '../../accounts/ssoErrors.js';

const tag = 'Authentication';

type Headers = NonNullable<OperationAnswer['headers']>;

const START = '/app/';
const MAX_INVITATION_CHARACTERS = 100;
const NO_SSO = 'Single sign-on is not configured';
const RETURN_PATH = `must be / or a path below /app/, of at most ${MAX_RETURN_CHARACTERS} characters`;

const registrationMode = v.picklist(['open', 'invite', 'closed']);

const methods = operation({
  name: 'auth.methods',
  method: 'GET',
  path: '/auth/methods',
  access: 'public',
  tag,
  summary: 'How one can come in',
  description:
    'What a login page needs: who can register and invite, whether a forgotten password can be reset by mail, at which address browsers must be, whether the first account is still to be made, and whether there is single sign-on.',
  success: {
    status: 200,
    description: 'The ways in',
    schema: v.object({
      registration: registrationMode,
      mail: v.pipe(v.boolean(), v.description('Whether the service sends mails')),
      public_url: v.pipe(v.nullable(v.string()), v.description('Where browsers must open the service; null: anywhere')),
      needs_https: v.pipe(v.boolean(), v.description('Whether browsers keep a login over HTTPS only')),
      invitations: v.pipe(
        v.picklist(['owners', 'superusers']),
        v.description('Who can make invitations: superusers alone, or also owners, to their boards'),
      ),
      setup: v.pipe(
        v.nullable(v.picklist(['token', 'open'])),
        v.description(
          'While nobody has an account: how the first one is made with `POST /auth/setup`. `token`: with the token of the service; `open`: this client needs none',
        ),
      ),
      sso: v.nullable(
        v.object({
          button_text: v.string(),
          login_path: v.string(),
          registration: v.pipe(registrationMode, v.description('Who gets an account with the first login')),
        }),
      ),
    }),
  },
  async handle({ isLocal }, services) {
    const { registration, invitations, oidcButtonText: button_text, publicUrl: public_url } = services.config;
    const sso = { button_text, login_path: login.path, registration: ssoRegistration(services) };
    return answer({
      registration,
      invitations,
      mail: services.mail !== null,
      public_url,
      needs_https: isSecure(services),
      setup: (await isUntouched(services)) ? (mayDoWithoutToken(services, isLocal) ? 'open' : 'token') : null,
      sso: services.sso === null ? null : sso,
    });
  },
});

const login = operation({
  name: 'auth.ssoLogin',
  method: 'GET',
  path: '/auth/sso/login',
  access: 'public',
  tag,
  summary: 'Log in through the provider',
  description:
    'For browsers: leads to the login page of the provider (OpenID Connect, authorization code with PKCE). A cookie ' +
    'keeps the login for ten minutes; a browser has one at a time.',
  query: {
    return_to: {
      schema: v.optional(v.pipe(v.string(), v.check(isReturnPath, RETURN_PATH)), START),
      description: 'Where the browser goes after the login: `/`, or a path below `/app/`',
      document: { type: 'string', maxLength: MAX_RETURN_CHARACTERS, default: START },
    },
    invitation: {
      schema: v.optional(v.pipe(v.string(), v.maxLength(MAX_INVITATION_CHARACTERS))),
      description: 'The token of an invitation, for somebody without an account',
      document: { type: 'string', maxLength: MAX_INVITATION_CHARACTERS },
    },
  },
  success: {
    status: 302,
    description: 'To the provider',
    headers: { Location: 'The login page of the provider', 'Set-Cookie': 'The cookie `svc_sso_login` with the login' },
  },
  errors: {
    404: NO_SSO,
    429: 'Too many logins from this address failed; try again after `Retry-After` seconds',
    503: 'The provider cannot be reached; try again after `Retry-After` seconds',
  },
  async handle({ query, address }, services) {
    const { sso } = requireSso(services);
    sso.gate.check(address());
    const { url, sealed } = await sso.begin({ returnTo: query.return_to, invitation: query.invitation ?? null }, services.now());
    const cookie = ssoLoginCookie(sealed, { secure: isSecure(services), maxAge: PENDING_SECONDS });
    return redirect(url, [['Set-Cookie', cookie]]);
  },
});

const callback = operation({
  name: 'auth.ssoCallback',
  method: 'GET',
  path: SSO_CALLBACK_PATH,
  access: 'public',
  tag,
  summary: 'Return from the provider',
  description:
    'The redirect address to register at the provider. Begins a session as a login with a password does, in cookies, and ' +
    'leads to `return_to`. A login works once, and only in the browser that began it. The account is the one that is ' +
    'linked with the issuer and the subject; else the one with the e-mail address, if the provider and this service have ' +
    'both verified it; else a new one, where registration allows. A refusal leads to `/app/login#error=<code>`:\n\n' +
    Object.entries(SSO_ERRORS)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n'),
  query: {
    state: text('As this service sent it'),
    code: text('For the token of the provider'),
    iss: text('The issuer that answers'),
    error: text('Why there is no code'),
  },
  success: {
    status: 302,
    description: 'To `return_to`, or with an error to the login page',
    headers: {
      Location: 'The page',
      'Set-Cookie': 'The cookies `svc_auth`, `svc_refresh` and `svc_sso` of the session; clears `svc_sso_login`',
    },
  },
  errors: { 404: NO_SSO },
  async handle(call, services) {
    const { sso, publicUrl } = requireSso(services);
    const done: Headers = [['Set-Cookie', clearedSsoLoginCookie({ secure: isSecure(services) })]];
    const address = call.address();
    const client = { userAgent: call.userAgent, isForged: call.isForged, address: () => address };
    try {
      const pending = sso.pending(call.cookie(SSO_LOGIN_COOKIE), call.query.state, services.now());
      if (pending === null) throw new SsoDenied('expired');
      const cookies = await sso.gate.run(address, () => counted(sso, address, () => finish(services, sso, pending, given(call.query), client)));
      return redirect(publicUrl + pending.returnTo, [...done, ...cookies]);
    } catch (error) {
      const code = ssoErrorOf(error);
      if (code === null) throw error;
      services.audit.record({ kind: 'login.failed', user: null, client, details: { method: 'sso', reason: code } });
      if (error instanceof SsoRefusal) services.report(error, 'a login through the provider was refused');
      return redirect(`${publicUrl}/app/login#error=${code}`, done);
    }
  },
});

export const ssoOperations: readonly Operation[] = [methods, login, callback];

/** Each attempt is a write, so all that fail count, except for reasons of our own. */
async function counted<T>(sso: SingleSignOn, address: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const code = ssoErrorOf(error);
    if (code !== null && code !== 'unavailable' && code !== 'too_many') sso.gate.noteFailure(address);
    throw error;
  }
}

/** The cookies of the new session. */
async function finish(services: Services, sso: SingleSignOn, pending: PendingLogin, parameters: URLSearchParams, client: Client): Promise<Headers> {
  await spend(services, pending);
  const { profile, idToken } = await sso.redeem(parameters, pending);
  const isSuperuser = sso.isSuperuser(profile.groups);
  const { user, revoked_at } = await enterAccount(services, { profile, isSuperuser, invitation: pending.invitation, client });
  const session = await openSession(services, { ...user, revoked_at }, client, { method: 'sso' });
  const { cookies, restSeconds } = await sessionCookies(services, session);
  const signedOn = ssoSessionCookies(sso.sealSignedOn(session.id, idToken), { secure: isSecure(services), maxAge: restSeconds });
  return [...cookies, ...signedOn.map((cookie) => ['Set-Cookie', cookie] as const)];
}

/** Before the provider is asked: a replay costs it nothing. */
async function spend({ directory, now }: Services, { state, expiresAt }: PendingLogin): Promise<void> {
  const input = { hash: stateHash(state), expires_at: expiresAt, now: now().toISOString() };
  if (!(await directory.ask('token.spend', input))) throw new SsoDenied('expired');
}

function requireSso({ sso, config }: Services): { readonly sso: SingleSignOn; readonly publicUrl: string } {
  if (sso === null || config.publicUrl === null) throw new AppError('not_found', NO_SSO);
  return { sso, publicUrl: config.publicUrl };
}

/** Whether no account exists. False while the directory is out of reach: the login page is shown then too. */
async function isUntouched({ setup }: Services): Promise<boolean> {
  try {
    const { state, has_users } = await setup.read();
    return state === 'open' && !has_users;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return false;
    throw error;
  }
}

function isSecure({ config }: Services): boolean {
  return config.environment === 'production';
}

function given(query: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return parameters;
}

function redirect(location: string, headers: Headers): OperationAnswer {
  return { json: null, text: { type: 'text/plain', content: '' }, headers: [['Location', location], ...headers] };
}

function text(description: string): QueryParameter<v.OptionalSchema<v.StringSchema<undefined>, undefined>> {
  return { schema: v.optional(v.string()), description, document: { type: 'string' } };
}
