/** Files on cards. Their bytes pass through in small chunks: no file is held in memory. */
import * as v from 'valibot';
import { AppError } from '../../domain/errors.js';
import { cleanFileName } from '../../domain/content/fileName.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import { MAX_ON_ONE } from '../../domain/limits.js';
import type { StoredFile } from '../../domain/commands/attachments.js';
import { uploadLost } from '../../domain/refusals.js';
import type { PublicUser } from '../../domain/account/user.js';
import { askBoard, boardAnswer, boardOperation, keyIn, requireCaller, roleFor } from '../operation/boardOperation.js';
import { parseRange } from '../operation/byteRange.js';
import { cleanUp } from '../operation/cleanUp.js';
import { ChunkWriter } from './transfer/chunkWriter.js';
import { attachmentDisposition } from '../operation/contentDisposition.js';
import { namesTag } from '../operation/entityTags.js';
import {
  accepted,
  type Operation,
  type OperationAnswer,
  type RawCall,
  type ReceivedFile,
  type Services,
  type Upload,
} from '../operation/operation.js';
import { title, webUrl } from '../schemas/fields.js';
import { Attachment } from '../schemas/resources.js';

const tag = 'Attachments';

const linkSchema = v.object({ url: webUrl(), title: v.optional(v.nullable(title())) });

/** Where something is attached: to a card, or to a comment on one. */
interface Holder {
  readonly begin: 'attachment.begin' | 'commentFile.begin';
  readonly create: 'attachment.create' | 'commentFile.create';
  readonly link: 'attachment.link' | 'commentFile.link';
  readonly param: 'card_id' | 'comment_id';
  readonly path: '/cards/{card_id}/attachments' | '/comments/{comment_id}/attachments';
  readonly summary: string;
  readonly description: string;
}

const FORM =
  'A file is a multipart form with exactly one file, which gives its name and type. A link is JSON: the address of a web page, which the ' +
  'service never asks for, and perhaps a title.';

const CARD: Holder = {
  begin: 'attachment.begin',
  create: 'attachment.create',
  link: 'attachment.link',
  param: 'card_id',
  path: '/cards/{card_id}/attachments',
  summary: 'Attach a file or a link to a card',
  description: FORM,
};

const COMMENT: Holder = {
  begin: 'commentFile.begin',
  create: 'commentFile.create',
  link: 'commentFile.link',
  param: 'comment_id',
  path: '/comments/{comment_id}/attachments',
  summary: 'Attach a file or a link to a comment',
  description:
    `Only the author of the comment may, with any role that comments. ${FORM} It is an attachment of the card with the \`comment_id\`, at most ` +
    `${MAX_ON_ONE.files} for a comment, and goes with the comment; in the trash it is on its own.`,
};

/** Not in the table by itself: it has the path of the upload, and is chosen by the type of the body. */
function linkTo({ link, path, summary }: Holder): Operation {
  return boardOperation({
    op: link,
    method: 'POST',
    path,
    tag,
    summary,
    body: { kind: 'json', schema: linkSchema },
    success: { status: 201, description: 'The attachment', schema: Attachment },
    input: ({ body }) => ({ url: body.url, title: body.title ?? null }),
  });
}

function uploadTo(holder: Holder): Operation {
  const { begin, create: op, param, path, summary, description } = holder;
  const link = linkTo(holder);
  return {
    name: op,
    method: 'POST',
    path,
    access: roleFor(op),
    quota: 'upload',
    tag,
    summary,
    description,
    query: {},
    body: { kind: 'file', instead: { kind: 'json', schema: linkSchema } },
    success: { status: 201, description: 'The attachment', schema: Attachment },
    errors: { 400: 'The body is not a form with exactly one file, or the file is larger than the service allows' },
    async invoke(call, services) {
      if (call.upload === null) return link.invoke(call, services);
      const caller = requireCaller(call);
      const target = call.params[param] ?? '';
      const key = call.idempotency.ok ? call.idempotency.value : null;
      // The body is still to come.
      const idempotency = key === null ? {} : { idempotency: { key: key.key, fingerprint: null } };
      const begun = await askBoard(services, caller, { op: begin, target, input: {}, ...idempotency });
      accepted(call.idempotency);
      if (begun.replayed === true) return repeat(call, services, { caller, op, target, id: services.ids.onBoard(boardKeyOf(target)) });
      const id = await startUpload(services, target, begun.json);
      try {
        return await receive(call, services, { caller, op, target, id });
      } catch (error) {
        await cleanUp(services, DROPPING, () => services.content.drop(id));
        // Removing a board also removes its running uploads: then the card is missing, and a retry does not help.
        if (error instanceof AppError && error.code === 'unavailable') await askBoard(services, caller, { op: begin, target, input: {} });
        throw error;
      }
    },
  };
}

const DROPPING = 'dropping its file';

interface NewAttachment {
  readonly caller: PublicUser;
  readonly op: Holder['create'];
  readonly target: Uuid;
  readonly id: Uuid;
}

/** `begun`: the id that the board proposes; null if an older instance owns the board. */
async function startUpload({ content, ids }: Services, target: Uuid, begun: string | null): Promise<Uuid> {
  const proposed = begun === null ? null : (JSON.parse(begun) as Uuid);
  if (proposed !== null && (await content.start(proposed))) return proposed;
  const id = ids.onBoard(boardKeyOf(target));
  if (!(await content.start(id))) throw uploadLost();
  return id;
}

