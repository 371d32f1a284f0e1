/** Commits of the directory as bytes: JSON, in which secrets are sealed. */
import type { DirectoryCommit } from '../../domain/directory/tables.js';

/** Sealed by themselves, besides the record: earlier programs did so, and their logs are read. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['hashed_password']);

/** Encrypts a secret; `context` must be the same for both. */
export interface SecretSeal {
  close(secret: Uint8Array, context: Uint8Array): Uint8Array;
  open(sealed: Uint8Array, context: Uint8Array): Uint8Array;
}

/** Raise it when an older program would misread what this one writes. */
const VERSION = 1;

export function encodeDirectoryCommit(commit: DirectoryCommit, seal: SecretSeal): Uint8Array {
  const context = contextOf(commit.number);
  const text = JSON.stringify({ version: VERSION, ...commit }, (field, value: unknown) =>
    SECRET_FIELDS.has(field) && typeof value === 'string'
      ? { sealed: Buffer.from(seal.close(Buffer.from(value), context)).toString('base64') }
      : value,
  );
  return Buffer.from(text);
}

export function decodeDirectoryCommit(bytes: Uint8Array, seal: SecretSeal): DirectoryCommit {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const { version, number } = JSON.parse(text) as DirectoryCommit & { readonly version: number };
  if (version !== VERSION) throw new Error(`a commit of version ${version}; this program reads version ${VERSION}`);
  const context = contextOf(number);
  const { writes } = JSON.parse(text, (field, value: unknown) => {
    if (!SECRET_FIELDS.has(field) || value === null) return value;
    const sealed = (value as { readonly sealed?: string }).sealed;
    if (sealed === undefined) throw new Error(`commit ${number} has a secret that is not sealed`);
    return Buffer.from(seal.open(Buffer.from(sealed, 'base64'), context)).toString();
  }) as DirectoryCommit;
  return { number, writes };
}

/** A secret cannot be moved to another commit. */
function contextOf(number: number): Uint8Array {
  return Buffer.from(`directory commit ${number}`);
}
