/** Shapes of board command inputs from other instances. The board itself validates their meaning. */
import * as v from 'valibot';
import type { Caller, BoardCommand, BoardCommands, BoardOperation, RefusedInput } from '../domain/commands/commands.js';
import { ACTION_TYPES, ROLES, TRIGGER_TYPES } from '../domain/model.js';
import { quote, Refusal } from '../wire/refusal.js';
import {
  count,
  errorData,
  flag,
  historyPosition,
  nullableText,
  parseShape,
  publicUser,
  text,
  uuid,
  type Shape,
} from '../wire/shapes.js';

const nothing = v.object({}) as Shape<Record<string, never>>;
const nullableUuid = v.nullable(uuid);
const userIds = v.object({ user_ids: v.array(uuid) });
const oneUser = v.object({ user_id: uuid });
const oneLabel = v.object({ label_id: uuid });
const position = v.object({ position: count });
const title = v.object({ title: text });
const newTitle = v.object({ title: v.exactOptional(text) });

const ruleFields = {
  name: text,
  trigger_type: v.picklist(TRIGGER_TYPES),
  trigger_column_id: nullableUuid,
  trigger_label_id: nullableUuid,
  action_type: v.picklist(ACTION_TYPES),
  action_column_id: nullableUuid,
  action_user_id: nullableUuid,
  is_enabled: flag,
};

/** Never sent: an import travels as a plan, see `shardShapes.ts`. */
const notSent: Shape<never> = v.custom<never>(() => false);

export type InputShapes = { readonly [Op in BoardOperation]: Shape<BoardCommands[Op]> };

/** The type ensures that none is missing. */
export const INPUT_SHAPES: InputShapes = {
  'board.create': v.object({ title: text, description: nullableText, creator: publicUser }),
  'board.import': notSent,
  'board.export': nothing,
  'board.get': v.object({ known: v.exactOptional(v.array(text)) }),
  'board.summary': nothing,
  'board.events': v.object({ since: historyPosition }),
  'board.update': v.object({ title: v.exactOptional(text), description: v.exactOptional(nullableText) }),
  'board.delete': nothing,

  'member.list': nothing,
  'member.begin': nothing,
  'member.add': v.object({ user_id: uuid, user: v.nullable(publicUser) }),
  'member.remove': oneUser,
  'member.unassign': oneUser,
  'member.setRole': v.object({ user_id: uuid, role: v.picklist(ROLES) }),
  'member.refresh': v.object({ user: publicUser }),

  'column.create': v.object({ title: text, color: text, is_done_column: flag, position: v.nullable(count) }),
  'column.update': v.object({
    title: v.exactOptional(text),
    color: v.exactOptional(text),
    is_done_column: v.exactOptional(flag),
  }),
  'column.delete': nothing,
  'column.move': position,

  'card.create': v.object({ column_id: uuid, title: text, description: nullableText, position: v.nullable(count) }),
  'card.get': nothing,
  'card.update': v.object({ title: v.exactOptional(text), description: v.exactOptional(nullableText) }),
  'card.delete': nothing,
  'card.move': v.object({ column_id: nullableUuid, position: v.nullable(count) }),
  'card.assign': userIds,
  'card.unassign': oneUser,
  'card.addLabel': oneLabel,
  'card.removeLabel': oneLabel,

  'label.list': nothing,
  'label.stats': nothing,
  'label.create': v.object({ name: text, color: text }),
  'label.update': v.object({ name: v.exactOptional(text), color: v.exactOptional(text) }),
  'label.delete': nothing,

  'checklist.create': title,
  'checklist.update': newTitle,
  'checklist.delete': nothing,
  'checklist.move': position,

  'item.create': v.object({ content: text }),
  'item.update': v.object({ content: v.exactOptional(text), is_done: v.exactOptional(flag) }),
  'item.delete': nothing,
  'item.move': v.object({ checklist_id: nullableUuid, position: count }),
  'item.assign': userIds,
  'item.unassign': oneUser,

  'attachment.begin': nothing,
  'attachment.create': v.object({ id: uuid, name: text, mime_type: text, size: count }),
  'attachment.get': nothing,
  'attachment.delete': nothing,

  'rule.list': nothing,
  'rule.create': v.object(ruleFields),
  'rule.update': v.partial(v.object(ruleFields)) as Shape<BoardCommands['rule.update']>,
  'rule.delete': nothing,
};

const caller: Shape<Caller> = v.union([v.literal('system'), v.object({ user_id: uuid })]);
const refusedInput: Shape<RefusedInput> = v.object({ refused: errorData, path: v.record(text, uuid) });
const outline = v.object({ op: text, caller, target: uuid, input: v.looseObject({}) });

export function parseBoardCommand(value: unknown): BoardCommand {
  const { op, input, ...rest } = parseShape(outline, value, 'a board command');
  if (!isBoardOperation(op)) throw new Refusal('unsupported', `the board operation ${quote(op)} is not known here`);
  const shape: Shape<BoardCommand['input']> = 'refused' in input ? refusedInput : INPUT_SHAPES[op];
  return { ...rest, op, input: parseShape(shape, input, op) };
}

function isBoardOperation(op: string): op is BoardOperation {
  return Object.hasOwn(INPUT_SHAPES, op);
}
