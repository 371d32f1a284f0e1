/** A board with one of everything, created through the API. */
import { ScenarioBoard } from './boardScenario.js';
import type { AttachmentJson, CardJson, ChecklistJson, ColumnJson, CommentJson, ItemJson, LabelJson, RuleJson } from './boardSnapshot.js';
import type { World } from './boardWorld.js';

export interface PopulatedBoard {
  readonly board: ScenarioBoard;
  /** The first column, with all cards. */
  readonly todo: ColumnJson;
  readonly done: ColumnJson;
  /** Labelled, assigned to the helper, with checklist and attachment. */
  readonly card: CardJson;
  readonly plainCard: CardJson;
  /** On the card. */
  readonly label: LabelJson;
  readonly unusedLabel: LabelJson;
  readonly checklist: ChecklistJson;
  readonly otherChecklist: ChecklistJson;
  /** The first in the checklist, assigned to the helper. */
  readonly item: ItemJson;
  readonly lastItem: ItemJson;
  readonly attachment: AttachmentJson;
  /** On the card, by the member. */
  readonly comment: CommentJson;
  /** Disabled, so that it runs only in scenarios that enable it. */
  readonly rule: RuleJson;
  /** Both in the archive, from the first column and from the board. */
  readonly archivedCard: CardJson;
  readonly deletedLabel: LabelJson;
  readonly archivedColumn: ColumnJson;
}

export const FILE_CONTENT = 'What the file says.';

export async function populate(world: World): Promise<PopulatedBoard> {
  const { owner, helper } = world;
  const board = await ScenarioBoard.create(world);
  const add = <Body>(path: string, json: object): Promise<Body> => board.do<Body>(owner, `POST ${path}`, json);
  const ofBoard = `/boards/${board.id}`;

  const todo = await add<ColumnJson>(`${ofBoard}/columns`, { title: 'To do' });
  const done = await add<ColumnJson>(`${ofBoard}/columns`, { title: 'Done', is_done_column: true });
  const label = await add<LabelJson>(`${ofBoard}/labels`, { name: 'urgent', color: 'red' });
  const unusedLabel = await add<LabelJson>(`${ofBoard}/labels`, { name: 'later', color: '#00f' });
  const created = await add<CardJson>(`${ofBoard}/columns/${todo.id}/cards`, { title: 'Full', description: 'of thnigs' });
  const card = await board.do<CardJson>(owner, `PATCH /cards/${created.id}`, { description: 'of things' });
  const plainCard = await add<CardJson>(`${ofBoard}/columns/${todo.id}/cards`, { title: 'Plain' });
  await add(`/cards/${card.id}/labels/${label.id}`, {});
  await board.do(owner, `PUT /cards/${card.id}/assignees`, { user_ids: [helper.id] });
  const checklist = await add<ChecklistJson>(`/cards/${card.id}/checklists`, { title: 'Steps' });
  const otherChecklist = await add<ChecklistJson>(`/cards/${card.id}/checklists`, { title: 'More steps' });
  const item = await add<ItemJson>(`/checklists/${checklist.id}/items`, { content: 'First' });
  const lastItem = await add<ItemJson>(`/checklists/${checklist.id}/items`, { content: 'Second' });
  await board.do(owner, `PUT /items/${item.id}/assignees`, { user_ids: [helper.id] });
  const attachment = await attach(board, card.id);
  const remark = await board.do<CommentJson>(world.member, `POST /cards/${card.id}/comments`, { body: 'Remrak' });
  const comment = await board.do<CommentJson>(world.member, `PATCH /comments/${remark.id}`, { body: 'Remark' });
  const rule = await add<RuleJson>(`${ofBoard}/automations`, {
    name: 'When done',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done.id,
    action_type: 'ASSIGN_MEMBER',
    action_user_id: helper.id,
    is_enabled: false,
  });
  const archivedCard = await add<CardJson>(`${ofBoard}/columns/${todo.id}/cards`, { title: 'Archived' });
  const archivedColumn = await add<ColumnJson>(`${ofBoard}/columns`, { title: 'Archived' });
  await add(`/cards/${archivedCard.id}/archive`, {});
  const deletedLabel = await add<LabelJson>(`${ofBoard}/labels`, { name: 'Deleted', color: 'red' });
  await board.do(owner, `DELETE /labels/${deletedLabel.id}`);
  await add(`/columns/${archivedColumn.id}/archive`, {});
  const onCard = { label, checklist, otherChecklist, item, lastItem, attachment, comment };
  return { board, todo, done, card, plainCard, unusedLabel, rule, archivedCard, archivedColumn, deletedLabel, ...onCard };
}

export function fileForm(content: string | Uint8Array<ArrayBuffer> = FILE_CONTENT, name = 'notes.txt', type = 'text/plain'): FormData {
  const form = new FormData();
  form.append('file', new Blob([content], { type }), name);
  return form;
}

async function attach({ world }: ScenarioBoard, cardId: string): Promise<AttachmentJson> {
  const request = { token: world.owner.token, body: fileForm() };
  const { status, body } = await world.api.request<AttachmentJson>('POST', `/cards/${cardId}/attachments`, request);
  if (status !== 201) throw new Error(`the upload answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
