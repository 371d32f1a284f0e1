/** Every operation of the service. Generated from the table of operations by `npm run openapi`; do not edit. */
import type { CallOptions, Link, OperationRow, Upload } from './calls/call.js';
import type {
  AccessToken,
  Account,
  Activity,
  ApiKey,
  AssignedCard,
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
  Comment,
  Detail,
  EventPage,
  FullBoard,
  Health,
  IncomingBoard,
  Invitation,
  InviteLink,
  Label,
  LabelUsage,
  LoginSession,
  NewApiKey,
  NewInviteLink,
  NewWebhook,
  Notification,
  NotificationSettings,
  Presence,
  PublicUser,
  Statistics,
  TrelloExport,
  Webhook,
  WebhookDelivery,
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
        /** At most 1024 bytes in UTF-8. The service may ask for more characters, and for kinds of them (`PASSWORD_MIN_LENGTH`, `PASSWORD_REQUIRE`) */
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
    me(options?: CallOptions): Promise<Account>;
    /** Change the caller’s names, language or time zone. */
    updateMe(
      body: {
        firstname?: string | null;
        lastname?: string | null;
        language?: string | null;
        time_zone?: string | null;
      },
      options?: CallOptions,
    ): Promise<Account>;
    /** Change the caller’s password. */
    changePassword(body: { current_password: string; new_password: string }, options?: CallOptions): Promise<Detail>;
    /** Create the first superuser. */
    setup(
      body: {
        /** From the file `setup-token`, or the link of the start */
        token?: string;
        email: string;
        username: string;
        /** At most 1024 bytes in UTF-8. The service may ask for more characters, and for kinds of them (`PASSWORD_MIN_LENGTH`, `PASSWORD_REQUIRE`) */
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
        role?: 'owner' | 'member' | 'commenter' | 'viewer';
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
    create(
      body: {
        title: string;
        description?: string | null;
        color?: string | null;
        icon?: string | null;
      },
      options?: CallOptions,
    ): Promise<Board>;
    /** Get a board with everything on it. */
    get(path: { board_id: string }, options?: CallOptions): Promise<FullBoard>;
    /** Change a board’s title, description, colour or icon. */
    update(
      path: { board_id: string },
      body: {
        title?: string;
        description?: string | null;
        color?: string | null;
        icon?: string | null;
      },
      options?: CallOptions,
    ): Promise<Board>;
    /** Delete a board and everything on it. */
    delete(path: { board_id: string }, options?: CallOptions): Promise<void>;
    /** Star a board. */
    star(path: { board_id: string }, options?: CallOptions): Promise<void>;
    /** Remove the star of a board. */
    unstar(path: { board_id: string }, options?: CallOptions): Promise<void>;
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
    readonly body: Column | Card | Label | Checklist | ChecklistItem | AutomationRule | Comment | null;
  }>;
}>;
    /** Export a board. */
    export(path: { board_id: string }, options?: CallOptions): Promise<BoardDocument>;
    /** Import a board. */
    import(body: IncomingBoard | TrelloExport, options?: CallOptions): Promise<{ readonly board: BoardSummary }>;
    /** Copy a board. */
    copy(
      path: { board_id: string },
      body: {
        title: string;
        comments?: boolean;
        attachments?: boolean;
        people?: boolean;
      },
      options?: CallOptions,
    ): Promise<Board>;
    /** Restore a deleted board. */
    restore(path: { board_id: string }, options?: CallOptions): Promise<FullBoard>;
    /** Undo a change. */
    undo(
      path: { board_id: string },
      body: { seq?: number | null },
      options?: CallOptions,
    ): Promise<{ readonly seq: number; readonly undone: number }>;
  };
  readonly member: {
    /** List the members of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly BoardMember[]>;
    /** Invite a user to a board. */
    add(
      path: { board_id: string },
      body: { user_id: string; role?: 'owner' | 'member' | 'commenter' | 'viewer' },
      options?: CallOptions,
    ): Promise<Invitation>;
    /** Change a member’s role. */
    setRole(
      path: { board_id: string; user_id: string },
      body: { role: 'owner' | 'member' | 'commenter' | 'viewer' },
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
    /** Copy a column with its cards. */
    copy(path: { column_id: string }, body: { position?: number }, options?: CallOptions): Promise<Column>;
    /** Archive a column with its cards. */
    archive(path: { column_id: string }, options?: CallOptions): Promise<Column>;
    /** Restore a column from the archive. */
    restore(path: { column_id: string }, body: { position?: number }, options?: CallOptions): Promise<Column>;
  };
  readonly card: {
    /** Create a card. */
    create(
      path: { board_id: string; column_id: string },
      body: {
        title: string;
        description?: string | null;
        start_at?: string | null;
        due_at?: string | null;
        completed_at?: string | null;
        reminder_minutes?: number | null;
        /** The 0-based position in the list after the operation; beyond the end means last */
        position?: number;
      },
      options?: CallOptions,
    ): Promise<Card>;
    /** Get a card. */
    get(path: { card_id: string }, options?: CallOptions): Promise<Card>;
    /** Change a card’s title, description, dates or cover. */
    update(
      path: { card_id: string },
      body: {
        title?: string;
        description?: string | null;
        start_at?: string | null;
        due_at?: string | null;
        completed_at?: string | null;
        reminder_minutes?: number | null;
        cover?: { attachment_id: string } | { color: string } | null;
        base?: number;
      },
      options?: CallOptions,
    ): Promise<Card>;
    /** Delete a card. */
    delete(path: { card_id: string }, options?: CallOptions): Promise<void>;
    /** Get a card by its number. */
    find(path: { board_id: string; number: number }, options?: CallOptions): Promise<Card>;
    /** Move a card. */
    move(
      path: { card_id: string },
      body: { board_id?: string | null; column_id?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<{
  readonly id: string;
  readonly board_id: string;
  readonly column_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly rank: number;
  /** Unique on the board, from 1, and never given again. Null only while an older version of the service is still running */
  readonly number: number | null;
  /** A picture among the attachments of the card, or a colour */
  readonly cover: { readonly attachment_id: string } | { readonly color: string } | null;
  readonly start_at: string | null;
  readonly due_at: string | null;
  readonly completed_at: string | null;
  /** How long before it is due its assignees get a notice; -1: none, null: as each of them wants, a day by default. A day without a time ends at midnight in UTC */
  readonly reminder_minutes: number | null;
  /** Of its comments */
  readonly comment_count: number;
  /** Of the description, from 1; each change of it raises it */
  readonly text_version: number;
  /** Null on the board */
  readonly archived_at: string | null;
  readonly labels: readonly Label[];
  readonly assignees: readonly PublicUser[];
  readonly checklists: readonly Checklist[];
  readonly attachments: readonly Attachment[];
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** After a move to another board: who was assigned to the card or its items and cannot be there */
  readonly dropped_people?: ReadonlyArray<{ readonly id: string; readonly username: string }>;
}>;
    /** Assign members to a card. */
    assign(path: { card_id: string }, body: { user_ids: readonly string[] }, options?: CallOptions): Promise<Card>;
    /** Unassign a member from a card. */
    unassign(path: { card_id: string; user_id: string }, options?: CallOptions): Promise<void>;
    /** Add a label to a card. */
    addLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<Card>;
    /** Remove a label from a card. */
    removeLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<void>;
    /** Copy a card. */
    copy(
      path: { card_id: string },
      body: {
        column_id?: string | null;
        /** The 0-based position in the list after the operation; beyond the end means last */
        position?: number;
        comments?: boolean;
        attachments?: boolean;
      },
      options?: CallOptions,
    ): Promise<Card>;
    /** List the caller’s cards. */
    mine(
      query?: { after?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{ readonly cards: readonly AssignedCard[]; readonly next: string | null }>;
    /** Archive a card. */
    archive(path: { card_id: string }, options?: CallOptions): Promise<Card>;
    /** Restore a card from the archive. */
    restore(
      path: { card_id: string },
      body: { column_id?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<Card>;
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
    create(
      path: { checklist_id: string },
      body: { content: string; due_at?: string | null },
      options?: CallOptions,
    ): Promise<ChecklistItem>;
    /** Change an item or mark it as done. */
    update(
      path: { item_id: string },
      body: { content?: string; is_done?: boolean; due_at?: string | null },
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
    /** Attach a file or a link to a card. */
    create(path: { card_id: string }, file: Upload | Link, options?: CallOptions): Promise<Attachment>;
    /** Download a file. */
    get(path: { attachment_id: string }, options?: CallOptions): Promise<Blob>;
    /** Delete a file. */
    delete(path: { attachment_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly commentFile: {
    /** Attach a file or a link to a comment. */
    create(path: { comment_id: string }, file: Upload | Link, options?: CallOptions): Promise<Attachment>;
  };
  readonly notification: {
    /** List the caller’s notices. */
    list(
      query?: { unread?: boolean; before?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{ readonly notifications: readonly Notification[]; readonly unread: number; readonly next: string | null }>;
    /** Mark notices as read. */
    read(body: { ids?: readonly string[] }, options?: CallOptions): Promise<{ readonly unread: number }>;
    /** Get what the caller wants of notices. */
    settings(options?: CallOptions): Promise<NotificationSettings>;
    /** Set what the caller wants of notices. */
    setSettings(
      body: {
        reminder_minutes?: number;
        kinds?: {
          assigned?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
          mentioned?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
          commented?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
          moved?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
          due?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
          invited?: { app?: boolean; mail?: 'off' | 'daily' | 'now' };
        };
        boards?: Readonly<Record<string, { app?: boolean; mail?: 'off' | 'daily' | 'now' }>>;
      },
      options?: CallOptions,
    ): Promise<NotificationSettings>;
  };
  readonly watch: {
    /** Get whether the caller watches a board. */
    getBoard(path: { board_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a board. */
    board(path: { board_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a board no longer. */
    endBoard(path: { board_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Get whether the caller watches a column. */
    getColumn(path: { column_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a column. */
    column(path: { column_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a column no longer. */
    endColumn(path: { column_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Get whether the caller watches a card. */
    getCard(path: { card_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a card. */
    card(path: { card_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** Watch a card no longer. */
    endCard(path: { card_id: string }, options?: CallOptions): Promise<{ readonly watching: boolean }>;
    /** List what the caller watches. */
    mine(
      query?: { before?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{
  readonly watching: ReadonlyArray<{ readonly kind: 'board' | 'column' | 'card'; readonly id: string; readonly board_id: string }>;
  /** For `before`; null on the last page */
  readonly next: string | null;
}>;
  };
  readonly comment: {
    /** Read the comments of a card. */
    list(
      path: { card_id: string },
      query?: { before?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{ readonly comments: readonly Comment[]; readonly next: string | null }>;
    /** Comment on a card. */
    create(path: { card_id: string }, body: { body: string }, options?: CallOptions): Promise<Comment>;
    /** Change a comment. */
    update(
      path: { comment_id: string },
      body: { body?: string; base?: number },
      options?: CallOptions,
    ): Promise<Comment>;
    /** Delete a comment. */
    delete(path: { comment_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly version: {
    /** Read the versions of a description. */
    ofCard(
      path: { card_id: string },
      query?: { before?: number; limit?: number },
      options?: CallOptions,
    ): Promise<{
  readonly versions: ReadonlyArray<{
    /** Rises by one with each edit */
    readonly version: number;
    /** The whole text; null where a card had no description */
    readonly text: string | null;
    /** When it was written; null if that is not kept */
    readonly created_at: string | null;
    /** Who wrote it, if they are on the board */
    readonly user: PublicUser | null;
    /** Null if that is not kept, or if no user wrote it */
    readonly user_name: string | null;
  }>;
  /** For `before`; null on the last page */
  readonly next: number | null;
}>;
    /** Read the versions of a comment. */
    ofComment(
      path: { comment_id: string },
      query?: { before?: number; limit?: number },
      options?: CallOptions,
    ): Promise<{
  readonly versions: ReadonlyArray<{
    /** Rises by one with each edit */
    readonly version: number;
    /** The whole text; null where a card had no description */
    readonly text: string | null;
    /** When it was written; null if that is not kept */
    readonly created_at: string | null;
    /** Who wrote it, if they are on the board */
    readonly user: PublicUser | null;
    /** Null if that is not kept, or if no user wrote it */
    readonly user_name: string | null;
  }>;
  /** For `before`; null on the last page */
  readonly next: number | null;
}>;
    /** Restore a version of a description. */
    restoreDescription(path: { card_id: string; number: number }, options?: CallOptions): Promise<Card>;
    /** Restore a version of a comment. */
    restoreComment(path: { comment_id: string; number: number }, options?: CallOptions): Promise<Comment>;
    /** Delete a version of a description. */
    deleteOfCard(path: { card_id: string; number: number }, options?: CallOptions): Promise<void>;
    /** Delete a version of a comment. */
    deleteOfComment(path: { comment_id: string; number: number }, options?: CallOptions): Promise<void>;
  };
  readonly archive: {
    /** Read the archive of a board. */
    list(
      path: { board_id: string },
      query?: {
        kind?: 'card' | 'column';
        q?: string;
        before?: string;
        limit?: number;
      },
      options?: CallOptions,
    ): Promise<{ readonly cards: readonly Card[]; readonly columns: readonly Column[]; readonly next: string | null }>;
  };
  readonly trash: {
    /** Read the trash of a board. */
    list(
      path: { board_id: string },
      query?: { before?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{
  readonly entries: ReadonlyArray<{
    /** That of the deleted thing */
    readonly id: string;
    readonly kind: 'card' | 'column' | 'checklist' | 'label' | 'attachment';
    /** The title or name of the deleted thing */
    readonly title: string;
    readonly deleted_at: string;
    /** The user who deleted it */
    readonly deleted_by: string | null;
    /** Until then it can be restored, unless the board needs the room */
    readonly expires_at: string;
  }>;
  /** For `before`; null on the last page */
  readonly next: string | null;
}>;
    /** Restore what was deleted. */
    restore(
      path: { board_id: string; entry_id: string },
      body: { column_id?: string | null },
      options?: CallOptions,
    ): Promise<{
  readonly id: string;
  readonly kind: 'card' | 'column' | 'checklist' | 'label' | 'attachment';
  /** False if more of it is left in the trash */
  readonly is_complete: boolean;
}>;
    /** Throw away what was deleted. */
    delete(path: { board_id: string; entry_id: string }, options?: CallOptions): Promise<void>;
    /** List the deleted boards that the caller may restore. */
    mine(
      query?: { before?: string; limit?: number },
      options?: CallOptions,
    ): Promise<{
  readonly boards: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly deleted_at: string;
    /** Until then it can be restored, unless it has to give way to a new board */
    readonly expires_at: string;
  }>;
  /** For `before`; null on the last page */
  readonly next: string | null;
}>;
  };
  readonly activity: {
    /** Read the activity of a board. */
    list(
      path: { board_id: string },
      query?: {
        before?: number;
        after?: number;
        limit?: number;
        card_id?: string;
        user_id?: string;
        readonly kind?:
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted';
      },
      options?: CallOptions,
    ): Promise<{ readonly activity: readonly Activity[]; readonly next: number | null }>;
    /** Read the activity of a card. */
    ofCard(
      path: { card_id: string },
      query?: {
        before?: number;
        after?: number;
        limit?: number;
        user_id?: string;
        readonly kind?:
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted';
      },
      options?: CallOptions,
    ): Promise<{ readonly activity: readonly Activity[]; readonly next: number | null }>;
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
  readonly webhook: {
    /** List the webhooks of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly Webhook[]>;
    /** Create a webhook of a board. */
    create(
      path: { board_id: string },
      body: {
        url: string;
        event_types?: ReadonlyArray<
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted'> | null;
        is_enabled?: boolean;
        format?: 'standard' | 'slack' | 'ntfy';
      },
      options?: CallOptions,
    ): Promise<NewWebhook>;
    /** Get a webhook of a board. */
    get(path: { webhook_id: string }, options?: CallOptions): Promise<Webhook>;
    /** Change a webhook of a board. */
    update(
      path: { webhook_id: string },
      body: {
        url?: string;
        event_types?: ReadonlyArray<
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted'> | null;
        is_enabled?: boolean;
        format?: 'standard' | 'slack' | 'ntfy';
      },
      options?: CallOptions,
    ): Promise<Webhook>;
    /** Delete a webhook of a board. */
    delete(path: { webhook_id: string }, options?: CallOptions): Promise<void>;
    /** Test a webhook of a board. */
    test(path: { webhook_id: string }, options?: CallOptions): Promise<WebhookDelivery>;
    /** Resume a webhook of a board. */
    resume(path: { webhook_id: string }, options?: CallOptions): Promise<Webhook>;
    /** Send events again. */
    replay(path: { webhook_id: string }, body: { since: number }, options?: CallOptions): Promise<Webhook>;
    /** Change the secret of a webhook of a board. */
    rotate(path: { webhook_id: string }, options?: CallOptions): Promise<NewWebhook>;
    /** List the last deliveries of a webhook of a board. */
    deliveries(path: { webhook_id: string }, options?: CallOptions): Promise<readonly WebhookDelivery[]>;
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
          | 'board.restored'
          | 'board.imported'
          | 'member.added'
          | 'member.removed'
          | 'member.role_changed'
          | 'webhook.created'
          | 'webhook.updated'
          | 'webhook.rotated'
          | 'webhook.resumed'
          | 'webhook.replayed'
          | 'webhook.deleted'
          | 'service.started';
      },
      options?: CallOptions,
    ): Promise<{
  readonly entries: ReadonlyArray<{
    readonly id: string;
    readonly at: string;
    /** What happened. Later versions may add kinds */
    readonly kind: string;
    /** Who did it; of a failed login, the account that was meant. Null for the operator and for anonymous clients */
    readonly user_id: string | null;
    /** At that time */
    readonly username: string | null;
    /** The user, board, session, key, invitation or webhook that it was done to */
    readonly subject_id: string | null;
    /** Its name at that time */
    readonly subject: string | null;
    /** Of the client */
    readonly address: string | null;
    /** What the client calls itself (`User-Agent`) */
    readonly device: string | null;
    /** `key_id`: the API key that the request came with; `more`: how many further entries of the kind were left out */
    readonly details: Readonly<Record<string, string | number | boolean>>;
  }>;
  /** For `before`; null on the last page */
  readonly next: string | null;
}>;
  };
  readonly adminWebhook: {
    /** List the webhooks over all boards. */
    list(options?: CallOptions): Promise<readonly Webhook[]>;
    /** Create a webhook over all boards. */
    create(
      body: {
        url: string;
        event_types?: ReadonlyArray<
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted'> | null;
        is_enabled?: boolean;
        format?: 'standard' | 'slack' | 'ntfy';
      },
      options?: CallOptions,
    ): Promise<NewWebhook>;
    /** Get a webhook over all boards. */
    get(path: { webhook_id: string }, options?: CallOptions): Promise<Webhook>;
    /** Change a webhook over all boards. */
    update(
      path: { webhook_id: string },
      body: {
        url?: string;
        event_types?: ReadonlyArray<
          | 'board.updated'
          | 'board.deleted'
          | 'board.member_added'
          | 'board.member_removed'
          | 'column.created'
          | 'column.updated'
          | 'column.deleted'
          | 'column.moved'
          | 'column.archived'
          | 'column.restored'
          | 'card.created'
          | 'card.updated'
          | 'card.deleted'
          | 'card.moved'
          | 'card.labeled'
          | 'card.unlabeled'
          | 'card.assigned'
          | 'card.unassigned'
          | 'card.archived'
          | 'card.restored'
          | 'label.created'
          | 'label.updated'
          | 'label.deleted'
          | 'checklist.created'
          | 'checklist.updated'
          | 'checklist.deleted'
          | 'checklist.moved'
          | 'checklist_item.created'
          | 'checklist_item.updated'
          | 'checklist_item.deleted'
          | 'checklist_item.moved'
          | 'checklist_item.assigned'
          | 'checklist_item.unassigned'
          | 'attachment.created'
          | 'attachment.deleted'
          | 'comment.created'
          | 'comment.updated'
          | 'comment.deleted'
          | 'rule.created'
          | 'rule.updated'
          | 'rule.deleted'> | null;
        is_enabled?: boolean;
        format?: 'standard' | 'slack' | 'ntfy';
      },
      options?: CallOptions,
    ): Promise<Webhook>;
    /** Delete a webhook over all boards. */
    delete(path: { webhook_id: string }, options?: CallOptions): Promise<void>;
    /** Test a webhook over all boards. */
    test(path: { webhook_id: string }, options?: CallOptions): Promise<WebhookDelivery>;
    /** Resume a webhook over all boards. */
    resume(path: { webhook_id: string }, options?: CallOptions): Promise<Webhook>;
    /** Send events again. */
    replay(path: { webhook_id: string }, body: { since: string }, options?: CallOptions): Promise<Webhook>;
    /** Change the secret of a webhook over all boards. */
    rotate(path: { webhook_id: string }, options?: CallOptions): Promise<NewWebhook>;
    /** List the last deliveries of a webhook over all boards. */
    deliveries(path: { webhook_id: string }, options?: CallOptions): Promise<readonly WebhookDelivery[]>;
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
  'auth.register': { method: 'POST', path: '/auth/register', input: 'json', isPublic: true },
  'auth.login': { method: 'POST', path: '/auth/login', input: 'form', isPublic: true },
  'auth.logout': { method: 'POST', path: '/auth/logout' },
  'auth.me': { path: '/auth/me' },
  'auth.updateMe': { method: 'PATCH', path: '/auth/me', input: 'json' },
  'auth.changePassword': { method: 'POST', path: '/auth/change-password', input: 'json' },
  'auth.setup': { method: 'POST', path: '/auth/setup', input: 'json', isPublic: true },
  'auth.changeEmail': { method: 'POST', path: '/auth/change-email', input: 'json' },
  'auth.changeUsername': { method: 'POST', path: '/auth/change-username', input: 'json' },
  'auth.forgotPassword': { method: 'POST', path: '/auth/forgot-password', input: 'json', isPublic: true },
  'auth.resetPassword': { method: 'POST', path: '/auth/reset-password', input: 'json', isPublic: true },
  'auth.requestVerification': { method: 'POST', path: '/auth/verify-email/request' },
  'auth.verifyEmail': { method: 'POST', path: '/auth/verify-email', input: 'json' },
  'auth.refresh': { method: 'POST', path: '/auth/refresh', input: 'json', isPublic: true },
  'auth.listSessions': { path: '/auth/sessions' },
  'auth.endOtherSessions': { method: 'DELETE', path: '/auth/sessions', answer: 'nothing' },
  'auth.endSession': { method: 'DELETE', path: '/auth/sessions/{session_id}', answer: 'nothing' },
  'auth.factors': { path: '/auth/factors' },
  'auth.beginTotp': { method: 'POST', path: '/auth/factors/totp', input: 'json' },
  'auth.removeTotp': { method: 'DELETE', path: '/auth/factors/totp', input: 'json', answer: 'nothing' },
  'auth.confirmTotp': { method: 'POST', path: '/auth/factors/totp/confirm', input: 'json' },
  'auth.renewRecoveryCodes': { method: 'POST', path: '/auth/factors/recovery-codes', input: 'json' },
  'auth.methods': { path: '/auth/methods', isPublic: true },
  'key.list': { path: '/auth/keys' },
  'key.create': { method: 'POST', path: '/auth/keys', input: 'json' },
  'key.revoke': { method: 'DELETE', path: '/auth/keys/{key_id}', answer: 'nothing' },
  'users.get': { path: '/users/{user_id}' },
  'users.search': { path: '/users', input: 'query' },
  'invitation.list': { path: '/invitations', input: 'query' },
  'invitation.create': { method: 'POST', path: '/invitations', input: 'json' },
  'invitation.preview': { method: 'POST', path: '/invitations/preview', input: 'json', isPublic: true },
  'invitation.revoke': { method: 'DELETE', path: '/invitations/{invitation_id}', answer: 'nothing' },
  'invitation.accept': { method: 'POST', path: '/invitations/accept', input: 'json' },
  'board.list': { path: '/boards', input: 'query' },
  'board.create': { method: 'POST', path: '/boards', input: 'json' },
  'board.get': { path: '/boards/{board_id}' },
  'board.update': { method: 'PATCH', path: '/boards/{board_id}', input: 'json' },
  'board.delete': { method: 'DELETE', path: '/boards/{board_id}', answer: 'nothing' },
  'board.star': { method: 'PUT', path: '/boards/{board_id}/star', answer: 'nothing' },
  'board.unstar': { method: 'DELETE', path: '/boards/{board_id}/star', answer: 'nothing' },
  'board.events': { path: '/boards/{board_id}/events', input: 'query' },
  'board.batch': { method: 'POST', path: '/boards/{board_id}/batch', input: 'json' },
  'board.export': { path: '/boards/{board_id}/export' },
  'board.import': { method: 'POST', path: '/boards/import', input: 'json' },
  'member.list': { path: '/boards/{board_id}/members' },
  'member.add': { method: 'POST', path: '/boards/{board_id}/invite', input: 'json' },
  'member.setRole': { method: 'PATCH', path: '/boards/{board_id}/members/{user_id}', input: 'json' },
  'member.remove': { method: 'DELETE', path: '/boards/{board_id}/members/{user_id}', answer: 'nothing' },
  'column.create': { method: 'POST', path: '/boards/{board_id}/columns', input: 'json' },
  'column.update': { method: 'PATCH', path: '/columns/{column_id}', input: 'json' },
  'column.delete': { method: 'DELETE', path: '/columns/{column_id}', answer: 'nothing' },
  'column.move': { method: 'POST', path: '/columns/{column_id}/move', input: 'json' },
  'card.create': { method: 'POST', path: '/boards/{board_id}/columns/{column_id}/cards', input: 'json' },
  'card.get': { path: '/cards/{card_id}' },
  'card.update': { method: 'PATCH', path: '/cards/{card_id}', input: 'json' },
  'card.delete': { method: 'DELETE', path: '/cards/{card_id}', answer: 'nothing' },
  'card.find': { path: '/boards/{board_id}/cards/{number}' },
  'card.move': { method: 'POST', path: '/cards/{card_id}/move', input: 'json' },
  'card.assign': { method: 'PUT', path: '/cards/{card_id}/assignees', input: 'json' },
  'card.unassign': { method: 'DELETE', path: '/cards/{card_id}/assignees/{user_id}', answer: 'nothing' },
  'card.addLabel': { method: 'POST', path: '/cards/{card_id}/labels/{label_id}' },
  'card.removeLabel': { method: 'DELETE', path: '/cards/{card_id}/labels/{label_id}', answer: 'nothing' },
  'label.list': { path: '/boards/{board_id}/labels' },
  'label.create': { method: 'POST', path: '/boards/{board_id}/labels', input: 'json' },
  'label.stats': { path: '/boards/{board_id}/labels/stats' },
  'label.update': { method: 'PATCH', path: '/labels/{label_id}', input: 'json' },
  'label.delete': { method: 'DELETE', path: '/labels/{label_id}', answer: 'nothing' },
  'checklist.create': { method: 'POST', path: '/cards/{card_id}/checklists', input: 'json' },
  'checklist.update': { method: 'PATCH', path: '/checklists/{checklist_id}', input: 'json' },
  'checklist.delete': { method: 'DELETE', path: '/checklists/{checklist_id}', answer: 'nothing' },
  'checklist.move': { method: 'POST', path: '/checklists/{checklist_id}/move', input: 'json' },
  'item.create': { method: 'POST', path: '/checklists/{checklist_id}/items', input: 'json' },
  'item.update': { method: 'PATCH', path: '/items/{item_id}', input: 'json' },
  'item.delete': { method: 'DELETE', path: '/items/{item_id}', answer: 'nothing' },
  'item.move': { method: 'POST', path: '/items/{item_id}/move', input: 'json' },
  'item.assign': { method: 'PUT', path: '/items/{item_id}/assignees', input: 'json' },
  'item.unassign': { method: 'DELETE', path: '/items/{item_id}/assignees/{user_id}', answer: 'nothing' },
  'attachment.create': { method: 'POST', path: '/cards/{card_id}/attachments', input: 'file' },
  'commentFile.create': { method: 'POST', path: '/comments/{comment_id}/attachments', input: 'file' },
  'attachment.get': { path: '/attachments/{attachment_id}', answer: 'bytes' },
  'attachment.delete': { method: 'DELETE', path: '/attachments/{attachment_id}', answer: 'nothing' },
  'card.copy': { method: 'POST', path: '/cards/{card_id}/copy', input: 'json' },
  'column.copy': { method: 'POST', path: '/columns/{column_id}/copy', input: 'json' },
  'board.copy': { method: 'POST', path: '/boards/{board_id}/copy', input: 'json' },
  'card.mine': { path: '/me/cards', input: 'query' },
  'notification.list': { path: '/me/notifications', input: 'query' },
  'notification.read': { method: 'POST', path: '/me/notifications/read', input: 'json' },
  'notification.settings': { path: '/me/notification-settings' },
  'notification.setSettings': { method: 'PUT', path: '/me/notification-settings', input: 'json' },
  'watch.getBoard': { path: '/boards/{board_id}/watch' },
  'watch.board': { method: 'PUT', path: '/boards/{board_id}/watch' },
  'watch.endBoard': { method: 'DELETE', path: '/boards/{board_id}/watch' },
  'watch.getColumn': { path: '/columns/{column_id}/watch' },
  'watch.column': { method: 'PUT', path: '/columns/{column_id}/watch' },
  'watch.endColumn': { method: 'DELETE', path: '/columns/{column_id}/watch' },
  'watch.getCard': { path: '/cards/{card_id}/watch' },
  'watch.card': { method: 'PUT', path: '/cards/{card_id}/watch' },
  'watch.endCard': { method: 'DELETE', path: '/cards/{card_id}/watch' },
  'watch.mine': { path: '/me/watching', input: 'query' },
  'comment.list': { path: '/cards/{card_id}/comments', input: 'query' },
  'comment.create': { method: 'POST', path: '/cards/{card_id}/comments', input: 'json' },
  'comment.update': { method: 'PATCH', path: '/comments/{comment_id}', input: 'json' },
  'comment.delete': { method: 'DELETE', path: '/comments/{comment_id}', answer: 'nothing' },
  'version.ofCard': { path: '/cards/{card_id}/versions', input: 'query' },
  'version.ofComment': { path: '/comments/{comment_id}/versions', input: 'query' },
  'version.restoreDescription': { method: 'POST', path: '/cards/{card_id}/versions/{number}/restore' },
  'version.restoreComment': { method: 'POST', path: '/comments/{comment_id}/versions/{number}/restore' },
  'version.deleteOfCard': { method: 'DELETE', path: '/cards/{card_id}/versions/{number}', answer: 'nothing' },
  'version.deleteOfComment': { method: 'DELETE', path: '/comments/{comment_id}/versions/{number}', answer: 'nothing' },
  'archive.list': { path: '/boards/{board_id}/archive', input: 'query' },
  'card.archive': { method: 'POST', path: '/cards/{card_id}/archive' },
  'card.restore': { method: 'POST', path: '/cards/{card_id}/restore', input: 'json' },
  'column.archive': { method: 'POST', path: '/columns/{column_id}/archive' },
  'column.restore': { method: 'POST', path: '/columns/{column_id}/restore', input: 'json' },
  'trash.list': { path: '/boards/{board_id}/trash', input: 'query' },
  'trash.restore': { method: 'POST', path: '/boards/{board_id}/trash/{entry_id}/restore', input: 'json' },
  'trash.delete': { method: 'DELETE', path: '/boards/{board_id}/trash/{entry_id}', answer: 'nothing' },
  'trash.mine': { path: '/me/trash', input: 'query' },
  'board.restore': { method: 'POST', path: '/boards/{board_id}/restore' },
  'activity.list': { path: '/boards/{board_id}/activity', input: 'query' },
  'activity.ofCard': { path: '/cards/{card_id}/activity', input: 'query' },
  'board.undo': { method: 'POST', path: '/boards/{board_id}/undo', input: 'json' },
  'rule.list': { path: '/boards/{board_id}/automations' },
  'rule.create': { method: 'POST', path: '/boards/{board_id}/automations', input: 'json' },
  'rule.update': { method: 'PATCH', path: '/automations/{rule_id}', input: 'json' },
  'rule.delete': { method: 'DELETE', path: '/automations/{rule_id}', answer: 'nothing' },
  'webhook.list': { path: '/boards/{board_id}/webhooks' },
  'webhook.create': { method: 'POST', path: '/boards/{board_id}/webhooks', input: 'json' },
  'webhook.get': { path: '/webhooks/{webhook_id}' },
  'webhook.update': { method: 'PATCH', path: '/webhooks/{webhook_id}', input: 'json' },
  'webhook.delete': { method: 'DELETE', path: '/webhooks/{webhook_id}', answer: 'nothing' },
  'webhook.test': { method: 'POST', path: '/webhooks/{webhook_id}/test' },
  'webhook.resume': { method: 'POST', path: '/webhooks/{webhook_id}/resume' },
  'webhook.replay': { method: 'POST', path: '/webhooks/{webhook_id}/replay', input: 'json' },
  'webhook.rotate': { method: 'POST', path: '/webhooks/{webhook_id}/rotate' },
  'webhook.deliveries': { path: '/webhooks/{webhook_id}/deliveries' },
  'presence.get': { path: '/ws/boards/{board_id}/presence' },
  'admin.cluster': { path: '/admin/cluster' },
  'admin.stats': { path: '/admin/stats' },
  'admin.listUsers': { path: '/admin/users', input: 'query' },
  'admin.activateUser': { method: 'POST', path: '/admin/users/{user_id}/activate' },
  'admin.deactivateUser': { method: 'POST', path: '/admin/users/{user_id}/deactivate' },
  'admin.promoteUser': { method: 'POST', path: '/admin/users/{user_id}/promote' },
  'admin.demoteUser': { method: 'POST', path: '/admin/users/{user_id}/demote' },
  'admin.deleteUser': { method: 'DELETE', path: '/admin/users/{user_id}', input: 'query', answer: 'nothing' },
  'adminWebhook.list': { path: '/admin/webhooks' },
  'adminWebhook.create': { method: 'POST', path: '/admin/webhooks', input: 'json' },
  'adminWebhook.get': { path: '/admin/webhooks/{webhook_id}' },
  'adminWebhook.update': { method: 'PATCH', path: '/admin/webhooks/{webhook_id}', input: 'json' },
  'adminWebhook.delete': { method: 'DELETE', path: '/admin/webhooks/{webhook_id}', answer: 'nothing' },
  'adminWebhook.test': { method: 'POST', path: '/admin/webhooks/{webhook_id}/test' },
  'adminWebhook.resume': { method: 'POST', path: '/admin/webhooks/{webhook_id}/resume' },
  'adminWebhook.replay': { method: 'POST', path: '/admin/webhooks/{webhook_id}/replay', input: 'json' },
  'adminWebhook.rotate': { method: 'POST', path: '/admin/webhooks/{webhook_id}/rotate' },
  'adminWebhook.deliveries': { path: '/admin/webhooks/{webhook_id}/deliveries' },
  'admin.audit': { path: '/admin/audit', input: 'query' },
  'health': { path: '/health', isPublic: true },
  'ready': { path: '/ready', isPublic: true },
  'metrics': { path: '/metrics', answer: 'bytes' },
  'openapi': { path: '/openapi.json', isPublic: true },
  'asyncapi': { path: '/asyncapi.json', isPublic: true },
} as const satisfies Readonly<Record<string, OperationRow>>;
