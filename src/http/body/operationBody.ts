/** The body of a request as its operation takes it: read and validated here, or received by the operation itself. */
import { LARGE_BODY_BYTES, type Documents } from '../../api/documentsPort.js';
import type { BodySpec, IncomingDocument, Operation, Upload } from '../../api/operation/operation.js';
import { parseBody, refusedBody, validateBody } from '../../api/operation/validate.js';
import type { Validated } from '../../api/operation/validated.js';
import type { BodyReader } from './bodyReader.js';
import { isJson, requireForm, requireJson } from './contentType.js';
import type { Exchange } from '../exchange.js';
import type { Intake } from './keptBodies.js';
import { SLICE_BYTES, type IncomingKey } from '../requestKeys.js';

const JSON_BODY_BYTES = 1024 * 1024;
/** Validated here, whatever else this thread does. */
const SMALL_BODY_BYTES = 16 * 1024;

export type IncomingBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly reader: BodyReader; readonly spec: BodySpec }
  | { readonly kind: 'upload'; readonly upload: Upload }
  | { readonly kind: 'document'; readonly document: IncomingDocument };

export function startBody(exchange: Exchange, body: NonNullable<Operation['body']>, intake: Intake): IncomingBody {
  if (body.kind === 'document') return { kind: 'document', document: exchange.startDocument(intake) };
  if (body.kind === 'file' && body.instead !== undefined && isJson(exchange.head.contentType))
    return { kind: 'read', reader: exchange.startBody(SMALL_BODY_BYTES, intake), spec: body.instead };
  if (body.kind === 'file') return { kind: 'upload', upload: exchange.startUpload(intake) };
  return { kind: 'read', reader: exchange.startBody(JSON_BODY_BYTES, intake), spec: body };
}

/** `isUnread`: the body could not be received, so the request has no fingerprint. */
export interface Input {
  readonly body: Validated<unknown>;
  readonly isUnread?: true;
}

export const NO_BODY: Input = { body: { ok: true, value: undefined } };

/** Reads and validates a body: a small one here, a large one in the document thread. */
export async function readBody(
  reader: BodyReader,
  { name }: Operation,
  spec: BodySpec,
  contentType: string,
  documents: Documents,
  key: IncomingKey | null,
  caller: string,
): Promise<Input> {
  let bytes: Uint8Array;
  try {
    bytes = await reader.read();
  } catch (error) {
    return { body: refusedBody(error), isUnread: true };
  }
  if (key !== null && bytes.length <= SLICE_BYTES) {
    key.take(bytes);
  } else if (key !== null) {
    try {
      await reader.keepWhile(bytes.length, (isWanted) => key.takeWhole(bytes, isWanted));
    } catch (error) {
      return { body: refusedBody(error), isUnread: true };
    }
  }
  return { body: await validateBytes(bytes, name, spec, contentType, documents, caller) };
}

async function validateBytes(
  bytes: Uint8Array,
  operation: string,
  spec: BodySpec,
  contentType: string,
  documents: Documents,
  caller: string,
): Promise<Validated<unknown>> {
  try {
    if (spec.kind === 'json') requireJson(contentType);
    else requireForm(contentType);
    return bytes.length > LARGE_BODY_BYTES ? await documents.validateBody(operation, bytes, caller) : validateBody(spec, parseBody(spec, bytes));
  } catch (error) {
    return refusedBody(error);
  }
}

/** Checks the caller again when everything has arrived and before it is used. */
export function confirmedUpload(upload: Upload, confirm: () => unknown): Upload {
  return {
    async receive(maxBytes, onChunk) {
      const file = await upload.receive(maxBytes, onChunk);
      await confirm();
      return file;
    },
  };
}

export function confirmedDocument(document: IncomingDocument, confirm: () => unknown): IncomingDocument {
  return {
    ...memoryOf(document),
    async receive(maxBytes, onChunk) {
      await document.receive(maxBytes, onChunk);
      await confirm();
    },
  };
}

function memoryOf({ memory }: IncomingDocument): Pick<IncomingDocument, 'memory'> {
  return memory === undefined ? {} : { memory };
}
