/** Every endpoint that leads to a board, with a request that succeeds on a populated board. */
import type { Only } from '../../../src/domain/commands/handler.js';
import type { Role } from '../../../src/domain/model.js';
import type { PopulatedBoard } from './populatedBoard.js';

type Access = Role | 'self_or_owner';

export interface Endpoint {
  readonly request: string;
  /** The lowest with which it succeeds. */
  readonly role: Access;
  readonly status: 200 | 201 | 204;
  /** The values of the path's parameters, in order: the first leads to the board. */
  readonly ids: (populated: PopulatedBoard) => readonly string[];
  /** A body with which it succeeds; absent where it takes none. */
  readonly json?: (populated: PopulatedBoard) => object;
  readonly file?: true;
  /** Of those with the role. The author is the world's member. */
  readonly only?: Only;
  /** It changes nothing that the board shows, so its answer has no position and is not kept. */
  readonly isAside?: true;
}

const ofBoard = ({ board }: PopulatedBoard): string[] => [board.id];
const ofColumn = ({ todo }: PopulatedBoard): string[] => [todo.id];
const ofCard = ({ card }: PopulatedBoard): string[] => [card.id];
const ofLabel = ({ label }: PopulatedBoard): string[] => [label.id];
const ofChecklist = ({ checklist }: PopulatedBoard): string[] => [checklist.id];
const ofItem = ({ item }: PopulatedBoard): string[] => [item.id];
const ofAttachment = ({ attachment }: PopulatedBoard): string[] => [attachment.id];
const ofComment = ({ comment }: PopulatedBoard): string[] => [comment.id];
const ofVersion = ({ card }: PopulatedBoard): string[] => [card.id, '1'];
const ofRemark = ({ comment }: PopulatedBoard): string[] => [comment.id, '1'];
const ofRule = ({ rule }: PopulatedBoard): string[] => [rule.id];
const ofTrash = ({ board, deletedLabel }: PopulatedBoard): string[] => [board.id, deletedLabel.id];
const ofBoardAndHelper = ({ board }: PopulatedBoard): string[] => [board.id, board.world.helper.id];
const helperIds = ({ board }: PopulatedBoard): object => ({ user_ids: [board.world.helper.id] });

