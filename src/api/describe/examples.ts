/** Examples with real values, made from a schema: a field gets the value that its name suggests, if its schema allows it. */

export interface ExampleSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: ExampleSchema;
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly ExampleSchema[];
  readonly oneOf?: readonly ExampleSchema[];
}

export type Definitions = Readonly<Record<string, ExampleSchema>>;

const BOARD = '7d3f0c52-9a1e-4b6d-8f27-51c0e9a4b3d8';
const TIME = '2030-01-15T09:30:00.000Z';
/** Ids of one board begin with the same twelve digits. */
const onBoard = (digit: string): string => `${BOARD.slice(0, 14)}4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
const USER = '2b9a6f4e-0c8d-4e57-9b13-6a7f5d20c1e4';

const VALUES: Readonly<Record<string, unknown>> = {
  board_id: BOARD,
  board_ids: [BOARD],
  column_id: onBoard('c'),
  trigger_column_id: onBoard('c'),
  action_column_id: onBoard('d'),
  card_id: onBoard('a'),
  label_id: onBoard('b'),
  trigger_label_id: onBoard('b'),
  checklist_id: onBoard('e'),
  user_id: USER,
  user_ids: [USER],
  action_user_id: USER,
  created_by: USER,
  updated_by: USER,
  email: 'ann@example.org',
  username: 'ann',
  firstname: 'Ann',
  lastname: 'Archer',
  password: 'correct horse battery staple',
  current_password: 'correct horse battery staple',
  new_password: 'another horse and its staple',
  title: 'Call the printer',
  name: 'urgent',
  description: 'Ask for **two** proofs before Friday.',
  content: 'Find the number',
  body: 'The printer wants **two** days more.',
  author_name: 'ann',
  color: '#dc2626',
  rank: 65536,
  position: 0,
  seq: 42,
  epoch: 'k3v9x2',
  size: 18_204,
  mime_type: 'application/pdf',
  role: 'member',
  is_done: false,
  is_enabled: true,
  is_done_column: false,
  is_active: true,
  is_verified: true,
  is_superuser: false,
  url: 'https://example.org/hooks/boards',
  detail: 'title: must be 1 to 255 characters',
  access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…',
  prefix: 'swb_3kTq',
  scopes: ['read'],
  trigger_type: 'CARD_MOVED',
  action_type: 'MOVE_TO_COLUMN',
};

/** Fields whose value depends on what they belong to. */
const OWN_VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  board: { id: BOARD, title: 'Spring catalogue' },
  column: { id: onBoard('c'), title: 'To do' },
  card: { id: onBoard('a') },
  label: { id: onBoard('b') },
  checklist: { id: onBoard('e'), title: 'Before it goes out' },
  item: { id: onBoard('f') },
  attachment: { id: onBoard('9'), name: 'proof.pdf' },
  comment: { id: onBoard('6') },
  rule: { id: onBoard('8'), name: 'Printed is done' },
  user: { id: USER },
  webhook: { id: onBoard('7'), board_id: BOARD, url: 'https://example.org/hooks/boards' },
  key: { id: '5e0d1c9b-3f4a-4c2e-a8d7-90b1f6e2c375', name: 'nightly export' },
};

/** What the name of a schema or field stands for. */
const OWNERS: ReadonlyArray<readonly [pattern: RegExp, owner: string]> = [
  [/webhook/i, 'webhook'],
  [/item/i, 'item'],
  [/user|assignee|author|mention/i, 'user'],
  [/comment/i, 'comment'],
  [/checklist/i, 'checklist'],
  [/attachment/i, 'attachment'],
  [/label/i, 'label'],
  [/card/i, 'card'],
  [/column/i, 'column'],
  [/rule/i, 'rule'],
  [/key/i, 'key'],
  [/board/i, 'board'],
];

/** How deep lists are filled; deeper ones are empty. */
const MAX_DEPTH = 6;

/** `name`: of the field, or of the schema itself; `find` returns the schema that a reference names. */
export function exampleOf(schema: ExampleSchema, find: (reference: string) => ExampleSchema, name = '', depth = 0, owner = ''): unknown {
  if (schema.$ref !== undefined) return exampleOf(find(schema.$ref), find, nameIn(schema.$ref), depth, owner);
  if (schema.const !== undefined) return schema.const;
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined && schema.type === undefined) {
    const [first = {}] = forms.filter(({ type }) => type !== 'null');
    return exampleOf(first, find, name, depth, owner);
  }
  const suggested = OWN_VALUES[owner]?.[name] ?? VALUES[name];
  if (schema.enum !== undefined) return schema.enum.includes(suggested) ? suggested : schema.enum[0];
  switch (schema.type) {
    case 'object':
      return objectOf(schema, find, depth, ownerOf(name));
    case 'array':
      if (Array.isArray(suggested)) return suggested;
      return depth >= MAX_DEPTH || schema.items === undefined ? [] : [exampleOf(schema.items, find, singular(name), depth + 1)];
    case 'string':
      return textOf(schema, name, suggested);
    case 'integer':
    case 'number':
      return typeof suggested === 'number' ? suggested : (schema.default ?? schema.minimum ?? 1);
    case 'boolean':
      return typeof suggested === 'boolean' ? suggested : (schema.default ?? true);
    case 'null':
      return null;
    default:
      return schema.default ?? {};
  }
}

function objectOf({ properties = {} }: ExampleSchema, find: (reference: string) => ExampleSchema, depth: number, owner: string): object {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, find, name, depth + 1, owner)]));
}

function textOf({ format, examples, default: otherwise }: ExampleSchema, name: string, suggested: unknown): unknown {
  if (format === 'uuid') return typeof suggested === 'string' ? suggested : BOARD;
  if (format === 'date-time' || /_at$|^timestamp$|^last_/.test(name)) return TIME;
  if (typeof suggested === 'string') return suggested;
  return examples?.[0] ?? otherwise ?? (format === 'email' ? VALUES['email'] : 'text');
}

function ownerOf(name: string): string {
  return OWNERS.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
