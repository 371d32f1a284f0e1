/** Shapes of board command inputs from other instances. The board itself validates their meaning. */
import * as v from 'valibot';
import type { Caller, BoardCommand, BoardCommands, BoardOperation, RefusedInput } from '../../domain/commands/commands.js';
import type { Idempotency } from '../../domain/idempotency.js';
import { ACTION_TYPES, ROLES, TRIGGER_TYPES, type Editable } from '../../domain/model.js';
import { quote, Refusal } from '../../wire/refusal.js';
import { fingerprint, idempotencyKey } from './keyShapes.js';
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
  type WholeShape,
} from '../../wire/shapes.js';

const nothing = v.object({}) as WholeShape<Record<string, never>>;
const nullableUuid = v.nullable(uuid);
const userIds = v.object({ user_ids: v.array(uuid) });
const oneUser = v.object({ user_id: uuid });
const oneLabel = v.object({ label_id: uuid });
const position = v.object({ position: count });

type ShapesOf<T> = { readonly [Field in keyof T]-?: Shape<T[Field]> };

/** The fields that creations and updates share. A new one is asked for by the type of its creation. */
const boardFields = { title: text, description: nullableText };
const columnFields = { title: text, color: text, is_done_column: flag };
const cardFields = { title: text, description: nullableText };
const labelFields = { name: text, color: text };
const checklistFields = { title: text };
const itemFields = { content: text };
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

/** Any of the fields. */
function changesOf<T>(fields: ShapesOf<T>): WholeShape<Partial<T>> {
  const optional = Object.entries<Shape<unknown>>(fields).map(([name, shape]) => [name, v.exactOptional(shape)]);
  // The entries came out of the fields of T.
  return v.object(Object.fromEntries(optional) as v.ObjectEntries) as unknown as WholeShape<Partial<T>>;
}

/** Never sent: an import travels as a plan, see `shardShapes.ts`. */
const notSent: Shape<never> = v.custom<never>(() => false);

export type InputShapes = {
  readonly [Op in BoardOperation]: Op extends 'board.import' ? Shape<never> : WholeShape<BoardCommands[Op]>;
};

/** The type ensures that none is missing. */
export const INPUT_SHAPES: InputShapes = {
  'board.create': v.object({ ...boardFields, creator: publicUser }),
  'board.import': notSent,
  'board.export': nothing,
  'board.get': v.object({ known: v.exactOptional(v.array(text)) }),
  'board.summary': nothing,
  'board.events': v.object({ since: historyPosition }),
  'board.update': changesOf<Editable<'board'>>(boardFields),
  'board.delete': nothing,

  'member.list': nothing,
  'member.begin': nothing,
  'member.add': v.object({ user_id: uuid, user: v.nullable(publicUser) }),
  'member.remove': oneUser,
  'member.unassign': oneUser,
  'member.setRole': v.object({ user_id: uuid, role: v.picklist(ROLES) }),
  'member.refresh': v.object({ user: publicUser }),
  'member.erase': v.object({ user_id: uuid, heir: v.nullable(publicUser) }),

  'column.create': v.object({ ...columnFields, position: v.nullable(count) }),
  'column.update': changesOf<Editable<'column'>>(columnFields),
  'column.delete': nothing,
  'column.move': position,

  'card.create': v.object({ ...cardFields, column_id: uuid, position: v.nullable(count) }),
  'card.get': nothing,
  'card.update': changesOf<Editable<'card'>>(cardFields),
  'card.delete': nothing,
  'card.move': v.object({ column_id: nullableUuid, position: v.nullable(count) }),
  'card.assign': userIds,
  'card.unassign': oneUser,
  'card.addLabel': oneLabel,
  'card.removeLabel': oneLabel,

  'label.list': nothing,
  'label.stats': nothing,
  'label.create': v.object(labelFields),
  'label.update': changesOf<Editable<'label'>>(labelFields),
  'label.delete': nothing,

  'checklist.create': v.object(checklistFields),
  'checklist.update': changesOf<Editable<'checklist'>>(checklistFields),
  'checklist.delete': nothing,
  'checklist.move': position,

  'item.create': v.object(itemFields),
  'item.update': changesOf<Editable<'item'>>({ ...itemFields, is_done: flag }),
  'item.delete': nothing,
  'item.move': v.object({ checklist_id: nullableUuid, position: count }),
  'item.assign': userIds,
  'item.unassign': oneUser,

  'attachment.begin': nothing,
  'attachment.create': v.object({ id: uuid, name: text, mime_type: text, size: count, digest: v.optional(v.nullable(text)) }),
  'attachment.get': nothing,
  'attachment.delete': nothing,

  'rule.list': nothing,
  'rule.create': v.object(ruleFields),
  'rule.update': changesOf<Editable<'rule'>>(ruleFields),
  'rule.delete': nothing,
};

const caller: Shape<Caller> = v.union([v.literal('system'), v.object({ user_id: uuid })]);
const refusedInput: Shape<RefusedInput> = v.object({ refused: errorData, path: v.record(text, uuid) });
const outline = v.object({ op: text, caller, target: uuid, input: v.looseObject({}) });

const idempotency: WholeShape<Idempotency> = v.object({ key: idempotencyKey, fingerprint: v.nullable(fingerprint) });
const keyed = v.looseObject({ idempotency });

/** A board command with an idempotency key. */
export function parseKeyedCommand(value: unknown): BoardCommand {
  return { ...parseBoardCommand(value), idempotency: parseShape(keyed, value, 'a keyed command').idempotency };
}

export function parseBoardCommand(value: unknown): BoardCommand {
  const { op, input, ...rest } = parseShape(outline, value, 'a board command');
  if (!isBoardOperation(op)) throw new Refusal('unsupported', `the board operation ${quote(op)} is not known here`);
  const shape: Shape<BoardCommand['input']> = 'refused' in input ? refusedInput : INPUT_SHAPES[op];
  return { ...rest, op, input: parseShape(shape, input, op) };
}

function isBoardOperation(op: string): op is BoardOperation {
  return Object.hasOwn(INPUT_SHAPES, op);
}
