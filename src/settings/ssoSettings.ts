/** The settings of single sign-on, a part of the table of settings. */
import { loopbackOrHttps, oneOf, optionalText } from './settingFormats.js';

const MAX_BUTTON_CHARACTERS = 60;
/** The characters of RFC 6749, in a few words. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+){0,19}$/;

export const SSO_SETTINGS = {
  /** As the provider spells it, also the slash at its end. Null: no single sign-on. */
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    isClusterWide: true as const,
    default: '',
    ...loopbackOrHttps(),
    meaning: 'The provider of single sign-on (OpenID Connect), by its issuer; unset, there is none. It needs PUBLIC_URL.',
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    isClusterWide: true as const,
    default: '',
    ...optionalText(),
    meaning: 'The name of this service at the provider.',
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    default: '',
    ...optionalText(),
    isVerbatim: true as const,
    redact: (text: string) => (text === '' ? '' : '(hidden)'),
    meaning: 'The secret that belongs to it; unset for a public client.',
  },
  oidcRegistration: {
    name: 'OIDC_REGISTRATION',
    isClusterWide: true as const,
    default: 'same',
    ...oneOf(['same', 'open', 'invite', 'closed']),
    meaning:
      'Who gets an account with the first login there: as REGISTRATION says (same), everyone whom the provider lets in (open), whoever has an invitation (invite), or nobody (closed).',
  },
  oidcButtonText: {
    name: 'OIDC_BUTTON_TEXT',
    default: 'Single sign-on',
    allowed: `a text of 1 to ${MAX_BUTTON_CHARACTERS} characters`,
    parse: (text: string) => ([...text].length <= MAX_BUTTON_CHARACTERS && !/\p{Cc}/u.test(text) ? text : undefined),
    meaning: 'The text of the button on the login page.',
  },
  oidcScopes: {
    name: 'OIDC_SCOPES',
    isClusterWide: true as const,
    default: 'openid email profile',
    allowed: 'scopes with blanks between them, openid among them',
    parse: (text: string) => (SCOPES.test(text) && text.split(' ').includes('openid') ? text : undefined),
    meaning: 'What the provider is asked to tell about a user.',
  },
  oidcSuperuserGroup: {
    name: 'OIDC_SUPERUSER_GROUP',
    isClusterWide: true as const,
    default: '',
    ...optionalText(),
    meaning: 'The group at the provider whose members are superusers, and nobody else who logs in there; unset, the provider does not decide it.',
  },
  oidcGroupsClaim: {
    name: 'OIDC_GROUPS_CLAIM',
    isClusterWide: true as const,
    default: 'groups',
    allowed: 'the name of a claim',
    parse: (text: string) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined),
    meaning: 'The claim that lists the groups of a user.',
  },
};
