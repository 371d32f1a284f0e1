/** Webhooks: of a board, for its owners, and over all boards, for superusers. */
import { HOUR_MS } from '../../domain/content/time.js';
import * as v from 'valibot';
import { MAX_PER_HOUR, type AuditDetails, type AuditEvent, type AuditKind } from '../../domain/audit.js';
import { AppError } from '../../domain/errors.js';
import { EVENT_TYPES } from '../../domain/events.js';
import { givenFields } from '../../domain/givenFields.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import {
  MAX_KEPT_DELIVERIES,
  MAX_WEBHOOK_URL_CHARACTERS,
  MAX_WEBHOOKS_OVER_ALL,
  MAX_WEBHOOKS_PER_BOARD,
  ROTATION_MS,
  WEBHOOK_FORMATS,
} from '../../domain/webhook/webhook.js';
import type { WebhookAction, WebhookFields } from '../../domain/webhook/webhookCommands.js';
import { urlFlaw } from '../../net/guardedFetch.js';
import { clientOf } from '../operation/audited.js';
import { requireCaller } from '../operation/boardOperation.js';
import {
  accepted,
  answer,
  type BodySpec,
  type Method,
  type Operation,
  type OperationAnswer,
  type RawCall,
  type Schema,
  type Services,
  type StatusTexts,
  type Success,
} from '../operation/operation.js';
import { documented, documentedCheck, list, time } from '../schemas/fields.js';
import { NewWebhook, Webhook, WebhookDelivery } from '../schemas/webhooks.js';
import { ADMINISTRATION } from './service/admin.js';

const ROTATION_HOURS = ROTATION_MS / HOUR_MS;

/** Without a user and a fragment. */
const URL_PATTERN = '^https?://[^/?#@]+(?:[/?][^#]*)?$';
/** For the document; checked when the webhook is made. A path that begins with dots may be an empty one. */
const TOPIC: Readonly<Record<string, unknown>> = {
  anyOf: [
    { not: { properties: { format: { const: 'ntfy' } }, required: ['format', 'url'] } },
    { properties: { url: { pattern: '^https?://[^/?#]+/[^?#.%]' } } },
  ],
};

const url = () =>
  v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(MAX_WEBHOOK_URL_CHARACTERS),
    documentedCheck((text) => URL.canParse(text), 'must be a URL such as https://example.org/hook', {
      format: 'uri',
      pattern: URL_PATTERN,
    }),
  );
const eventTypes = () => v.nullable(v.pipe(list(v.picklist(EVENT_TYPES), EVENT_TYPES.length), v.minLength(1)));
const NewFields = v.pipe(
  v.object({
    url: url(),
    event_types: v.optional(eventTypes(), null),
    is_enabled: v.optional(v.boolean(), true),
    format: v.optional(v.picklist(WEBHOOK_FORMATS), 'standard'),
  }),
  documented(TOPIC),
);
const ChangedFields = v.pipe(
  v.object({
    url: v.optional(url()),
    event_types: v.optional(eventTypes()),
    is_enabled: v.optional(v.boolean()),
    format: v.optional(v.picklist(WEBHOOK_FORMATS)),
  }),
  documented(TOPIC),
);
const SinceNumber = v.object({ since: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)) });
const SinceTime = v.object({ since: time() });

/** The webhooks of a board, or those over all boards. */
interface Scope {
  readonly tag: string;
  readonly access: 'owner' | 'superuser';
  /** Of the list, and of one. */
  readonly paths: readonly [all: string, one: string];
  readonly names: string;
  readonly what: string;
  readonly since: Schema;
  readonly sinceMeaning: string;
  readonly max: number;
}

const OF_BOARD: Scope = {
  tag: 'Webhooks',
  access: 'owner',
  paths: ['/boards/{board_id}/webhooks', '/webhooks/{webhook_id}'],
  names: 'webhook',
  what: 'a webhook of a board',
  since: SinceNumber,
  sinceMeaning: 'Every event after the number `since` is sent again, as far as the board keeps it.',
  max: MAX_WEBHOOKS_PER_BOARD,
};

