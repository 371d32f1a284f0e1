/** Every operation of the service. Generated from the table of operations by `npm run openapi`; do not edit. */
import type { CallOptions, OperationRow, Upload } from './calls/call.js';
import type {
  AccessToken,
  ApiKey,
  Attachment,
  AutomationRule,
  Board,
  BoardDocument,
  BoardMember,
  BoardSummary,
  Card,
  Checklist,
  ChecklistItem,
  ClusterOverview,
  Column,
  Detail,
  EventPage,
  FullBoard,
  Health,
  ImportedBoard,
  IncomingBoard,
  Invitation,
  InviteLink,
  Label,
  LabelUsage,
  LoginSession,
  NewApiKey,
  NewInviteLink,
  Presence,
  PublicUser,
  Statistics,
} from './resources.js';

/**
 * The parameters are the ids of the path, then the body or the query, then options; each only if the operation has it. A
 * refusal is thrown as an `ApiError`.
 */
export interface Operations {
  readonly auth: {
    /** Register a user. */
    register(
      body: {
        email: string;
        username: string;
        password: string;
        firstname?: string | null;
        lastname?: string | null;
        /** The token of an invitation */
        invitation?: string;
      },
      options?: CallOptions,
    ): Promise<PublicUser>;
    /** Log in. */
    login(body: { username: string; password: string; code?: string }, options?: CallOptions): Promise<AccessToken>;
    /** Log out. */
    logout(options?: CallOptions): Promise<{ readonly detail: string; readonly logout_url?: string }>;
    /** Get the caller. */
    me(options?: CallOptions): Promise<PublicUser>;
    /** Change the caller’s names. */
    updateMe(body: { firstname?: string | null; lastname?: string | null }, options?: CallOptions): Promise<PublicUser>;
    /** Change the caller’s password. */
    changePassword(body: { current_password: string; new_password: string }, options?: CallOptions): Promise<Detail>;
    /** Create the first superuser. */
    setup(
      body: {
        /** From the file `setup-token`, or the link of the start */
        token?: string;
        email: string;
        username: string;
        password: string;
        firstname?: string | null;
        lastname?: string | null;
      },
      options?: CallOptions,
    ): Promise<PublicUser>;
    /** Change the caller’s e-mail address. */
    changeEmail(
      body: { email: string; current_password: string; code?: string },
      options?: CallOptions,
    ): Promise<{ readonly user: PublicUser; readonly is_pending: boolean }>;
    /** Change the caller’s username. */
    changeUsername(body: { username: string; current_password: string }, options?: CallOptions): Promise<PublicUser>;
    /** Ask for a link to set a new password. */
    forgotPassword(body: { email: string }, options?: CallOptions): Promise<Detail>;
    /** Set a new password by a link. */
    resetPassword(body: { token: string; password: string }, options?: CallOptions): Promise<Detail>;
    /** Ask for a mail to confirm the caller’s e-mail address. */
    requestVerification(options?: CallOptions): Promise<Detail>;
    /** Confirm an e-mail address by a link. */
    verifyEmail(body: { token: string }, options?: CallOptions): Promise<PublicUser>;
    /** Renew the tokens of a session. */
    refresh(body: { refresh_token?: string }, options?: CallOptions): Promise<AccessToken>;
    /** List the caller’s sessions. */
    listSessions(options?: CallOptions): Promise<readonly LoginSession[]>;
    /** End all other sessions. */
    endOtherSessions(options?: CallOptions): Promise<void>;
    /** End a session. */
    endSession(path: { session_id: string }, options?: CallOptions): Promise<void>;
    /** Get the state of the second factor. */
    factors(
      options?: CallOptions,
    ): Promise<{
  readonly totp: { readonly state: 'off' | 'unconfirmed' | 'on'; readonly confirmed_at: string | null };
  readonly recovery_codes_left: number;
}>;
    /** Begin to set up the second factor. */
    beginTotp(
      body: { password: string },
      options?: CallOptions,
    ): Promise<{ readonly secret: string; readonly otpauth_uri: string }>;
    /** Turn the second factor off. */
    removeTotp(body: { password: string; code: string }, options?: CallOptions): Promise<void>;
    /** Turn the second factor on. */
    confirmTotp(body: { code: string }, options?: CallOptions): Promise<{ readonly recovery_codes: readonly string[] }>;
    /** Get new recovery codes. */
    renewRecoveryCodes(
      body: { password: string; code: string },
      options?: CallOptions,
    ): Promise<{ readonly recovery_codes: readonly string[] }>;
    /** How one can come in. */
    methods(
      options?: CallOptions,
    ): Promise<{
  readonly registration: 'open' | 'invite' | 'closed';
  /** Whether the service sends mails */
  readonly mail: boolean;
  /** Where browsers must open the service; null: anywhere */
  readonly public_url: string | null;
  /** Whether browsers keep a login over HTTPS only */
  readonly needs_https: boolean;
  /** Who can make invitations: superusers alone, or also owners, to their boards */
  readonly invitations: 'owners' | 'superusers';
  /** While nobody has an account: how the first one is made with `POST /auth/setup`. `token`: with the token of the service; `open`: this client needs none */
  readonly setup: 'token' | 'open' | null;
  readonly sso: {
    readonly button_text: string;
    readonly login_path: string;
    /** Who gets an account with the first login */
    readonly registration: 'open' | 'invite' | 'closed';
  } | null;
}>;
  };
  readonly key: {
    /** List the caller’s API keys. */
    list(options?: CallOptions): Promise<readonly ApiKey[]>;
    /** Create an API key. */
    create(
      body: {
        name: string;
        scopes: ReadonlyArray<'read' | 'write' | 'admin'>;
        board_ids?: readonly string[] | null;
        expires_at?: string | null;
      },
      options?: CallOptions,
    ): Promise<NewApiKey>;
    /** Revoke an API key. */
    revoke(path: { key_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly users: {
    /** Get a user. */
    get(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Search users. */
    search(
      query?: { search?: string; limit?: number; offset?: number },
      options?: CallOptions,
    ): Promise<readonly PublicUser[]>;
  };
  readonly invitation: {
    /** List invitations. */
    list(query?: { limit?: number; offset?: number }, options?: CallOptions): Promise<readonly InviteLink[]>;
    /** Create an invitation. */
    create(
      body: {
        board_id?: string | null;
        role?: 'owner' | 'member';
        max_uses?: number;
        expires_in_hours?: number;
        email?: string;
      },
      options?: CallOptions,
    ): Promise<NewInviteLink>;
    /** Show what an invitation is to. */
    preview(
      body: { token: string },
      options?: CallOptions,
    ): Promise<{
  /** The username of who made it */
  readonly inviter: string;
  /** Null if it is to the service alone */
  readonly board: { readonly id: string; readonly title: string } | null;
  readonly expires_at: string;
}>;
    /** Revoke an invitation. */
    revoke(path: { invitation_id: string }, options?: CallOptions): Promise<void>;
    /** Accept an invitation to a board. */
    accept(body: { token: string }, options?: CallOptions): Promise<{ readonly board_id: string }>;
  };
  readonly board: {
    /** List the caller’s boards. */
    list(query?: { limit?: number; offset?: number }, options?: CallOptions): Promise<readonly BoardSummary[]>;
    /** Create a board. */
    create(body: { title: string; description?: string | null }, options?: CallOptions): Promise<Board>;
    /** Get a board with everything on it. */
    get(path: { board_id: string }, options?: CallOptions): Promise<FullBoard>;
    /** Change a board’s title or description. */
    update(
      path: { board_id: string },
      body: { title?: string; description?: string | null },
      options?: CallOptions,
    ): Promise<Board>;
    /** Delete a board and everything on it. */
    delete(path: { board_id: string }, options?: CallOptions): Promise<void>;
    /** List the events of a board. */
    events(path: { board_id: string }, query?: { since?: number | string }, options?: CallOptions): Promise<EventPage>;
    /** Change a board in several steps at once. */
    batch(
      path: { board_id: string },
      body: {
        operations: ReadonlyArray<{
          method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
          path: string;
          body?: Readonly<Record<string, unknown>> | null;
        }>;
      },
      options?: CallOptions,
    ): Promise<{
  readonly answers: ReadonlyArray<{
    /** As for a request of its own */
    readonly status: number;
    readonly body: Column | Card | Label | Checklist | ChecklistItem | AutomationRule | null;
  }>;
}>;
    /** Export a board. */
    export(path: { board_id: string }, options?: CallOptions): Promise<BoardDocument>;
    /** Import a board. */
    import(
      body: IncomingBoard | {
        name: string;
        lists: ReadonlyArray<Readonly<Record<string, unknown>>>;
        cards: ReadonlyArray<Readonly<Record<string, unknown>>>;
      },
      options?: CallOptions,
    ): Promise<ImportedBoard>;
  };
  readonly member: {
    /** List the members of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly BoardMember[]>;
    /** Invite a user to a board. */
    add(path: { board_id: string }, body: { user_id: string }, options?: CallOptions): Promise<Invitation>;
    /** Change a member’s role. */
    setRole(
      path: { board_id: string; user_id: string },
      body: { role: 'owner' | 'member' },
      options?: CallOptions,
    ): Promise<BoardMember>;
    /** Remove a member or leave a board. */
    remove(path: { board_id: string; user_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly column: {
    /** Create a column. */
    create(
      path: { board_id: string },
      body: {
        title: string;
        /** `#rgb`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour */
        color?: string;
        /** The 0-based position in the list after the operation; beyond the end means last */
        position?: number;
        is_done_column?: boolean;
      },
      options?: CallOptions,
    ): Promise<Column>;
    /** Change a column. */
    update(
      path: { column_id: string },
      body: { title?: string; color?: string; is_done_column?: boolean },
      options?: CallOptions,
    ): Promise<Column>;
    /** Delete a column and its cards. */
    delete(path: { column_id: string }, options?: CallOptions): Promise<void>;
    /** Move a column. */
    move(path: { column_id: string }, body: { position: number }, options?: CallOptions): Promise<Column>;
  };
  readonly card: {
    /** Create a card. */
    create(
      path: { board_id: string; column_id: string },
      body: { title: string; description?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<Card>;
    /** Get a card. */
    get(path: { card_id: string }, options?: CallOptions): Promise<Card>;
    /** Change a card’s title or description. */
    update(
      path: { card_id: string },
      body: { title?: string; description?: string | null },
      options?: CallOptions,
    ): Promise<Card>;
    /** Delete a card. */
    delete(path: { card_id: string }, options?: CallOptions): Promise<void>;
    /** Move a card. */
    move(
      path: { card_id: string },
      body: { column_id?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<Card>;
    /** Assign members to a card. */
    assign(path: { card_id: string }, body: { user_ids: readonly string[] }, options?: CallOptions): Promise<Card>;
    /** Unassign a member from a card. */
    unassign(path: { card_id: string; user_id: string }, options?: CallOptions): Promise<void>;
    /** Add a label to a card. */
    addLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<Card>;
    /** Remove a label from a card. */
    removeLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly label: {
    /** List the labels of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly Label[]>;
    /** Create a label. */
    create(path: { board_id: string }, body: { name: string; color?: string }, options?: CallOptions): Promise<Label>;
    /** Count the cards of each label. */
    stats(path: { board_id: string }, options?: CallOptions): Promise<readonly LabelUsage[]>;
    /** Change a label. */
    update(path: { label_id: string }, body: { name?: string; color?: string }, options?: CallOptions): Promise<Label>;
    /** Delete a label. */
    delete(path: { label_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly checklist: {
    /** Create a checklist. */
    create(path: { card_id: string }, body: { title: string }, options?: CallOptions): Promise<Checklist>;
    /** Rename a checklist. */
    update(path: { checklist_id: string }, body: { title?: string }, options?: CallOptions): Promise<Checklist>;
    /** Delete a checklist and its items. */
    delete(path: { checklist_id: string }, options?: CallOptions): Promise<void>;
    /** Move a checklist within its card. */
    move(path: { checklist_id: string }, body: { position: number }, options?: CallOptions): Promise<Checklist>;
  };
  readonly item: {
    /** Create an item. */
    create(path: { checklist_id: string }, body: { content: string }, options?: CallOptions): Promise<ChecklistItem>;
    /** Change an item or mark it as done. */
    update(
      path: { item_id: string },
      body: { content?: string; is_done?: boolean },
      options?: CallOptions,
    ): Promise<ChecklistItem>;
    /** Delete an item. */
    delete(path: { item_id: string }, options?: CallOptions): Promise<void>;
    /** Move an item. */
    move(
      path: { item_id: string },
      body: { position: number; checklist_id?: string | null },
      options?: CallOptions,
    ): Promise<ChecklistItem>;
    /** Assign members to an item. */
    assign(
      path: { item_id: string },
      body: { user_ids: readonly string[] },
      options?: CallOptions,
    ): Promise<ChecklistItem>;
    /** Unassign a member from an item. */
    unassign(path: { item_id: string; user_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly attachment: {
    /** Attach a file to a card. */
    create(path: { card_id: string }, file: Upload, options?: CallOptions): Promise<Attachment>;
    /** Download a file. */
    get(path: { attachment_id: string }, options?: CallOptions): Promise<Blob>;
    /** Delete a file. */
    delete(path: { attachment_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly rule: {
    /** List the automation rules of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly AutomationRule[]>;
    /** Create an automation rule. */
    create(
      path: { board_id: string },
      body: {
        name: string;
        /** Accepted in any case, returned in capitals */
        trigger_type: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
        trigger_column_id?: string | null;
        trigger_label_id?: string | null;
        /** Accepted in any case, returned in capitals */
        action_type: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
        action_column_id?: string | null;
        action_user_id?: string | null;
        is_enabled?: boolean;
      },
      options?: CallOptions,
    ): Promise<AutomationRule>;
    /** Change an automation rule. */
    update(
      path: { rule_id: string },
      body: {
        name?: string;
        /** Accepted in any case, returned in capitals */
        trigger_type?: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
        trigger_column_id?: string | null;
        trigger_label_id?: string | null;
        /** Accepted in any case, returned in capitals */
        action_type?: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
        action_column_id?: string | null;
        action_user_id?: string | null;
        is_enabled?: boolean;
      },
      options?: CallOptions,
    ): Promise<AutomationRule>;
    /** Delete an automation rule. */
    delete(path: { rule_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly presence: {
    /** List the online users of a board. */
    get(path: { board_id: string }, options?: CallOptions): Promise<Presence>;
  };
  readonly admin: {
    /** List the instances. */
    cluster(options?: CallOptions): Promise<ClusterOverview>;
    /** Get statistics. */
    stats(options?: CallOptions): Promise<Statistics>;
    /** List all users. */
    listUsers(
      query?: { search?: string; limit?: number; offset?: number },
      options?: CallOptions,
    ): Promise<ReadonlyArray<{
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly is_superuser: boolean;
  /** Whether logins with the password need a code */
  readonly has_second_factor: boolean;
}>>;
    /** Activate a user. */
    activateUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Deactivate a user. */
    deactivateUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Promote a user to superuser. */
    promoteUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Demote a superuser to ordinary user. */
    demoteUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Delete a user. */
    deleteUser(path: { user_id: string }, query?: { give_boards_to?: string }, options?: CallOptions): Promise<void>;
    /** Read the audit log. */
    audit(
      query?: {
        before?: string;
        limit?: number;
        user_id?: string;
        readonly kind?:
          | 'login'
          | 'login.failed'
          | 'logout'
          | 'session.ended'
          | 'sessions.ended'
          | 'refresh.refused'
          | 'user.registered'
          | 'user.created'
          | 'user.activated'
          | 'user.deactivated'
          | 'user.promoted'
          | 'user.demoted'
          | 'user.deleted'
          | 'email.verified'
          | 'email.changed'
          | 'username.changed'
          | 'password.changed'
          | 'password.reset_requested'
          | 'password.reset'
          | 'factor.enabled'
          | 'factor.disabled'
          | 'factor.reset'
          | 'recovery_codes.renewed'
          | 'key.created'
          | 'key.revoked'
          | 'sso.linked'
          | 'invitation.created'
          | 'invitation.revoked'
          | 'invitation.accepted'
          | 'board.deleted'
          | 'board.imported'
          | 'member.added'
          | 'member.removed'
          | 'member.role_changed'
          | 'service.started';
      },
      options?: CallOptions,
    ): Promise<{
  readonly entries: ReadonlyArray<{
    readonly id: string;
    readonly at: string;
    /** What happened. Later versions may add kinds */
    readonly kind: string;
    /** Who did it; of a failed login, the account that was meant. Null for the operator and for strangers */
    readonly user_id: string | null;
    /** At that time */
    readonly username: string | null;
    /** The user, board, session, key or invitation that it was done to */
    readonly subject_id: string | null;
    /** Its name at that time */
    readonly subject: string | null;
    /** Of the client */
    readonly address: string | null;
    /** What the client calls itself (`User-Agent`) */
    readonly device: string | null;
    /** `key_id`: the API key that the request came with; `more`: how many further entries of the kind were left out */
    readonly details: Readonly<Record<string, unknown>>;
  }>;
  /** For `before`; null on the last page */
  readonly next: string | null;
}>;
  };
  /** Check health. */
  health(options?: CallOptions): Promise<Health>;
  /** Check readiness. */
  ready(options?: CallOptions): Promise<Detail>;
  /** Get metrics. */
  metrics(options?: CallOptions): Promise<Blob>;
  /** Get the OpenAPI document. */
  openapi(options?: CallOptions): Promise<{ readonly openapi: string }>;
  /** Get the AsyncAPI document. */
  asyncapi(options?: CallOptions): Promise<{ readonly asyncapi: string }>;
}

export const OPERATIONS = {
  'auth.register': { method: 'POST', path: '/auth/register', input: 'json', answer: 'json', isPublic: true },
  'auth.login': { method: 'POST', path: '/auth/login', input: 'form', answer: 'json', isPublic: true },
  'auth.logout': { method: 'POST', path: '/auth/logout', input: 'none', answer: 'json' },
  'auth.me': { method: 'GET', path: '/auth/me', input: 'none', answer: 'json' },
  'auth.updateMe': { method: 'PATCH', path: '/auth/me', input: 'json', answer: 'json' },
  'auth.changePassword': { method: 'POST', path: '/auth/change-password', input: 'json', answer: 'json' },
  'auth.setup': { method: 'POST', path: '/auth/setup', input: 'json', answer: 'json', isPublic: true },
  'auth.changeEmail': { method: 'POST', path: '/auth/change-email', input: 'json', answer: 'json' },
  'auth.changeUsername': { method: 'POST', path: '/auth/change-username', input: 'json', answer: 'json' },
  'auth.forgotPassword': {
    method: 'POST',
    path: '/auth/forgot-password',
    input: 'json',
    answer: 'json',
    isPublic: true,
  },
  'auth.resetPassword': {
    method: 'POST',
    path: '/auth/reset-password',
    input: 'json',
    answer: 'json',
    isPublic: true,
  },
  'auth.requestVerification': { method: 'POST', path: '/auth/verify-email/request', input: 'none', answer: 'json' },
  'auth.verifyEmail': { method: 'POST', path: '/auth/verify-email', input: 'json', answer: 'json' },
  'auth.refresh': { method: 'POST', path: '/auth/refresh', input: 'json', answer: 'json', isPublic: true },
  'auth.listSessions': { method: 'GET', path: '/auth/sessions', input: 'none', answer: 'json' },
  'auth.endOtherSessions': { method: 'DELETE', path: '/auth/sessions', input: 'none', answer: 'nothing' },
  'auth.endSession': { method: 'DELETE', path: '/auth/sessions/{session_id}', input: 'none', answer: 'nothing' },
  'auth.factors': { method: 'GET', path: '/auth/factors', input: 'none', answer: 'json' },
  'auth.beginTotp': { method: 'POST', path: '/auth/factors/totp', input: 'json', answer: 'json' },
  'auth.removeTotp': { method: 'DELETE', path: '/auth/factors/totp', input: 'json', answer: 'nothing' },
  'auth.confirmTotp': { method: 'POST', path: '/auth/factors/totp/confirm', input: 'json', answer: 'json' },
  'auth.renewRecoveryCodes': { method: 'POST', path: '/auth/factors/recovery-codes', input: 'json', answer: 'json' },
  'auth.methods': { method: 'GET', path: '/auth/methods', input: 'none', answer: 'json', isPublic: true },
  'key.list': { method: 'GET', path: '/auth/keys', input: 'none', answer: 'json' },
  'key.create': { method: 'POST', path: '/auth/keys', input: 'json', answer: 'json' },
  'key.revoke': { method: 'DELETE', path: '/auth/keys/{key_id}', input: 'none', answer: 'nothing' },
  'users.get': { method: 'GET', path: '/users/{user_id}', input: 'none', answer: 'json' },
  'users.search': { method: 'GET', path: '/users', input: 'query', answer: 'json' },
  'invitation.list': { method: 'GET', path: '/invitations', input: 'query', answer: 'json' },
  'invitation.create': { method: 'POST', path: '/invitations', input: 'json', answer: 'json' },
  'invitation.preview': {
    method: 'POST',
    path: '/invitations/preview',
    input: 'json',
    answer: 'json',
    isPublic: true,
  },
  'invitation.revoke': { method: 'DELETE', path: '/invitations/{invitation_id}', input: 'none', answer: 'nothing' },
  'invitation.accept': { method: 'POST', path: '/invitations/accept', input: 'json', answer: 'json' },
  'board.list': { method: 'GET', path: '/boards', input: 'query', answer: 'json' },
  'board.create': { method: 'POST', path: '/boards', input: 'json', answer: 'json' },
  'board.get': { method: 'GET', path: '/boards/{board_id}', input: 'none', answer: 'json' },
  'board.update': { method: 'PATCH', path: '/boards/{board_id}', input: 'json', answer: 'json' },
  'board.delete': { method: 'DELETE', path: '/boards/{board_id}', input: 'none', answer: 'nothing' },
  'board.events': { method: 'GET', path: '/boards/{board_id}/events', input: 'query', answer: 'json' },
  'board.batch': { method: 'POST', path: '/boards/{board_id}/batch', input: 'json', answer: 'json' },
  'board.export': { method: 'GET', path: '/boards/{board_id}/export', input: 'none', answer: 'json' },
  'board.import': { method: 'POST', path: '/boards/import', input: 'json', answer: 'json' },
  'member.list': { method: 'GET', path: '/boards/{board_id}/members', input: 'none', answer: 'json' },
  'member.add': { method: 'POST', path: '/boards/{board_id}/invite', input: 'json', answer: 'json' },
  'member.setRole': { method: 'PATCH', path: '/boards/{board_id}/members/{user_id}', input: 'json', answer: 'json' },
  'member.remove': {
    method: 'DELETE',
    path: '/boards/{board_id}/members/{user_id}',
    input: 'none',
    answer: 'nothing',
  },
  'column.create': { method: 'POST', path: '/boards/{board_id}/columns', input: 'json', answer: 'json' },
  'column.update': { method: 'PATCH', path: '/columns/{column_id}', input: 'json', answer: 'json' },
  'column.delete': { method: 'DELETE', path: '/columns/{column_id}', input: 'none', answer: 'nothing' },
  'column.move': { method: 'POST', path: '/columns/{column_id}/move', input: 'json', answer: 'json' },
  'card.create': {
    method: 'POST',
    path: '/boards/{board_id}/columns/{column_id}/cards',
    input: 'json',
    answer: 'json',
  },
  'card.get': { method: 'GET', path: '/cards/{card_id}', input: 'none', answer: 'json' },
  'card.update': { method: 'PATCH', path: '/cards/{card_id}', input: 'json', answer: 'json' },
  'card.delete': { method: 'DELETE', path: '/cards/{card_id}', input: 'none', answer: 'nothing' },
  'card.move': { method: 'POST', path: '/cards/{card_id}/move', input: 'json', answer: 'json' },
  'card.assign': { method: 'PUT', path: '/cards/{card_id}/assignees', input: 'json', answer: 'json' },
  'card.unassign': {
    method: 'DELETE',
    path: '/cards/{card_id}/assignees/{user_id}',
    input: 'none',
    answer: 'nothing',
  },
  'card.addLabel': { method: 'POST', path: '/cards/{card_id}/labels/{label_id}', input: 'none', answer: 'json' },
  'card.removeLabel': {
    method: 'DELETE',
    path: '/cards/{card_id}/labels/{label_id}',
    input: 'none',
    answer: 'nothing',
  },
  'label.list': { method: 'GET', path: '/boards/{board_id}/labels', input: 'none', answer: 'json' },
  'label.create': { method: 'POST', path: '/boards/{board_id}/labels', input: 'json', answer: 'json' },
  'label.stats': { method: 'GET', path: '/boards/{board_id}/labels/stats', input: 'none', answer: 'json' },
  'label.update': { method: 'PATCH', path: '/labels/{label_id}', input: 'json', answer: 'json' },
  'label.delete': { method: 'DELETE', path: '/labels/{label_id}', input: 'none', answer: 'nothing' },
  'checklist.create': { method: 'POST', path: '/cards/{card_id}/checklists', input: 'json', answer: 'json' },
  'checklist.update': { method: 'PATCH', path: '/checklists/{checklist_id}', input: 'json', answer: 'json' },
  'checklist.delete': { method: 'DELETE', path: '/checklists/{checklist_id}', input: 'none', answer: 'nothing' },
  'checklist.move': { method: 'POST', path: '/checklists/{checklist_id}/move', input: 'json', answer: 'json' },
  'item.create': { method: 'POST', path: '/checklists/{checklist_id}/items', input: 'json', answer: 'json' },
  'item.update': { method: 'PATCH', path: '/items/{item_id}', input: 'json', answer: 'json' },
  'item.delete': { method: 'DELETE', path: '/items/{item_id}', input: 'none', answer: 'nothing' },
  'item.move': { method: 'POST', path: '/items/{item_id}/move', input: 'json', answer: 'json' },
  'item.assign': { method: 'PUT', path: '/items/{item_id}/assignees', input: 'json', answer: 'json' },
  'item.unassign': {
    method: 'DELETE',
    path: '/items/{item_id}/assignees/{user_id}',
    input: 'none',
    answer: 'nothing',
  },
  'attachment.create': { method: 'POST', path: '/cards/{card_id}/attachments', input: 'file', answer: 'json' },
  'attachment.get': { method: 'GET', path: '/attachments/{attachment_id}', input: 'none', answer: 'bytes' },
  'attachment.delete': { method: 'DELETE', path: '/attachments/{attachment_id}', input: 'none', answer: 'nothing' },
  'rule.list': { method: 'GET', path: '/boards/{board_id}/automations', input: 'none', answer: 'json' },
  'rule.create': { method: 'POST', path: '/boards/{board_id}/automations', input: 'json', answer: 'json' },
  'rule.update': { method: 'PATCH', path: '/automations/{rule_id}', input: 'json', answer: 'json' },
  'rule.delete': { method: 'DELETE', path: '/automations/{rule_id}', input: 'none', answer: 'nothing' },
  'presence.get': { method: 'GET', path: '/ws/boards/{board_id}/presence', input: 'none', answer: 'json' },
  'admin.cluster': { method: 'GET', path: '/admin/cluster', input: 'none', answer: 'json' },
  'admin.stats': { method: 'GET', path: '/admin/stats', input: 'none', answer: 'json' },
  'admin.listUsers': { method: 'GET', path: '/admin/users', input: 'query', answer: 'json' },
  'admin.activateUser': { method: 'POST', path: '/admin/users/{user_id}/activate', input: 'none', answer: 'json' },
  'admin.deactivateUser': { method: 'POST', path: '/admin/users/{user_id}/deactivate', input: 'none', answer: 'json' },
  'admin.promoteUser': { method: 'POST', path: '/admin/users/{user_id}/promote', input: 'none', answer: 'json' },
  'admin.demoteUser': { method: 'POST', path: '/admin/users/{user_id}/demote', input: 'none', answer: 'json' },
  'admin.deleteUser': { method: 'DELETE', path: '/admin/users/{user_id}', input: 'query', answer: 'nothing' },
  'admin.audit': { method: 'GET', path: '/admin/audit', input: 'query', answer: 'json' },
  'health': { method: 'GET', path: '/health', input: 'none', answer: 'json', isPublic: true },
  'ready': { method: 'GET', path: '/ready', input: 'none', answer: 'json', isPublic: true },
  'metrics': { method: 'GET', path: '/metrics', input: 'none', answer: 'bytes' },
  'openapi': { method: 'GET', path: '/openapi.json', input: 'none', answer: 'json', isPublic: true },
  'asyncapi': { method: 'GET', path: '/asyncapi.json', input: 'none', answer: 'json', isPublic: true },
} as const satisfies Readonly<Record<string, OperationRow>>;
