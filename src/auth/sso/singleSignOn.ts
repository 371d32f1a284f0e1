/** Logins through a provider of OpenID Connect. */
import { SSO_CALLBACK_PATH } from '../cookie.js';
import { PendingLogins, type PendingLogin } from './pendingLogin.js';
import { Provider, type RedeemedLogin } from './provider.js';
import { SealedTexts } from './sealedText.js';
import { SsoGate } from './ssoGate.js';
import type { Uuid } from '../../domain/ids.js';

export interface SingleSignOnOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Whose members are superusers; null: the provider does not decide it. */
  readonly superuserGroup: string | null;
  readonly publicUrl: string;
  /** Seals what browsers keep for us. */
  readonly secret: string;
  readonly onTrouble: (problem: string) => void;
}

/** A session that began with single sign-on, for its logout at the provider. */
interface SignedOn {
  readonly sessionId: Uuid;
  readonly idToken: string | null;
}

/** With the other headers of a request it must stay below the 4 KB that uWebSockets accepts. */
const MAX_SEALED_CHARACTERS = 2_000;

export class SingleSignOn {
  readonly gate = new SsoGate();
  readonly #provider: Provider;
  readonly #pending: PendingLogins;
  readonly #signedOn: SealedTexts;
  readonly #superuserGroup: string | null;
  readonly #publicUrl: string;

  constructor({ secret, superuserGroup, publicUrl, ...provider }: SingleSignOnOptions) {
    this.#provider = new Provider({ ...provider, redirectUri: publicUrl + SSO_CALLBACK_PATH, needsGroups: superuserGroup !== null });
    this.#pending = new PendingLogins(secret, provider.issuer);
    this.#signedOn = new SealedTexts(secret, 'single sign-on of a session');
    this.#superuserGroup = superuserGroup;
    this.#publicUrl = publicUrl;
  }

  /** The page of the provider, and what the browser keeps until it returns. Refused with `unavailable`. */
  async begin(wish: Pick<PendingLogin, 'returnTo' | 'invitation'>, now: Date): Promise<{ readonly url: string; readonly sealed: string }> {
    const { url, ...proofs } = await this.#provider.begin();
    return { url, sealed: this.#pending.seal({ ...proofs, ...wish }, now) };
  }

  /** The login that the browser began here, if the address has its state. */
  pending(sealed: string | undefined, state: string | undefined, now: Date): PendingLogin | null {
    return this.#pending.read(sealed, state, now);
  }

  /** Throws `SsoRefusal`, or `unavailable`. */
  redeem(answer: URLSearchParams, login: PendingLogin): Promise<RedeemedLogin> {
    return this.#provider.redeem(answer, login);
  }

  /** Null if the provider does not decide it. */
  isSuperuser(groups: readonly string[]): boolean | null {
    return this.#superuserGroup === null ? null : groups.includes(this.#superuserGroup);
  }

  /** What the browser keeps for the logout. A token that is too large is left out; the provider then asks the user. */
  sealSignedOn(sessionId: Uuid, idToken: string): string {
    const seal = (signedOn: SignedOn): string => this.#signedOn.seal(JSON.stringify(signedOn));
    const sealed = seal({ sessionId, idToken });
    return sealed.length <= MAX_SEALED_CHARACTERS ? sealed : seal({ sessionId, idToken: null });
  }

  /** Where the session ends at the provider too. Null if it began otherwise, or the provider has no such page. */
  async logoutUrl(sealed: string | undefined, sessionId: Uuid | null): Promise<string | null> {
    const text = sealed === undefined ? null : this.#signedOn.open(sealed);
    const signedOn = text === null ? null : (JSON.parse(text) as SignedOn);
    if (signedOn === null || signedOn.sessionId !== sessionId) return null;
    return this.#provider.logoutUrl(signedOn.idToken, `${this.#publicUrl}/app/login`);
  }
}
