/** The usual stack: Fastify, JSON Schemas, JWT checked on every request, SQLite. Sockets are added from outside. */
import formbody from '@fastify/formbody';
import jwt from '@fastify/jwt';
import { hash, verify } from '@node-rs/argon2';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { setting } from '../ready.js';
import { toUser, type CardRow, type UserRow } from './rows.js';
import { boardSchema, cardPatchBody, cardSchema, columnSchema, labelSchema, moveBody } from './schemas.js';
import { titleBody, tokenSchema, userSchema } from './schemas.js';
import { Store, type CardMove } from './store.js';

export interface BoardEvent {
  readonly type: string;
  readonly data: unknown;
  readonly user_id: string;
  readonly timestamp: string;
  readonly version: '1.0';
}

export type Publish = (boardId: string, event: BoardEvent) => void;

export interface UsualStack {
  readonly app: FastifyInstance;
  readonly store: Store;
  /** Whether the token is valid and its user is a member of the board. */
  readonly admit: (token: string, boardId: string) => boolean;
}

interface Claims {
  readonly sub: string;
  readonly aud: readonly string[];
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims;
    user: Claims;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: UserRow | null;
  }
}

type Ids = Record<'board_id' | 'column_id' | 'card_id' | 'label_id', string>;

class Refusal extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

const TOKEN_LIFETIME = '1h';