const OVER_ALL: Scope = {
  tag: ADMINISTRATION,
  access: 'superuser',
  paths: ['/admin/webhooks', '/admin/webhooks/{webhook_id}'],
  names: 'adminWebhook',
  what: 'a webhook over all boards',
  since: SinceTime,
  sinceMeaning: 'Every event since the time `since` is sent again, as far as the boards keep it.',
  max: MAX_WEBHOOKS_OVER_ALL,
};

interface Definition {
  readonly name: string;
  readonly method: Method;
  /** After the path of the list or of one. */
  readonly on: 'all' | 'one';
  readonly path?: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodySpec;
  readonly success: Success;
  readonly errors?: StatusTexts;
  /** What is done leaves an entry in the audit log. */
  readonly audit?: { readonly kind: WebhookAuditKind; describe(asked: Asked, done: OperationAnswer): Pick<AuditEvent, 'subject' | 'details'> | null };
  handle(asked: Asked, services: Services): Promise<OperationAnswer>;
}

type WebhookAuditKind = Extract<AuditKind, `webhook.${string}`>;

interface Asked {
  readonly scope: Scope;
  /** The board or the webhook; null for all webhooks over all boards. */
  readonly target: Uuid | null;
  readonly user: Uuid;
  readonly body: unknown;
  perform(action: WebhookAction): Promise<unknown>;
}

/** Access is checked before the input, as for everything on a board. */
function webhookOperation(scope: Scope, { name, on, path = '', handle, audit, ...described }: Definition): Operation {
  const notFound: StatusTexts = on === 'one' && scope.access === 'superuser' ? { 404: 'No such webhook' } : {};
  return {
    ...described,
    errors: { ...notFound, ...tooOften(scope, audit?.kind), ...described.errors },
    name: `${scope.names}.${name}`,
    tag: scope.tag,
    path: `${scope.paths[on === 'all' ? 0 : 1]}${path}`,
    access: scope.access,
    query: {},
    body: described.body ?? null,
    // An answer with a secret is not kept; every other one is the same each time, or of this moment.
    isAnswerKept: false,
    async invoke(call, services) {
      const about = askedIn(scope, call, services);
      if (!isValid(call) && scope.access === 'owner') await about.perform({ do: 'check', on: on === 'all' ? 'board' : 'webhook' });
      accepted(call.idempotency);
      const asked = { ...about, body: accepted(call.body) };
      if (audit === undefined) return handle(asked, services);
      const event = { kind: audit.kind, user: requireCaller(call), client: clientOf(call) };
      return services.audit.after(
        event,
        () => handle(asked, services),
        (done) => audit.describe(asked, done),
      );
    },
  };
}

/** Superusers are not limited. */
function tooOften(scope: Scope, kind: WebhookAuditKind | undefined): StatusTexts {
  if (kind === undefined || kind === 'webhook.deleted' || scope.access === 'superuser') return {};
  return { 429: `The caller has done this ${MAX_PER_HOUR[kind]} times within an hour; try again after \`Retry-After\` seconds` };
}

/** `detailsOf`: null if nothing was done. */
function auditOf(kind: WebhookAuditKind, detailsOf: (body: unknown) => AuditDetails | null = () => ({})): NonNullable<Definition['audit']> {
  return {
    kind,
    describe({ target, body }, { json }) {
      const details = detailsOf(body);
      if (details === null) return null;
      const shown = typeof json === 'string' ? (JSON.parse(json) as { readonly id: Uuid; readonly board_id: Uuid | null }) : null;
      const { id, board_id } = shown ?? { id: target ?? '', board_id: null };
      return { subject: { id }, details: { ...(board_id === null ? {} : { board_id }), ...details } };
    },
  };
}