async function receive(call: RawCall, services: Services, attachment: NewAttachment): Promise<OperationAnswer> {
  const { id } = attachment;
  const writer = new ChunkWriter(services.content, id);
  const file = await uploadOf(call).receive(services.config.maxAttachmentBytes, (bytes) => writer.append(bytes));
  await writer.finish();
  const outcome = await create(call, services, attachment, { ...file, digest: writer.digest() });
  // The same request was faster, and its file is the attachment.
  if (outcome.replayed === true) await cleanUp(services, DROPPING, () => services.content.drop(id));
  return boardAnswer(outcome);
}

/** The request was carried out before. The file is compared and not stored again. */
async function repeat(call: RawCall, services: Services, attachment: NewAttachment): Promise<OperationAnswer> {
  const file = await uploadOf(call).receive(services.config.maxAttachmentBytes, async () => undefined);
  return boardAnswer(await create(call, services, attachment, file));
}

function create(
  call: RawCall,
  services: Services,
  { caller, op, target, id }: NewAttachment,
  file: ReceivedFile & { readonly digest?: string },
): ReturnType<typeof askBoard> {
  return askBoard(services, caller, { op, target, input: { id, ...file }, ...keyIn(call) });
}

function uploadOf({ upload }: RawCall): Upload {
  if (upload === null) throw new Error('an upload was routed without its body');
  return upload;
}

const download: Operation = {
  name: 'attachment.get',
  method: 'GET',
  path: '/attachments/{attachment_id}',
  access: roleFor('attachment.get'),
  tag,
  summary: 'Download a file',
  description: 'A link answers its address as `text/uri-list`, and never a redirect.',
  query: {},
  requestHeaders: {
    Range: 'One range of bytes, such as `bytes=0-999`; for several ranges the answer is the whole file',
    'If-Range': 'The `ETag` of the content of which the caller has a part; if it differs, the answer is the whole file',
    'If-None-Match': 'The `ETag` of the content that the caller has',
  },
  body: null,
  success: {
    status: 200,
    description: 'The bytes and the content type of the upload',
    contentType: '*/*',
    headers: {
      'Content-Disposition': 'The name of the file',
      ETag: 'The tag of the content: another file has another one',
      'Accept-Ranges': 'bytes',
    },
  },
  errors: {
    206: 'The part of the file that `Range` names',
    304: 'The caller has the content: its `ETag` is in `If-None-Match`',
    416: '`Range` is outside the file',
  },
  async invoke(call, services) {
    const caller = requireCaller(call);
    const id = call.params['attachment_id'] ?? '';
    const { json } = await askBoard(services, caller, { op: 'attachment.get', target: id, input: {} });
    const file = JSON.parse(json ?? '') as StoredFile;
    const { name, mime_type, url = null } = file;
    const text = url === null ? null : Buffer.from(`${url}\r\n`);
    const size = text?.length ?? file.size;
    const etag = tagOf(id, file);
    const headers: Array<readonly [string, string]> = [
      ['Content-Type', mime_type],
      // Older versions imported names that were not cleaned.
      ['Content-Disposition', attachmentDisposition(cleanFileName(name))],
      // An uploaded file of any type must not run as a page of the service.
      ['Content-Security-Policy', "default-src 'none'; sandbox"],
      ['Accept-Ranges', 'bytes'],
      ['ETag', etag],
      ['Cache-Control', 'private, no-cache'],
    ];
    if (namesTag(call.ifNoneMatch, etag)) return { json: null, status: 304, headers };
    const ranged = call.ifRange === '' || call.ifRange === etag;
    const range = ranged ? parseRange(call.range, size) : ({ kind: 'whole' } as const);
    if (range.kind === 'unsatisfiable') {
      const detail = `Range: is outside the ${size} bytes of the file`;
      return { json: JSON.stringify({ detail }), status: 416, headers: [['Content-Range', `bytes */${size}`]] };
    }
    const [from, to] = range.kind === 'part' ? [range.from, range.to] : [0, size];
    if (range.kind === 'part') headers.push(['Content-Range', `bytes ${from}-${to - 1}/${size}`]);
    return {
      json: null,
      status: range.kind === 'part' ? 206 : 200,
      headers,
      stream: {
        size: to - from,
        read: async (start, end) => text?.subarray(from + start, from + end) ?? readContent(services, id, from + start, from + end),
      },
    };
  },
};

/**
 * Of the content. A file of an older program has no digest, and reading it for each tag would cost too much. The time
 * distinguishes it from another file that had its id.
 */
function tagOf(id: Uuid, { created_at, digest }: StoredFile): string {
  return `"${digest ?? `${id}-${Date.parse(created_at).toString(36)}`}"`;
}

async function readContent({ content }: Services, id: Uuid, from: number, to: number): Promise<Uint8Array> {
  const bytes = await content.read(id, from, to);
  if (bytes.length !== to - from) throw new AppError('not_found', 'The attachment was deleted while it was read');
  return bytes;
}

const remove = boardOperation({
  op: 'attachment.delete',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  tag,
  summary: 'Delete a file',
  description: 'Members of the board delete those of cards; of comments only the author and the owners of the board do.',
  success: { status: 204, description: 'Deleted' },
});

export const attachmentOperations: readonly Operation[] = [uploadTo(CARD), uploadTo(COMMENT), download, remove];
