/** One call: from a table row and its arguments to a request, and from the response to an answer. */
import type { CallBody, OnProgress } from './progressFetch.js';
import { receiveBlob, type OnReceived } from './receiveBlob.js';
import type { RetryOptions } from './retry.js';

/** How an operation is sent, and what it returns. */
export interface OperationRow {
  /** Absent: GET. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/cards/{card_id}/move`. */
  readonly path: string;
  /** Absent: none. */
  readonly input?: 'query' | 'json' | 'form' | 'file';
  /** Absent: JSON. The table is part of every page, so what is said most often is left out. */
  readonly answer?: 'bytes' | 'nothing';
  /** It needs no token. */
  readonly isPublic?: true;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Instead of the client's. */
  readonly retry?: RetryOptions | false;
  /** Of a call that changes something: 1 to 255 visible characters. By default a new UUID. */
  readonly idempotencyKey?: string;
  /** The id of the user that the call must be made by: in the session of another it is refused with 401. */
  readonly asUser?: string;
  /** Of a call with a file or another body: how much of it is sent. */
  readonly onProgress?: OnProgress;
  /** Of a call that returns a file: how much of it has arrived. */
  readonly onReceived?: OnReceived;
}

/** The address of a web page, which is attached instead of a file. */
export interface Link {
  readonly url: string;
  readonly title?: string | null;
}

/** A browser's `File`, or content with a name. */
export type Upload =
  | (Blob & { readonly name: string })
  | {
      readonly name: string;
      readonly content: Blob | Uint8Array<ArrayBuffer> | string;
      /** For example `text/plain`. */
      readonly type?: string;
    };

/** What is sent, again and again if necessary. */
export interface PreparedCall {
  /** With the query. */
  readonly path: string;
  readonly body: CallBody | null;
  readonly options: CallOptions;
}

/** Arguments are the path parameters, the input and the options, each only if the operation has it. */
export function prepareCall(row: OperationRow, args: readonly unknown[]): PreparedCall {
  const rest = [...args];
  const named = row.path.includes('{') ? (rest.shift() as Readonly<Record<string, unknown>>) : {};
  const path = row.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(pathPart(named, name)));
  const input = row.input === undefined ? undefined : rest.shift();
  const query = row.input === 'query' ? queryOf(input) : '';
  return { path: path + query, body: bodyOf(row, input), options: (rest.shift() as CallOptions | undefined) ?? {} };
}

/** Reads the body to its end, also if there is nothing in it, so that the connection can be reused. */
export async function readAnswer({ answer }: OperationRow, response: Response, { onReceived }: CallOptions): Promise<unknown> {
  if (answer === 'bytes') return receiveBlob(response, onReceived);
  const text = await response.text();
  if (answer === undefined) return JSON.parse(text);
  // The login page of a network says 200 to everything; nothing was deleted.
  if (text !== '') throw new SyntaxError('The answer should be empty');
  return undefined;
}

/** An empty part would lead to another operation. */
function pathPart(named: Readonly<Record<string, unknown>>, name: string): string {
  const part = typeof named[name] === 'number' ? String(named[name]) : named[name];
  if (typeof part !== 'string' || part === '') throw new TypeError(`${name} is missing`);
  return part;
}

function queryOf(input: unknown): string {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))).toString();
  return query === '' ? '' : `?${query}`;
}

function bodyOf({ input: kind }: OperationRow, input: unknown): CallBody | null {
  if (kind === undefined) return null;
  switch (kind) {
    case 'query':
      return null;
    case 'json':
      return input instanceof Blob ? input : JSON.stringify(input);
    case 'form':
      return new URLSearchParams(input as Record<string, string>);
    case 'file':
      return isLink(input as Upload | Link) ? JSON.stringify(input) : formOf(input as Upload);
  }
}

/** A file can have no field of this name. */
export function isLink(input: Upload | Link): input is Link {
  return 'url' in input;
}

function formOf(file: Upload): FormData {
  const form = new FormData();
  const content = file instanceof Blob ? file : new Blob([file.content], typeOf(file));
  form.append('file', content, file.name);
  return form;
}

/** A Blob knows its own type; without an explicit type that is kept. */
function typeOf({ content, type }: Exclude<Upload, Blob>): { type?: string } {
  if (type !== undefined) return { type };
  return content instanceof Blob ? { type: content.type } : {};
}