/** Without its path, which may be a secret of the receiver. */
function hostIn(body: unknown): AuditDetails {
  const { url: given } = body as Partial<WebhookFields>;
  return given === undefined ? {} : { host: new URL(given).host };
}

function sinceIn(body: unknown): { readonly since: number | string } {
  return body as { readonly since: number | string };
}

function isValid({ idempotency, query, body }: RawCall): boolean {
  return idempotency.ok && query.ok && body.ok;
}

function askedIn(scope: Scope, call: RawCall, { webhooks }: Services): Omit<Asked, 'body'> {
  const user = requireCaller(call).id;
  const target = Object.values(call.params)[0] ?? null;
  const perform = (action: WebhookAction): Promise<unknown> =>
    scope.access === 'owner' ? webhooks.perform(target ?? '', user, action) : webhooks.performOverAll(target, user, action);
  return { scope, target, user, perform };
}

/** Throws `invalid` with the name of the field. */
function requireUrl({ url: given, format }: Partial<WebhookFields>, { config }: Services): void {
  if (given === undefined) return;
  const flaw = urlFlaw(given, config.webhookAllow);
  if (flaw !== null) throw new AppError('invalid', `url: ${flaw}`);
  if (format === 'ntfy' && new URL(given).pathname === '/')
    throw new AppError('invalid', 'url: must end with the topic, as in https://ntfy.sh/topic');
}

const FORMATS =
  '`standard` sends `{type, board_id, seq, user_id, timestamp, data}`, signed as [Standard Webhooks](https://www.standardwebhooks.com) ' +
  'say; `slack` a message in words, which Mattermost, Rocket.Chat and Discord (at `/slack`) take too; `ntfy` a title and a message ' +
  'for the topic that ends the URL.';

