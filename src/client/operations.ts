/** Every operation of the service. Generated from the table of operations by `npm run openapi`; do not edit. */
import type { CallOptions, OperationRow, Upload } from './call.js';
import type {
  AccessToken,
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
  Invitation,
  Label,
  LabelUsage,
  Presence,
  PublicUser,
  Statistics,
} from './resources.js';

/**
 * First what the path names, then the body or the query, then options; each only where the operation has it. A refusal
 * is thrown as an `ApiError`.
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
      },
      options?: CallOptions,
    ): Promise<PublicUser>;
    /** Log in. */
    login(body: { username: string; password: string }, options?: CallOptions): Promise<AccessToken>;
    /** Log out. */
    logout(options?: CallOptions): Promise<Detail>;
    /** The caller. */
    me(options?: CallOptions): Promise<PublicUser>;
    /** Change the caller’s names. */
    updateMe(body: { firstname?: string | null; lastname?: string | null }, options?: CallOptions): Promise<PublicUser>;
    /** Change the caller’s password. */
    changePassword(body: { current_password: string; new_password: string }, options?: CallOptions): Promise<Detail>;
  };
  readonly users: {
    /** A user. */
    get(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Search users. */
    search(
      query?: { search?: string; limit?: number; offset?: number },
      options?: CallOptions,
    ): Promise<readonly PublicUser[]>;
  };
  readonly board: {
    /** The caller’s boards. */
    list(query?: { limit?: number; offset?: number }, options?: CallOptions): Promise<readonly BoardSummary[]>;
    /** Create a board. */
    create(body: { title: string; description?: string | null }, options?: CallOptions): Promise<Board>;
    /** A board with everything on it. */
    get(path: { board_id: string }, options?: CallOptions): Promise<FullBoard>;
    /** Change a board’s title or description. */
    update(
      path: { board_id: string },
      body: { title?: string; description?: string | null },
      options?: CallOptions,
    ): Promise<Board>;
    /** Delete a board and everything on it. */
    delete(path: { board_id: string }, options?: CallOptions): Promise<void>;
    /** What happened on a board. */
    events(path: { board_id: string }, query?: { since?: number | string }, options?: CallOptions): Promise<EventPage>;
    /** A board as one document. */
    export(path: { board_id: string }, options?: CallOptions): Promise<BoardDocument>;
    /** Make a board from a document. */
    import(
      body: BoardDocument | {
        name: string;
        lists: ReadonlyArray<Readonly<Record<string, unknown>>>;
        cards: ReadonlyArray<Readonly<Record<string, unknown>>>;
      },
      options?: CallOptions,
    ): Promise<ImportedBoard>;
  };
  readonly member: {
    /** The members of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly BoardMember[]>;
    /** Make a user a member. */
    add(path: { board_id: string }, body: { user_id: string }, options?: CallOptions): Promise<Invitation>;
    /** Change a member’s role. */
    setRole(
      path: { board_id: string; user_id: string },
      body: { role: 'owner' | 'member' },
      options?: CallOptions,
    ): Promise<BoardMember>;
    /** Remove a member, or leave a board. */
    remove(path: { board_id: string; user_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly column: {
    /** Add a column. */
    create(
      path: { board_id: string },
      body: {
        title: string;
        /** `#rgb`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour */
        color?: string;
        /** The place in the list as it will be afterwards, counted from 0; past the end means last */
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
    /** Move a column within its board. */
    move(path: { column_id: string }, body: { position: number }, options?: CallOptions): Promise<Column>;
  };
  readonly card: {
    /** Add a card. */
    create(
      path: { board_id: string; column_id: string },
      body: { title: string; description?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<Card>;
    /** A card. */
    get(path: { card_id: string }, options?: CallOptions): Promise<Card>;
    /** Change a card’s title or description. */
    update(
      path: { card_id: string },
      body: { title?: string; description?: string | null },
      options?: CallOptions,
    ): Promise<Card>;
    /** Delete a card. */
    delete(path: { card_id: string }, options?: CallOptions): Promise<void>;
    /** Move a card to another place or column. */
    move(
      path: { card_id: string },
      body: { column_id?: string | null; position?: number },
      options?: CallOptions,
    ): Promise<Card>;
    /** Assign members to a card. */
    assign(path: { card_id: string }, body: { user_ids: readonly string[] }, options?: CallOptions): Promise<Card>;
    /** Take a member off a card. */
    unassign(path: { card_id: string; user_id: string }, options?: CallOptions): Promise<void>;
    /** Put a label on a card. */
    addLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<Card>;
    /** Take a label off a card. */
    removeLabel(path: { card_id: string; label_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly label: {
    /** The labels of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly Label[]>;
    /** Create a label. */
    create(path: { board_id: string }, body: { name: string; color?: string }, options?: CallOptions): Promise<Label>;
    /** How many cards have each label. */
    stats(path: { board_id: string }, options?: CallOptions): Promise<readonly LabelUsage[]>;
    /** Change a label. */
    update(path: { label_id: string }, body: { name?: string; color?: string }, options?: CallOptions): Promise<Label>;
    /** Delete a label. */
    delete(path: { label_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly checklist: {
    /** Add a checklist to a card. */
    create(path: { card_id: string }, body: { title: string }, options?: CallOptions): Promise<Checklist>;
    /** Rename a checklist. */
    update(path: { checklist_id: string }, body: { title?: string }, options?: CallOptions): Promise<Checklist>;
    /** Delete a checklist and its items. */
    delete(path: { checklist_id: string }, options?: CallOptions): Promise<void>;
    /** Move a checklist within its card. */
    move(path: { checklist_id: string }, body: { position: number }, options?: CallOptions): Promise<Checklist>;
  };
  readonly item: {
    /** Add an item to a checklist. */
    create(path: { checklist_id: string }, body: { content: string }, options?: CallOptions): Promise<ChecklistItem>;
    /** Change an item, or tick it off. */
    update(
      path: { item_id: string },
      body: { content?: string; is_done?: boolean },
      options?: CallOptions,
    ): Promise<ChecklistItem>;
    /** Delete an item. */
    delete(path: { item_id: string }, options?: CallOptions): Promise<void>;
    /** Move an item to another place or checklist. */
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
    /** Take a member off an item. */
    unassign(path: { item_id: string; user_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly attachment: {
    /** Attach a file to a card. */
    create(path: { card_id: string }, file: Upload, options?: CallOptions): Promise<Attachment>;
    /** The content of a file. */
    get(path: { attachment_id: string }, options?: CallOptions): Promise<Blob>;
    /** Delete a file. */
    delete(path: { attachment_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly rule: {
    /** The rules of a board. */
    list(path: { board_id: string }, options?: CallOptions): Promise<readonly AutomationRule[]>;
    /** Create a rule. */
    create(
      path: { board_id: string },
      body: {
        name: string;
        /** Taken in any mixture of cases, and answered in capitals */
        trigger_type: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
        trigger_column_id?: string | null;
        trigger_label_id?: string | null;
        /** Taken in any mixture of cases, and answered in capitals */
        action_type: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
        action_column_id?: string | null;
        action_user_id?: string | null;
        is_enabled?: boolean;
      },
      options?: CallOptions,
    ): Promise<AutomationRule>;
    /** Change a rule. */
    update(
      path: { rule_id: string },
      body: {
        name?: string;
        /** Taken in any mixture of cases, and answered in capitals */
        trigger_type?: 'CARD_CREATED' | 'CARD_MOVED' | 'LABEL_ADDED';
        trigger_column_id?: string | null;
        trigger_label_id?: string | null;
        /** Taken in any mixture of cases, and answered in capitals */
        action_type?: 'MOVE_TO_COLUMN' | 'ASSIGN_MEMBER';
        action_column_id?: string | null;
        action_user_id?: string | null;
        is_enabled?: boolean;
      },
      options?: CallOptions,
    ): Promise<AutomationRule>;
    /** Delete a rule. */
    delete(path: { rule_id: string }, options?: CallOptions): Promise<void>;
  };
  readonly presence: {
    /** Who is connected to a board. */
    get(path: { board_id: string }, options?: CallOptions): Promise<Presence>;
  };
  readonly admin: {
    /** The instances of the service. */
    cluster(options?: CallOptions): Promise<ClusterOverview>;
    /** How much there is. */
    stats(options?: CallOptions): Promise<Statistics>;
    /** All users. */
    listUsers(
      query?: { search?: string; limit?: number; offset?: number },
      options?: CallOptions,
    ): Promise<readonly PublicUser[]>;
    /** Let a user log in again. */
    activateUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Lock a user out. */
    deactivateUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Make a user a superuser. */
    promoteUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
    /** Make a superuser a common user. */
    demoteUser(path: { user_id: string }, options?: CallOptions): Promise<PublicUser>;
  };
  /** Is the service well? */
  health(options?: CallOptions): Promise<Health>;
  /** Does it want requests? */
  ready(options?: CallOptions): Promise<Detail>;
  /** Measurements for Prometheus. */
  metrics(options?: CallOptions): Promise<Blob>;
  /** This document. */
  openapi(options?: CallOptions): Promise<{ readonly openapi: string }>;
  /** The WebSocket of a board, described. */
  asyncapi(options?: CallOptions): Promise<{ readonly asyncapi: string }>;
}

export const OPERATIONS = {
  'auth.register': { method: 'POST', path: '/auth/register', input: 'json', answer: 'json' },
  'auth.login': { method: 'POST', path: '/auth/login', input: 'form', answer: 'json' },
  'auth.logout': { method: 'POST', path: '/auth/logout', input: 'none', answer: 'json' },
  'auth.me': { method: 'GET', path: '/auth/me', input: 'none', answer: 'json' },
  'auth.updateMe': { method: 'PATCH', path: '/auth/me', input: 'json', answer: 'json' },
  'auth.changePassword': { method: 'POST', path: '/auth/change-password', input: 'json', answer: 'json' },
  'users.get': { method: 'GET', path: '/users/{user_id}', input: 'none', answer: 'json' },
  'users.search': { method: 'GET', path: '/users', input: 'query', answer: 'json' },
  'board.list': { method: 'GET', path: '/boards', input: 'query', answer: 'json' },
  'board.create': { method: 'POST', path: '/boards', input: 'json', answer: 'json' },
  'board.get': { method: 'GET', path: '/boards/{board_id}', input: 'none', answer: 'json' },
  'board.update': { method: 'PATCH', path: '/boards/{board_id}', input: 'json', answer: 'json' },
  'board.delete': { method: 'DELETE', path: '/boards/{board_id}', input: 'none', answer: 'nothing' },
  'board.events': { method: 'GET', path: '/boards/{board_id}/events', input: 'query', answer: 'json' },
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
  'health': { method: 'GET', path: '/health', input: 'none', answer: 'json' },
  'ready': { method: 'GET', path: '/ready', input: 'none', answer: 'json' },
  'metrics': { method: 'GET', path: '/metrics', input: 'none', answer: 'bytes' },
  'openapi': { method: 'GET', path: '/openapi.json', input: 'none', answer: 'json' },
  'asyncapi': { method: 'GET', path: '/asyncapi.json', input: 'none', answer: 'json' },
} as const satisfies Readonly<Record<string, OperationRow>>;
