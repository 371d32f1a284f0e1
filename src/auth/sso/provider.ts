/**
 * The provider of single sign-on. The only place that uses openid-client, which is loaded with the first login: a
 * service without single sign-on never loads it.
 */
import type { ClientAuth, Configuration } from 'openid-client';
import { boundedFetch, PROVIDER_TIMEOUT_SECONDS } from './boundedFetch.js';
import { readProfile, type Claims, type ProviderProfile } from './claims.js';
import { PENDING_SECONDS } from './pendingLogin.js';
import { describeFailure, providerAway, SsoRefusal, translateFailure, type Library } from './providerErrors.js';

/** How far the clocks of the provider and of this machine may differ. */
const CLOCK_SKEW_SECONDS = 300;
/** The token answers a login that began here, and is not older than that. */
const MAX_TOKEN_AGE_SECONDS = PENDING_SECONDS;

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Whether the groups of a user matter. */
  readonly needsGroups: boolean;
  /** The provider cannot be asked. The text has no secret. */
  readonly onTrouble: (problem: string) => void;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** Proofs that an answer of the provider belongs to a login of ours. */
export interface LoginProofs {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface RedeemedLogin {
  readonly profile: ProviderProfile;
  readonly idToken: string;
}

/** Endpoints change rarely; keys have a cache of their own. */
const METADATA_MS = 3_600_000;
/** Visitors must not make us ask a provider that is away again and again. */
const RETRY_MS = 5_000;

/** Of the provider's metadata. */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

type Discovery =
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly library: Library; readonly config: Configuration; readonly until: number }
  | { readonly kind: 'failed'; readonly until: number };

export class Provider {
  readonly #options: ProviderOptions;
  readonly #now: () => number;
  #discovery: Discovery = { kind: 'none' };
  #discovering: Promise<Discovery> | null = null;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The page of the provider for a new login. Refused with `unavailable`. */
  async begin(): Promise<LoginProofs & { readonly url: string }> {
    const { library, config } = await this.#discover();
    const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()];
    const { redirectUri, scopes } = this.#options;
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: scopes,
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, state, nonce, verifier };
  }

  /** `answer`: the parameters with which the provider sent the browser back. Throws `SsoRefusal`, or `unavailable`. */
  async redeem(answer: URLSearchParams, { state, nonce, verifier }: LoginProofs): Promise<RedeemedLogin> {
    const { library, config } = await this.#discover();
    try {
      const url = new URL(`${this.#options.redirectUri}?${answer.toString()}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await library.authorizationCodeGrant(config, url, checks);
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new SsoRefusal('failed', 'the answer has no ID token');
      requireOwnToken(claims, this.#options.clientId, Date.now() / 1000);
      const more = this.#isEnough(claims, config) ? {} : await library.fetchUserInfo(config, tokens.access_token, claims.sub);
      const { groupsClaim } = this.#options;
      const profile = readProfile(merged(claims, more), groupsClaim);
      if (profile === null) throw new SsoRefusal('failed', 'the token names nobody');
      return { profile, idToken: tokens.id_token };
    } catch (error) {
      throw translateFailure(library, error);
    }
  }

  /** The page that ends the session at the provider; null if it has none. Refused with `unavailable`. */
  async logoutUrl(idToken: string | null, backTo: string): Promise<string | null> {
    const { library, config } = await this.#discover();
    if (config.serverMetadata().end_session_endpoint === undefined) return null;
    const hint = idToken === null ? {} : { id_token_hint: idToken };
    return library.buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: backTo }).href;
  }

  /** Many providers put everything into the token; the others have it in their user info. */
  #isEnough(claims: Claims, config: Configuration): boolean {
    const { needsGroups, groupsClaim } = this.#options;
    const isComplete = claims['email'] !== undefined && (!needsGroups || claims[groupsClaim] !== undefined);
    return isComplete || config.serverMetadata().userinfo_endpoint === undefined;
  }

  async #discover(): Promise<Extract<Discovery, { kind: 'known' }>> {
    if (this.#discovery.kind === 'none' || this.#discovery.until <= this.#now()) {
      this.#discovering ??= this.#discoverAnew().finally(() => (this.#discovering = null));
      this.#discovery = await this.#discovering;
    }
    if (this.#discovery.kind === 'known') return this.#discovery;
    throw providerAway();
  }

  /** A failure is a result, so that it is kept for a while too. */
  async #discoverAnew(): Promise<Discovery> {
    const { issuer, clientId, clientSecret } = this.#options;
    const library = await import('openid-client');
    const isPlain = new URL(issuer).protocol === 'http:';
    try {
      const config = await library.discovery(new URL(issuer), clientId, {}, clientAuth(library, clientSecret), {
        [library.customFetch]: boundedFetch,
        timeout: PROVIDER_TIMEOUT_SECONDS,
        // Signatures are checked although the token comes from the provider itself.
        execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
      });
      const metadata = config.serverMetadata();
      const missing = NEEDED.filter((name) => metadata[name] === undefined);
      if (missing.length === 0) return { kind: 'known', library, config, until: this.#now() + METADATA_MS };
      return this.#fail(`its metadata lacks ${missing.join(', ')}`);
    } catch (error) {
      return this.#fail(describeFailure(library, error));
    }
  }

  #fail(problem: string): Discovery {
    this.#options.onTrouble(problem);
    const until = this.#now() + RETRY_MS;
    return this.#discovery.kind === 'known' ? { ...this.#discovery, until } : { kind: 'failed', until };
  }
}

/** By the header unless the provider supports only the body: the default of the specification. */
function clientAuth(library: Library, secret: string | null): ClientAuth {
  if (secret === null) return library.None();
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

/** What was signed counts first. That an address is verified counts for the address of the same source alone. */
function merged(signed: Claims, more: Claims): Claims {
  const { email_verified: isVerified, ...rest } = more;
  const isSameAddress = signed['email'] === undefined || signed['email'] === more['email'];
  return { ...rest, ...(isSameAddress && isVerified !== undefined ? { email_verified: isVerified } : {}), ...signed };
}

/**
 * For whom the token was issued, and when; throws `SsoRefusal`. The library compares `azp` only if there are several audiences, and `iat` not at all. `now`: seconds
 * since the epoch.
 */
function requireOwnToken({ azp, iat }: Claims, clientId: string, now: number): void {
  if (azp !== undefined && azp !== clientId) throw new SsoRefusal('failed', 'the ID token was issued to another client (azp)');
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new SsoRefusal('failed', 'the ID token does not say when it was issued (iat)');
  if (iat > now + CLOCK_SKEW_SECONDS) throw new SsoRefusal('failed', 'the ID token was issued in the future (iat); compare the clocks');
  if (iat < now - MAX_TOKEN_AGE_SECONDS - CLOCK_SKEW_SECONDS) {
    throw new SsoRefusal('failed', 'the ID token was issued before this login (iat); compare the clocks');
  }
}