function operationsOf(scope: Scope): readonly Operation[] {
  const { what } = scope;
  const shown = { status: 200, description: 'The webhook', schema: Webhook } as const;
  return [
    webhookOperation(scope, {
      name: 'create',
      method: 'POST',
      on: 'all',
      summary: `Create ${what}`,
      description:
        `It gets the events from now on, in order and at least once; \`webhook-id\` is the same for each repetition. ${FORMATS} ` +
        'Without `event_types` it gets all. `resync` stands for events that are kept no more, or are too large. A receiver that does not ' +
        'answer with 2xx is asked again after growing times; after three days the webhook is paused, and after 410 disabled. The URL must ' +
        `not lead to a private network that the service does not allow. There are at most ${scope.max}.`,
      body: { kind: 'json', schema: NewFields },
      success: { status: 201, description: 'The webhook with its secret, in this answer alone', schema: NewWebhook },
      errors: { 409: 'There are too many webhooks' },
      audit: auditOf('webhook.created', hostIn),
      async handle({ target, body, perform }, services) {
        const fields = body as WebhookFields;
        requireUrl(fields, services);
        const { ids, webhooks } = services;
        const id = target === null ? ids.fresh() : ids.onBoard(boardKeyOf(target));
        const secret = webhooks.newSecret(id);
        const created = await perform({ do: 'create', id, fields, secret: secret.sealed });
        return answer({ ...(created as object), secret: secret.shown });
      },
    }),
    webhookOperation(scope, {
      name: 'list',
      method: 'GET',
      on: 'all',
      summary: `List ${scope === OF_BOARD ? 'the webhooks of a board' : 'the webhooks over all boards'}`,
      success: { status: 200, description: 'The webhooks, oldest first', schema: v.array(Webhook) },
      handle: async ({ perform }) => answer(await perform({ do: 'list' })),
    }),
    webhookOperation(scope, {
      name: 'get',
      method: 'GET',
      on: 'one',
      summary: `Get ${what}`,
      success: shown,
      handle: async ({ perform }) => answer(await perform({ do: 'get' })),
    }),
    webhookOperation(scope, {
      name: 'update',
      method: 'PATCH',
      on: 'one',
      summary: `Change ${what}`,
      body: { kind: 'json', schema: ChangedFields },
      success: shown,
      audit: auditOf('webhook.updated', (body) => {
        const names = Object.keys(givenFields(body as Partial<WebhookFields>));
        return names.length === 0 ? null : { fields: names.join(', '), ...hostIn(body) };
      }),
      async handle({ body, perform }, services) {
        const fields = givenFields(body as Partial<WebhookFields>);
        requireUrl(fields, services);
        return answer(await perform(Object.keys(fields).length === 0 ? { do: 'get' } : { do: 'update', fields }));
      },
    }),
    webhookOperation(scope, {
      name: 'delete',
      method: 'DELETE',
      on: 'one',
      summary: `Delete ${what}`,
      success: { status: 204, description: 'Deleted' },
      audit: auditOf('webhook.deleted'),
      async handle({ perform }) {
        await perform({ do: 'remove' });
        return { json: null };
      },
    }),
    webhookOperation(scope, {
      name: 'test',
      method: 'POST',
      on: 'one',
      path: '/test',
      summary: `Test ${what}`,
      description: 'Sends one message of the type `test`, also if the webhook is paused, and answers with what came of it.',
      success: { status: 200, description: 'The delivery', schema: WebhookDelivery },
      errors: {
        409: 'Its secret cannot be opened any more; rotate it',
        429: 'The caller has a test under way; try again after `Retry-After` seconds',
      },
      async handle({ target, user }, { webhooks }) {
        return answer(await webhooks.test(target ?? '', user, scope.access === 'owner' ? 'board' : 'all'));
      },
    }),
    webhookOperation(scope, {
      name: 'resume',
      method: 'POST',
      on: 'one',
      path: '/resume',
      summary: `Resume ${what}`,
      description: 'It goes on where it stopped, and the caller answers for it from here on.',
      success: shown,
      audit: auditOf('webhook.resumed'),
      handle: async ({ perform }) => answer(await perform({ do: 'resume' })),
    }),
    webhookOperation(scope, {
      name: 'replay',
      method: 'POST',
      on: 'one',
      path: '/replay',
      summary: 'Send events again',
      description: scope.sinceMeaning,
      body: { kind: 'json', schema: scope.since },
      success: shown,
      audit: auditOf('webhook.replayed', sinceIn),
      handle: async ({ body, perform }) => answer(await perform({ do: 'replay', ...sinceIn(body) })),
    }),
    webhookOperation(scope, {
      name: 'rotate',
      method: 'POST',
      on: 'one',
      path: '/rotate',
      summary: `Change the secret of ${what}`,
      description: `For ${ROTATION_HOURS} hours deliveries have the signatures of both secrets.`,
      success: { status: 200, description: 'The webhook with its new secret, in this answer alone', schema: NewWebhook },
      audit: auditOf('webhook.rotated'),
      async handle({ target, perform }, { webhooks }) {
        const secret = webhooks.newSecret(target ?? '');
        const rotated = await perform({ do: 'rotate', secret: secret.sealed });
        return answer({ ...(rotated as object), secret: secret.shown });
      },
    }),
    webhookOperation(scope, {
      name: 'deliveries',
      method: 'GET',
      on: 'one',
      path: '/deliveries',
      summary: `List the last deliveries of ${what}`,
      description: `The last ${MAX_KEPT_DELIVERIES}, the newest first. What receivers answered is not kept, only the status.`,
      success: { status: 200, description: 'The deliveries', schema: v.array(WebhookDelivery) },
      handle: async ({ perform }) => answer(await perform({ do: 'deliveries' })),
    }),
  ];
}

export const webhookOperations: readonly Operation[] = operationsOf(OF_BOARD);
export const adminWebhookOperations: readonly Operation[] = operationsOf(OVER_ALL);
