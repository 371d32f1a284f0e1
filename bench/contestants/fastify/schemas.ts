/** JSON Schemas of the answers, from which Fastify compiles its serialisers. The fields are those of the service. */
const id = { type: 'string' } as const;
const text = { type: 'string' } as const;
const optionalText = { type: ['string', 'null'] } as const;
const times = { created_at: text, updated_at: text } as const;
const authors = { created_by: optionalText, updated_by: optionalText } as const;

function object<P extends Record<string, unknown>>(properties: P) {
  return { type: 'object', properties } as const;
}

function list<I>(items: I) {
  return { type: 'array', items } as const;
}

export const userSchema = object({
  id,
  email: text,
  username: text,
  firstname: optionalText,
  lastname: optionalText,
  is_active: { type: 'boolean' },
  is_verified: { type: 'boolean' },
  is_superuser: { type: 'boolean' },
});

export const labelSchema = object({ id, board_id: id, name: text, color: text, ...times });

const checklistSchema = object({
  id,
  card_id: id,
  title: text,
  rank: { type: 'integer' },
  ...times,
  items: list(
    object({
      id,
      checklist_id: id,
      content: text,
      is_done: { type: 'boolean' },
      rank: { type: 'integer' },
      ...times,
      assignees: list(userSchema),
    }),
  ),
});

export const cardSchema = object({
  id,
  board_id: id,
  column_id: id,
  title: text,
  description: optionalText,
  rank: { type: 'integer' },
  ...authors,
  ...times,
  labels: list(labelSchema),
  assignees: list(userSchema),
  checklists: list(checklistSchema),
  attachments: list(object({ id, card_id: id, name: text, mime_type: text, size: { type: 'integer' }, ...times })),
});

export const columnSchema = object({
  id,
  board_id: id,
  title: text,
  rank: { type: 'integer' },
  color: text,
  is_done_column: { type: 'boolean' },
  ...authors,
  ...times,
  cards: list(cardSchema),
});

export const boardSchema = object({
  id,
  title: text,
  description: optionalText,
  ...authors,
  ...times,
  labels: list(labelSchema),
  members: list(object({ board_id: id, user_id: id, role: text, ...times, user: userSchema })),
  columns: list(columnSchema),
});

export const tokenSchema = object({ access_token: text, token_type: text });

export const titleBody = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: ['string', 'null'], maxLength: 10_000 },
  },
} as const;

export const cardPatchBody = { ...titleBody, required: [] } as const;

export const moveBody = {
  type: 'object',
  properties: { column_id: { type: 'string', format: 'uuid' }, position: { type: 'integer', minimum: 0 } },
} as const;