/** `publish` is set later, because sockets need the server and the server's routes need them. */
export async function buildUsualStack(publish: () => Publish): Promise<UsualStack> {
  const store = new Store(setting('DATA_DIR'));
  const audience = setting('JWT_AUDIENCE');
  const app = Fastify({ logger: false });
  await app.register(jwt, {
    secret: setting('JWT_SECRET'),
    sign: { algorithm: 'HS256', expiresIn: TOKEN_LIFETIME },
    verify: { algorithms: ['HS256'], allowedAud: audience },
  });
  await app.register(formbody);
  app.decorateRequest('caller', null);
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    void reply.status(error.statusCode ?? 500).send({ detail: error.message });
  });
  app.addHook('onClose', async () => store.close());

  const activeUser = (id: string): UserRow | undefined => {
    const user = store.user(id);
    return user?.is_active === 1 ? user : undefined;
  };
  const authenticate = async (request: FastifyRequest): Promise<void> => {
    const { sub } = await request.jwtVerify<Claims>();
    request.caller = activeUser(sub) ?? null;
    if (request.caller === null) throw new Refusal(401, 'The user is unknown or deactivated');
  };
  const requireMember = (request: FastifyRequest, boardId: string): UserRow => {
    const { caller } = request;
    if (caller === null || !store.isMember(boardId, caller.id)) throw new Refusal(403, 'Not a member of the board');
    return caller;
  };
  const requireCard = (request: FastifyRequest<{ Params: Ids }>): { card: CardRow; caller: UserRow } => {
    const card = store.cardRow(request.params.card_id);
    if (card === undefined) throw new Refusal(404, 'Card not found');
    return { card, caller: requireMember(request, card.board_id) };
  };
  const publishEvent = (type: string, boardId: string, caller: UserRow, data: unknown): void => {
    publish()(boardId, { type, data, user_id: caller.id, timestamp: new Date().toISOString(), version: '1.0' });
  };

  app.post<{ Body: { email: string; username: string; password: string } }>(
    '/auth/register',
    { schema: { response: { 201: userSchema } } },
    async ({ body }, reply) => {
      reply.status(201);
      return toUser(store.createUser(body.email.toLowerCase(), body.username, await hash(body.password)));
    },
  );

  app.post<{ Body: { username: string; password: string } }>('/auth/login', { schema: { response: { 200: tokenSchema } } }, async ({ body }) => {
    const user = store.userByEmail(body.username.toLowerCase());
    if (user === undefined || !(await verify(user.hashed_password, body.password))) {
      throw new Refusal(401, 'Incorrect e-mail or password');
    }
    return { access_token: app.jwt.sign({ sub: user.id, aud: [audience] }), token_type: 'bearer' };
  });

  app.post<{ Body: { title: string; description?: string | null } }>(
    '/boards',
    { onRequest: authenticate, schema: { body: titleBody, response: { 201: boardSchema } } },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return store.board(store.createBoard(caller?.id ?? '', body.title, body.description ?? null));
    },
  );

  app.get<{ Params: Ids }>(
    '/boards/:board_id',
    { onRequest: authenticate, schema: { response: { 200: boardSchema } } },
    async (request, reply: FastifyReply) => {
      const { board_id } = request.params;
      const version = store.boardVersion(board_id);
      if (version === undefined) throw new Refusal(404, 'Board not found');
      requireMember(request, board_id);
      const etag = `"${version}"`;
      reply.header('etag', etag);
      if (request.headers['if-none-match'] === etag) return reply.status(304).send();
      return store.board(board_id);
    },
  );

  app.post<{ Params: Ids; Body: { title: string } }>(
    '/boards/:board_id/columns',
    { onRequest: authenticate, schema: { body: titleBody, response: { 201: columnSchema } } },
    async (request, reply) => {
      const { board_id } = request.params;
      const caller = requireMember(request, board_id);
      const column = { ...store.createColumn(caller.id, board_id, request.body.title), cards: [] };
      publishEvent('column.created', board_id, caller, column);
      reply.status(201);
      return column;
    },
  );

  app.post<{ Params: Ids; Body: { name: string; color: string } }>(
    '/boards/:board_id/labels',
    { onRequest: authenticate, schema: { response: { 201: labelSchema } } },
    async (request, reply) => {
      const { board_id } = request.params;
      const caller = requireMember(request, board_id);
      const label = store.createLabel(board_id, request.body.name, request.body.color);
      publishEvent('label.created', board_id, caller, label);
      reply.status(201);
      return label;
    },
  );

  app.post<{ Params: Ids; Body: { title: string; description?: string | null } }>(
    '/boards/:board_id/columns/:column_id/cards',
    { onRequest: authenticate, schema: { body: titleBody, response: { 201: cardSchema } } },
    async (request, reply) => {
      const { board_id, column_id } = request.params;
      const caller = requireMember(request, board_id);
      const { title, description = null } = request.body;
      const card = store.createCard(caller.id, board_id, column_id, title, description);
      publishEvent('card.created', board_id, caller, card);
      reply.status(201);
      return card;
    },
  );

  app.get<{ Params: Ids }>('/cards/:card_id', { onRequest: authenticate, schema: { response: { 200: cardSchema } } }, async (request) => {
    const card = store.card(request.params.card_id);
    if (card === undefined) throw new Refusal(404, 'Card not found');
    requireMember(request, card.board_id);
    return card;
  });

  app.patch<{ Params: Ids; Body: { title?: string; description?: string | null } }>(
    '/cards/:card_id',
    { onRequest: authenticate, schema: { body: cardPatchBody, response: { 200: cardSchema } } },
    async (request) => {
      const { card, caller } = requireCard(request);
      const { title = card.title, description = card.description } = request.body;
      const changed = store.updateCard(caller.id, card, title, description);
      publishEvent('card.updated', card.board_id, caller, changed);
      return changed;
    },
  );

  app.post<{ Params: Ids; Body: CardMove }>(
    '/cards/:card_id/move',
    { onRequest: authenticate, schema: { body: moveBody, response: { 200: cardSchema } } },
    async (request) => {
      const { card, caller } = requireCard(request);
      const moved = store.moveCard(caller.id, card, request.body);
      publishEvent('card.moved', card.board_id, caller, moved);
      return moved;
    },
  );

  app.post<{ Params: Ids }>(
    '/cards/:card_id/labels/:label_id',
    { onRequest: authenticate, schema: { response: { 200: cardSchema } } },
    async (request) => {
      const { card, caller } = requireCard(request);
      const labelled = store.addLabel(card, request.params.label_id);
      publishEvent('card.labeled', card.board_id, caller, labelled);
      return labelled;
    },
  );

  app.put<{ Params: Ids; Body: { user_ids: string[] } }>(
    '/cards/:card_id/assignees',
    { onRequest: authenticate, schema: { response: { 200: cardSchema } } },
    async (request) => {
      const { card, caller } = requireCard(request);
      const assigned = store.assign(card, request.body.user_ids);
      publishEvent('card.assigned', card.board_id, caller, assigned);
      return assigned;
    },
  );

  const admit = (token: string, boardId: string): boolean => {
    try {
      const user = activeUser(app.jwt.verify<Claims>(token).sub);
      return user !== undefined && store.isMember(boardId, user.id);
    } catch {
      // The library throws for every invalid token; the reason makes no difference here.
      return false;
    }
  };
  return { app, store, admit };
}
