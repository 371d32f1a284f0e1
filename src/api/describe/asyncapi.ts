/** Describes the socket of a board: an AsyncAPI 3 document, and its messages as one JSON Schema. */
import { toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
import { LARGE_EVENT_CHARACTERS } from '../../domain/events.js';
import { CLOSE } from '../closeCodes.js';
import { CLIENT_MESSAGES, SERVER_MESSAGES, type MessageSpec } from '../schemas/messages.js';
import type { Schema } from '../operation.js';
import {
  Attachment,
  Board,
  BoardMember,
  Card,
  Checklist,
  ChecklistItem,
  Column,
  Label,
  PublicUser,
} from '../schemas/resources.js';

type JsonSchema = Readonly<Record<string, unknown>>;
type Reference = Readonly<{ $ref: string }>;

export interface AsyncApiDocument {
  readonly asyncapi: '3.0.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly defaultContentType: string;
  readonly servers: Readonly<Record<string, object>>;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, ChannelOperation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, object>>;
  readonly messages: Readonly<Record<string, Reference>>;
  readonly bindings: object;
}

interface ChannelOperation {
  /** From the server's point of view. */
  readonly action: 'send' | 'receive';
  readonly summary: string;
  readonly channel: Reference;
  readonly messages: readonly Reference[];
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: Reference;
}

const RESOURCES = { PublicUser, Label, BoardMember, ChecklistItem, Checklist, Attachment, Card, Column, Board };
const MESSAGES = { ...SERVER_MESSAGES, ...CLIENT_MESSAGES };
const CHANNEL = 'board';
const MEBI = 1024 * 1024;

const INTRODUCTION = `Every change to a board is pushed to every client of the board, in the order in which it happened.

A client that is not let in is connected first and then told why by a close code, since a browser sees nothing of a
refused handshake. Whoever is let in hears so by a \`user_joined\` of their own, and gets everything that happens after
it; what happened while they were being let in may be missing, unless they give \`since\`. The address is also served
below \`/api\`.

**Events of one change** stand together. Where siblings had to make room, each whose rank changed has a \`.moved\` event of
its own, before that of the change itself. A \`.deleted\` event carries what was deleted as it was last, a board’s only
its id; what goes along with a deleted parent has no event of its own. Assigning has one event for
each user who was named, all with the resource as it is after the last. A member who goes is first unassigned everywhere,
with one event each.

**Catching up.** A client that gives \`since\`, the position of the last event that it knows, first gets every later one;
from there on its events carry their number \`seq\`, which grows by one from event to event. \`since=latest\` starts with
the next event. The \`ETag\` of \`GET /boards/{board_id}\` is the position to start from after reading the board.

**Epochs.** Where the history of a board may have been cut, as by the restore of a backup, its numbers belong to a new epoch: events
and \`resync\` carry \`epoch\`, and a position is \`<epoch>-<number>\`. A position of any other epoch, and a bare number, which
means the first one, is answered with \`resync\`.

**Large events.** An event about a column carries its cards. One of ${LARGE_EVENT_CHARACTERS / MEBI} MiB or more, or one of which all clients of the board
together would have more than 32 MiB to read, is not sent to clients that gave \`since\`: they get \`resync\` with its number in its
place, and read the board anew. Clients without \`since\` get the event, in fragments, as fast as they read; what follows waits for
it. One that does not read for some seconds is disconnected.

**Heartbeat.** The server sends a ping to every client at a fixed interval, but not in the middle of a large event. Messages other
than pong are ignored; whoever sends more than a hundred a second, of whatever kind, pings and pongs of the protocol included, is
disconnected.`;

export function asyncApiDocument(version: string): AsyncApiDocument {
  return {
    asyncapi: '3.0.0',
    info: { title: 'Switchboard', version, description: INTRODUCTION, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: {
      switchboard: {
        host: '{host}',
        protocol: 'ws',
        description:
          'Or `wss`, where the service has a certificate (settings `TLS_CERT_FILE` and `TLS_KEY_FILE`) or is behind a ' +
          'proxy that has one.',
        variables: { host: { default: 'localhost:8000', description: 'Where the service runs' } },
      },
    },
    channels: { [CHANNEL]: channel() },
    operations: {
      tell: operation('send', 'What happens on the board, and who is there', SERVER_MESSAGES),
      hear: operation('receive', 'The answer to a ping', CLIENT_MESSAGES),
    },
    components: {
      messages: mapValues(MESSAGES, ({ meaning }, name) => {
        return { name, summary: meaning, payload: { $ref: `#/components/schemas/${name}` } };
      }),
      schemas: jsonSchemas('draft-07', '#/components/schemas/'),
    },
  };
}

/** One schema for every message, each kind with its own definition. */
export function messagesJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Messages of the WebSocket of a board',
    oneOf: Object.keys(MESSAGES).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: jsonSchemas('draft-2020-12', '#/$defs/'),
  };
}

function channel(): Channel {
  const closes = Object.values(CLOSE).map(({ code, meaning }) => `- ${code}: ${meaning}`);
  return {
    address: '/ws/boards/{boardId}',
    description: ['The server ends a connection with one of these codes:', '', ...closes].join('\n'),
    parameters: { boardId: { description: 'The id of the board, a UUID' } },
    messages: mapValues(MESSAGES, (_message, name) => ({ $ref: `#/components/messages/${name}` })),
    bindings: { ws: { method: 'GET', query: connectionQuery(), bindingVersion: '0.1.0' } },
  };
}

function connectionQuery(): JsonSchema {
  return {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', description: 'An access token of a member of the board, from `POST /auth/login`' },
      since: {
        description: 'The position of the last event that the client knows, or `latest`; without it, no event has a number',
        oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string', pattern: '^[0-9a-z]{1,8}-[0-9]{1,15}$' }, { const: 'latest' }],
      },
    },
  };
}

function operation(
  action: ChannelOperation['action'],
  summary: string,
  messages: Readonly<Record<string, MessageSpec>>,
): ChannelOperation {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${CHANNEL}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` })),
  };
}

/** AsyncAPI reads schemas as draft 7 by default; a separate schema uses the newest draft. */
function jsonSchemas(target: NonNullable<ConversionConfig['target']>, prefix: string): Record<string, JsonSchema> {
  const definitions: Record<string, Schema> = { ...RESOURCES, ...mapValues(MESSAGES, ({ schema }) => schema) };
  return toJsonSchemaDefs(definitions, {
    target,
    typeMode: 'output',
    overrideRef: ({ referenceId }) => prefix + referenceId,
  }) as Record<string, JsonSchema>;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
