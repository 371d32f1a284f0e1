import { randomUUID } from 'node:crypto';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { Api } from './api.js';

export interface TestUser {
  readonly user: PublicUser;
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

export interface Registration {
  readonly email: string;
  readonly username: string;
  readonly password: string;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
}

/** A registration with an unused e-mail address and username. */
export function newRegistration(fields: Partial<Registration> = {}): Registration {
  const username = `user-${randomUUID()}`;
  return { email: `${username}@example.org`, username, password: 'correct horse battery staple', ...fields };
}

export async function register(api: Api, fields: Partial<Registration> = {}): Promise<PublicUser & Registration> {
  const registration = newRegistration(fields);
  const { status, body } = await api.request<PublicUser>('POST', '/auth/register', { json: registration });
  if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`);
  return { ...registration, ...body };
}

/** The access token. `login` is an e-mail address or a username. */
export async function logIn(api: Api, login: string, password: string): Promise<string> {
  const form = { username: login, password };
  const { status, body } = await api.request<{ access_token: string }>('POST', '/auth/login', { form });
  if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
  return body.access_token;
}

/** Registered and logged in. */
export async function newUser(api: Api, fields: Partial<Registration> = {}): Promise<TestUser> {
  const { password, ...user } = await register(api, fields);
  const { id, email, username } = user;
  return { user, id, email, username, password, token: await logIn(api, email, password) };
}
