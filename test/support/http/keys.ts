/** API keys of test users. */
import type { Api } from './api.js';

export interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly board_ids: readonly string[] | null;
  readonly expires_at: string | null;
  readonly key: string;
}

export async function newKey(api: Api, { token }: { readonly token: string }, fields: object = {}): Promise<MadeKey> {
  const json = { name: 'a key', scopes: ['write'], ...fields };
  const { status, body } = await api.request<MadeKey>('POST', '/auth/keys', { token, json });
  if (status !== 201) throw new Error(`the key was refused with ${status}: ${JSON.stringify(body)}`);
  return body;
}
