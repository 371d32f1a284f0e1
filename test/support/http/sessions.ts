/** Logins with their refresh tokens. */
import type { Api, ApiResponse } from './api.js';

export interface Pair {
  readonly access_token: string;
  readonly refresh_token: string;
}

export interface SessionView {
  readonly id: string;
  readonly device: string;
  readonly address: string;
  readonly created_at: string;
  readonly last_seen: string;
  readonly expires_at: string;
  readonly current: boolean;
}

export async function logInPair(
  api: Api,
  { email, password }: { readonly email: string; readonly password: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<Pair> {
  const { status, body } = await api.request<Pair>('POST', '/auth/login', { form: { username: email, password }, headers });
  if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

export function refresh(api: Api, refresh_token: string): Promise<ApiResponse<Pair>> {
  return api.request<Pair>('POST', '/auth/refresh', { json: { refresh_token } });
}

export async function statusOf(api: Api, token: string): Promise<number> {
  return (await api.request('GET', '/auth/me', { token })).status;
}

export async function sessionsOf(api: Api, token: string): Promise<SessionView[]> {
  return (await api.request<SessionView[]>('GET', '/auth/sessions', { token })).body;
}