/** Every endpoint that leads to a board. */
export const ENDPOINTS: readonly Endpoint[] = [
  { request: 'GET /boards/{board_id}/cards/{number}', role: 'viewer', status: 200, ids: ({ board, card }) => [board.id, String(card.number)] },
  { request: 'GET /boards/{board_id}', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'PATCH /boards/{board_id}', role: 'owner', status: 200, ids: ofBoard, json: () => ({ title: 'New' }) },
  { request: 'DELETE /boards/{board_id}', role: 'owner', status: 204, ids: ofBoard },
  {
    request: 'POST /boards/{board_id}/batch',
    // With what a commenter may do.
    role: 'commenter',
    status: 200,
    ids: ofBoard,
    json: ({ card }) => ({ operations: [{ method: 'POST', path: `/cards/${card.id}/comments`, body: { body: 'New' } }] }),
  },
  { request: 'PUT /boards/{board_id}/star', role: 'viewer', status: 204, ids: ofBoard, isAside: true },
  { request: 'DELETE /boards/{board_id}/star', role: 'viewer', status: 204, ids: ofBoard, isAside: true },
  ...(
    [
      ['boards/{board_id}', ofBoard],
      ['columns/{column_id}', ofColumn],
      ['cards/{card_id}', ofCard],
    ] as const
  ).flatMap(([path, ids]): Endpoint[] => [
    { request: `GET /${path}/watch`, role: 'viewer', status: 200, ids },
    { request: `PUT /${path}/watch`, role: 'viewer', status: 200, ids, isAside: true },
    { request: `DELETE /${path}/watch`, role: 'viewer', status: 200, ids, isAside: true },
  ]),
  { request: 'GET /boards/{board_id}/events', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'GET /boards/{board_id}/export', role: 'viewer', status: 200, ids: ofBoard },
  {
    request: 'POST /boards/{board_id}/invite',
    role: 'owner',
    status: 200,
    ids: ofBoard,
    json: ({ board }) => ({ user_id: board.world.stranger.id }),
  },
  { request: 'GET /boards/{board_id}/members', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'DELETE /boards/{board_id}/members/{user_id}', role: 'self_or_owner', status: 204, ids: ofBoardAndHelper },
  {
    request: 'PATCH /boards/{board_id}/members/{user_id}',
    role: 'owner',
    status: 200,
    ids: ofBoardAndHelper,
    json: () => ({ role: 'owner' }),
  },
  { request: 'GET /boards/{board_id}/archive', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'POST /cards/{card_id}/archive', role: 'member', status: 200, ids: ofCard },
  { request: 'POST /cards/{card_id}/restore', role: 'member', status: 200, ids: ({ archivedCard }) => [archivedCard.id], json: () => ({}) },
  { request: 'POST /columns/{column_id}/archive', role: 'member', status: 200, ids: ofColumn },
  { request: 'POST /columns/{column_id}/restore', role: 'member', status: 200, ids: ({ archivedColumn }) => [archivedColumn.id], json: () => ({}) },
  { request: 'POST /cards/{card_id}/copy', role: 'member', status: 201, ids: ofCard, json: () => ({ attachments: true }) },
  { request: 'POST /columns/{column_id}/copy', role: 'member', status: 201, ids: ofColumn, json: () => ({}) },
  { request: 'POST /boards/{board_id}/copy', role: 'viewer', status: 201, ids: ofBoard, json: () => ({ title: 'Copy' }), isAside: true },
  { request: 'GET /boards/{board_id}/trash', role: 'member', status: 200, ids: ofBoard },
  { request: 'POST /boards/{board_id}/trash/{entry_id}/restore', role: 'member', status: 200, ids: ofTrash, json: () => ({}) },
  { request: 'DELETE /boards/{board_id}/trash/{entry_id}', role: 'owner', status: 204, ids: ofTrash },
  { request: 'POST /boards/{board_id}/restore', role: 'owner', status: 200, ids: ofBoard, isAside: true },
  { request: 'GET /boards/{board_id}/labels', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'GET /boards/{board_id}/labels/stats', role: 'viewer', status: 200, ids: ofBoard },
  {
    request: 'POST /boards/{board_id}/labels',
    role: 'member',
    status: 201,
    ids: ofBoard,
    json: () => ({ name: 'New' }),
  },
  { request: 'PATCH /labels/{label_id}', role: 'member', status: 200, ids: ofLabel, json: () => ({ name: 'New' }) },
  { request: 'DELETE /labels/{label_id}', role: 'member', status: 204, ids: ofLabel },

  {
    request: 'POST /boards/{board_id}/columns',
    role: 'member',
    status: 201,
    ids: ofBoard,
    json: () => ({ title: 'New' }),
  },
  { request: 'PATCH /columns/{column_id}', role: 'member', status: 200, ids: ofColumn, json: () => ({ title: 'New' }) },
  { request: 'DELETE /columns/{column_id}', role: 'member', status: 204, ids: ofColumn },
  {
    request: 'POST /columns/{column_id}/move',
    role: 'member',
    status: 200,
    ids: ofColumn,
    json: () => ({ position: 1 }),
  },

  {
    request: 'POST /boards/{board_id}/columns/{column_id}/cards',
    role: 'member',
    status: 201,
    ids: ({ board, todo }) => [board.id, todo.id],
    json: () => ({ title: 'New' }),
  },
  { request: 'GET /cards/{card_id}', role: 'viewer', status: 200, ids: ofCard },
  { request: 'PATCH /cards/{card_id}', role: 'member', status: 200, ids: ofCard, json: () => ({ title: 'New' }) },
  { request: 'DELETE /cards/{card_id}', role: 'member', status: 204, ids: ofCard },
  { request: 'POST /cards/{card_id}/move', role: 'member', status: 200, ids: ofCard, json: () => ({ position: 1 }) },
  { request: 'PUT /cards/{card_id}/assignees', role: 'member', status: 200, ids: ofCard, json: helperIds },
  {
    request: 'DELETE /cards/{card_id}/assignees/{user_id}',
    role: 'member',
    status: 204,
    ids: ({ board, card }) => [card.id, board.world.helper.id],
  },
  {
    request: 'POST /cards/{card_id}/labels/{label_id}',
    role: 'member',
    status: 200,
    ids: ({ card, unusedLabel }) => [card.id, unusedLabel.id],
  },
  {
    request: 'DELETE /cards/{card_id}/labels/{label_id}',
    role: 'member',
    status: 204,
    ids: ({ card, label }) => [card.id, label.id],
  },

  {
    request: 'POST /cards/{card_id}/checklists',
    role: 'member',
    status: 201,
    ids: ofCard,
    json: () => ({ title: 'New' }),
  },
  {
    request: 'PATCH /checklists/{checklist_id}',
    role: 'member',
    status: 200,
    ids: ofChecklist,
    json: () => ({ title: 'New' }),
  },
  { request: 'DELETE /checklists/{checklist_id}', role: 'member', status: 204, ids: ofChecklist },
  {
    request: 'POST /checklists/{checklist_id}/move',
    role: 'member',
    status: 200,
    ids: ofChecklist,
    json: () => ({ position: 1 }),
  },
  {
    request: 'POST /checklists/{checklist_id}/items',
    role: 'member',
    status: 201,
    ids: ofChecklist,
    json: () => ({ content: 'New' }),
  },
  { request: 'PATCH /items/{item_id}', role: 'member', status: 200, ids: ofItem, json: () => ({ is_done: true }) },
  { request: 'DELETE /items/{item_id}', role: 'member', status: 204, ids: ofItem },
  { request: 'POST /items/{item_id}/move', role: 'member', status: 200, ids: ofItem, json: () => ({ position: 1 }) },
  { request: 'PUT /items/{item_id}/assignees', role: 'member', status: 200, ids: ofItem, json: helperIds },
  {
    request: 'DELETE /items/{item_id}/assignees/{user_id}',
    role: 'member',
    status: 204,
    ids: ({ board, item }) => [item.id, board.world.helper.id],
  },

  { request: 'POST /cards/{card_id}/attachments', role: 'member', status: 201, ids: ofCard, file: true },
  { request: 'POST /comments/{comment_id}/attachments', role: 'commenter', only: 'author', status: 201, ids: ofComment, file: true },
  { request: 'GET /attachments/{attachment_id}', role: 'viewer', status: 200, ids: ofAttachment },
  {
    request: 'DELETE /attachments/{attachment_id}',
    role: 'commenter',
    // That of a card.
    only: 'member, or author of its comment or owner',
    status: 204,
    ids: ofAttachment,
  },
  { request: 'GET /cards/{card_id}/comments', role: 'viewer', status: 200, ids: ofCard },
  { request: 'GET /boards/{board_id}/activity', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'POST /boards/{board_id}/undo', role: 'commenter', status: 200, ids: ofBoard, json: () => ({}) },
  { request: 'GET /cards/{card_id}/activity', role: 'viewer', status: 200, ids: ofCard },
  { request: 'POST /cards/{card_id}/comments', role: 'commenter', status: 201, ids: ofCard, json: () => ({ body: 'New' }) },
  { request: 'PATCH /comments/{comment_id}', role: 'commenter', only: 'author', status: 200, ids: ofComment, json: () => ({ body: 'New' }) },
  { request: 'DELETE /comments/{comment_id}', role: 'commenter', only: 'author or owner', status: 204, ids: ofComment },
  { request: 'GET /cards/{card_id}/versions', role: 'member', status: 200, ids: ofCard },
  { request: 'GET /comments/{comment_id}/versions', role: 'commenter', only: 'author or owner', status: 200, ids: ofComment },
  { request: 'POST /cards/{card_id}/versions/{number}/restore', role: 'member', status: 200, ids: ofVersion },
  { request: 'POST /comments/{comment_id}/versions/{number}/restore', role: 'commenter', only: 'author', status: 200, ids: ofRemark },
  { request: 'DELETE /cards/{card_id}/versions/{number}', role: 'owner', status: 204, ids: ofVersion },
  { request: 'DELETE /comments/{comment_id}/versions/{number}', role: 'owner', status: 204, ids: ofRemark },

  {
    request: 'POST /boards/{board_id}/automations',
    role: 'owner',
    status: 201,
    ids: ofBoard,
    json: ({ todo }) => ({
      name: 'New',
      trigger_type: 'CARD_CREATED',
      action_type: 'MOVE_TO_COLUMN',
      action_column_id: todo.id,
    }),
  },
  { request: 'GET /boards/{board_id}/automations', role: 'viewer', status: 200, ids: ofBoard },
  { request: 'PATCH /automations/{rule_id}', role: 'owner', status: 200, ids: ofRule, json: () => ({ name: 'New' }) },
  { request: 'DELETE /automations/{rule_id}', role: 'owner', status: 204, ids: ofRule },

  {
    request: 'POST /boards/{board_id}/webhooks',
    role: 'owner',
    status: 201,
    ids: ofBoard,
    json: () => ({ url: 'https://example.org/hook', is_enabled: false }),
    isAside: true,
  },
  { request: 'GET /boards/{board_id}/webhooks', role: 'owner', status: 200, ids: ofBoard },
];

/** The request with its parameters. */
export function fill(request: string, ids: readonly string[]): string {
  let next = 0;
  return request.replace(/\{\w+\}/g, () => ids[next++] ?? '');
}
