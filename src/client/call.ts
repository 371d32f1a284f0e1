/** One call: from a table row and its arguments to a request, and from the response to an answer. */
import { ApiError } from './apiError.js';

/** How an operation is sent, and what it returns. */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/cards/{card_id}/move`. */
  readonly path: string;
  readonly input: 'none' | 'query' | 'json' | 'form' | 'file';
  readonly answer: 'json' | 'bytes' | 'nothing';
}

export interface CallOptions {
  readonly signal?: AbortSignal;
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

/** The address of the service and the credential. */
export interface Session {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  token: string | null;
}

/** Throws an `ApiError` if the service refused. */
export async function send(session: Session, row: OperationRow, args: readonly unknown[]): Promise<Response> {
  const { path, input, signal } = sortArguments(row, args);
  const query = row.input === 'query' ? queryOf(input) : '';
  const headers = new Headers();
  if (session.token !== null) headers.set('authorization', `Bearer ${session.token}`);
  if (row.input === 'json') headers.set('content-type', 'application/json');
  const response = await session.fetch(`${session.baseUrl}${path}${query}`, {
    method: row.method,
    headers,
    body: bodyOf(row, input),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await ApiError.from(response);
  return response;
}

export async function readAnswer(row: OperationRow, response: Response): Promise<unknown> {
  switch (row.answer) {
    case 'json':
      return response.json();
    case 'bytes':
      return response.blob();
    case 'nothing':
      // Read to its end, so that the connection can be reused.
      await response.arrayBuffer();
      return undefined;
  }
}

/** Arguments are the path parameters, the input and the options, each only if the operation has it. */
function sortArguments(row: OperationRow, args: readonly unknown[]): CallOptions & { path: string; input: unknown } {
  const rest = [...args];
  const named = row.path.includes('{') ? (rest.shift() as Readonly<Record<string, string>>) : {};
  const path = row.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(pathPart(named, name)));
  const input = row.input === 'none' ? undefined : rest.shift();
  return { path, input, ...(rest.shift() as CallOptions | undefined) };
}

/** An empty part would lead to another operation. */
function pathPart(named: Readonly<Record<string, string>>, name: string): string {
  const part = named[name];
  if (typeof part !== 'string' || part === '') throw new TypeError(`${name} is missing`);
  return part;
}

function queryOf(input: unknown): string {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))).toString();
  return query === '' ? '' : `?${query}`;
}

function bodyOf({ input: kind }: OperationRow, input: unknown): string | URLSearchParams | FormData | null {
  switch (kind) {
    case 'none':
    case 'query':
      return null;
    case 'json':
      return JSON.stringify(input);
    case 'form':
      return new URLSearchParams(input as Record<string, string>);
    case 'file':
      return formOf(input as Upload);
  }
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
