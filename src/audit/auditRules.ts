/** Which entries may be left out. A kind that is never left out names what bounds its number, so that no user fills the disk. */
import { MAX_PER_HOUR, type AuditKind } from '../domain/audit.js';

export type AuditRule =
  /** Never left out. `perHour`: beyond it the operation of a user is refused; without it something else is the bound. */
  | { readonly keeps: 'all'; readonly perHour?: number }
  /** The first from each network is never left out, the others have a budget for each user. */
  | { readonly keeps: 'networks' }
  /** A budget for each user and kind. */
  | { readonly keeps: 'some' }
  /**
   * An anonymous client may cause it, also if it names an account: each network has a budget, and all of them have one.
   * `perAccount`: how many of an account are kept in an hour, whatever was left of the budgets.
   */
  | { readonly keeps: 'some of anonymous clients'; readonly perAccount: number };

const SOME: AuditRule = { keeps: 'some' };
const ALL: AuditRule = { keeps: 'all' };
const limitedTo = (perHour: number): AuditRule => ({ keeps: 'all', perHour });
const ofAnonymous = (perAccount: number): AuditRule => ({ keeps: 'some of anonymous clients', perAccount });

const PER_ACCOUNT = 5;

export type AuditRules = Readonly<Record<AuditKind, AuditRule>>;

/** `boards`: the maximum that one user has created. A user can delete all of them at once. */
export function auditRules(boards: number): AuditRules {
  return {
    login: { keeps: 'networks' },
    'login.failed': ofAnonymous(PER_ACCOUNT),
    logout: SOME,
    'session.ended': SOME,
    'sessions.ended': SOME,
    'refresh.refused': ofAnonymous(0),
    // Each names another account, so a place for each would be no bound.
    'user.registered': ofAnonymous(0),
    // By superusers, by the operator, and at the provider of single sign-on.
    'user.created': ALL,
    'user.activated': ALL,
    'user.deactivated': ALL,
    'user.promoted': ALL,
    'user.demoted': ALL,
    'user.deleted': ALL,
    'factor.reset': ALL,
    'sso.linked': ALL,
    'service.started': ALL,
    // By links that work once; the mails with them are limited.
    'email.verified': ALL,
    'password.reset_requested': ofAnonymous(PER_ACCOUNT),
    'password.reset': ALL,
    'password.changed': limitedTo(MAX_PER_HOUR['password.changed']),
    'email.changed': limitedTo(MAX_PER_HOUR['email.changed']),
    'username.changed': limitedTo(MAX_PER_HOUR['username.changed']),
    'factor.enabled': limitedTo(MAX_PER_HOUR['factor.enabled']),
    // As often as it was turned on.
    'factor.disabled': ALL,
    'recovery_codes.renewed': limitedTo(MAX_PER_HOUR['recovery_codes.renewed']),
    'key.created': limitedTo(MAX_PER_HOUR['key.created']),
    // As often as keys were created. It must never be refused: the key may be in wrong hands.
    'key.revoked': ALL,
    'invitation.created': SOME,
    'invitation.revoked': SOME,
    'invitation.accepted': SOME,
    'board.deleted': limitedTo(Math.max(boards, MAX_PER_HOUR['board.deleted'])),
    'board.restored': limitedTo(Math.max(boards, MAX_PER_HOUR['board.restored'])),
    // Memberships are limited by MAX_INVITES_PER_DAY, and only who was added can be removed.
    'board.imported': ALL,
    'member.added': ALL,
    'member.removed': ALL,
    'member.role_changed': limitedTo(MAX_PER_HOUR['member.role_changed']),
    // Each says where events, and so texts of a board, are sent.
    'webhook.created': limitedTo(MAX_PER_HOUR['webhook.created']),
    'webhook.updated': limitedTo(MAX_PER_HOUR['webhook.updated']),
    'webhook.rotated': limitedTo(MAX_PER_HOUR['webhook.rotated']),
    'webhook.resumed': limitedTo(MAX_PER_HOUR['webhook.resumed']),
    'webhook.replayed': limitedTo(MAX_PER_HOUR['webhook.replayed']),
    // As often as webhooks were created.
    'webhook.deleted': ALL,
  };
}
