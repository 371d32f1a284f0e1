/** A board with one of everything that a path of the API can name, for generated requests. */
import { fileForm } from '../board/populatedBoard.js';
import { UnsubscribeTokens } from '../../../src/auth/unsubscribeTokens.js';
import type { TestApp } from '../service/app.js';
import { changeUser } from '../service/operator.js';
import { newKey } from './keys.js';
import type { KnownIds } from './schemaArbitrary.js';
import { logInPair, sessionsOf } from './sessions.js';
import { newUser, type TestUser } from './users.js';

export interface FuzzedBoard {
  readonly owner: TestUser;
  /** A superuser. */
  readonly root: TestUser;
  /** What the owner may name. */
  readonly ids: KnownIds;
  /** What differs for operations of superusers. */
  readonly adminIds: KnownIds;
  /** What differs for single operations. */
  readonly ownIds: Readonly<Record<string, KnownIds>>;
  /** The board as it is exported. */
  readonly document: unknown;
  /** The rule as the service answered it last. */
  readonly rule: object;
}

/** `receiver` gets the webhooks. */
export async function fillBoard({ api, config }: TestApp, receiver: string): Promise<FuzzedBoard> {
  const [owner, member, root, subject, stranger] = [
    await newUser(api),
    await newUser(api),
    await newUser(api),
    await newUser(api),
    await newUser(api),
  ];
  await changeUser(config.dataDir, root.id, { is_superuser: true });
  const request = async <Body>(what: string, json?: object, { token }: TestUser = owner): Promise<Body> => {
    const [method = '', path = ''] = what.split(' ');
    const { status, body } = await api.request<Body>(method, path, { token, ...(json === undefined ? {} : { json }) });
    if (status >= 300) throw new Error(`${what} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const create = async (path: string, json: object, user = owner): Promise<string> => (await request<{ id: string }>(`POST ${path}`, json, user)).id;

  const board_id = await create('/boards', { title: 'Plans' });
  await request(`POST /boards/${board_id}/invite`, { user_id: member.id });
  await request(`POST /boards/${board_id}/invite`, { user_id: root.id, role: 'owner' });
  const column_id = await create(`/boards/${board_id}/columns`, { title: 'To do' });
  const label_id = await create(`/boards/${board_id}/labels`, { name: 'urgent' });
  const card_id = await create(`/boards/${board_id}/columns/${column_id}/cards`, { title: 'Call Ann' });
  const checklist_id = await create(`/cards/${card_id}/checklists`, { title: 'Steps' });
  const item_id = await create(`/checklists/${checklist_id}/items`, { content: 'Find the number' });
  await request(`POST /cards/${card_id}/labels/${label_id}`);
  for (const path of [`/cards/${card_id}`, `/items/${item_id}`]) await request(`PUT ${path}/assignees`, { user_ids: [member.id] });
  const comment_id = await create(`/cards/${card_id}/comments`, { body: 'Which number?' });
  // Their first versions are kept.
  await request(`PATCH /cards/${card_id}`, { description: 'On Monday' });
  await request(`PATCH /comments/${comment_id}`, { body: 'Which of her numbers?' });
  const move = { name: 'Move', trigger_type: 'CARD_CREATED', action_type: 'MOVE_TO_COLUMN', action_column_id: column_id };
  const rule = await request<{ id: string }>(`POST /boards/${board_id}/automations`, move);
  const entry_id = await create(`/boards/${board_id}/labels`, { name: 'Deleted' });
  await request(`DELETE /labels/${entry_id}`);
  const webhook_id = await create(`/boards/${board_id}/webhooks`, { url: receiver });
  const file = { token: owner.token, body: fileForm('pixels', 'a.png', 'image/png') };
  const attachment_id = (await api.request<{ id: string }>('POST', `/cards/${card_id}/attachments`, file)).body.id;
  const invitation = await request<{ id: string; token: string }>('POST /invitations', { max_uses: 1_000, board_id }, root);

  const references = { trigger_column_id: column_id, action_column_id: column_id, trigger_label_id: label_id, action_user_id: member.id };
  const onBoard = { board_id, column_id, label_id, card_id, checklist_id, item_id, comment_id, attachment_id, webhook_id, entry_id };
  const ids = {
    ...onBoard,
    ...references,
    rule_id: rule.id,
    user_id: member.id,
    number: '1',
    invitation_id: invitation.id,
    token: invitation.token,
    invitation: invitation.token,
    base: '1',
    key_id: (await newKey(api, owner)).id,
    session_id: await otherSession(api, owner),
  };
  // There can be ten, which the requests before may have made.
  const hooks = await request<ReadonlyArray<{ id: string }>>('GET /admin/webhooks', undefined, root);
  for (const { id } of hooks) await request(`DELETE /admin/webhooks/${id}`, undefined, root);
  const adminIds = { user_id: subject.id, give_boards_to: owner.id, webhook_id: await create('/admin/webhooks', { url: receiver }, root) };
  const token = new UnsubscribeTokens(config.jwtSecret).issue(stranger.id, new Date());
  const ownIds = {
    'member.add': { user_id: stranger.id },
    'notification.unsubscribePage': { token },
    'notification.unsubscribe': { token },
  };
  return { owner, root, ids, adminIds, ownIds, document: await request(`GET /boards/${board_id}/export`), rule };
}

async function otherSession(api: TestApp['api'], owner: TestUser): Promise<string> {
  await logInPair(api, owner);
  const other = (await sessionsOf(api, owner.token)).find(({ current }) => !current);
  if (other === undefined) throw new Error('the user has no other session');
  return other.id;
}
