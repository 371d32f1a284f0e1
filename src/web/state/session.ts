/** Who is logged in. The tokens are in cookies that no script can read. */
import { signal } from '@preact/signals';
import { ApiError, createClient, type Client, type PublicUser } from '../../client/index.js';
import { localPath, loginPath, navigate } from './route.js';

export type Session =
  | { readonly kind: 'starting' }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly user: PublicUser }
  /** The service did not answer. */
  | { readonly kind: 'unreachable' };

export const session = signal<Session>({ kind: 'starting' });

/** Scripts hold no token: cookies carry the session. */
export const client: Client = createClient({ baseUrl: location.origin, cookie: true });
client.on('sessionEnded', ended);

export async function startSession(): Promise<void> {
  session.value = { kind: 'starting' };
  try {
    session.value = { kind: 'in', user: await client.auth.me() };
  } catch (error) {
    session.value = { kind: error instanceof ApiError ? 'out' : 'unreachable' };
  }
}

export async function logIn(username: string, password: string, returnTo: string): Promise<void> {
  await client.auth.login({ username, password });
  session.value = { kind: 'in', user: await client.auth.me() };
  navigate(returnTo, 'replace');
}

export async function logOut(): Promise<void> {
  await client.auth.logout();
  session.value = { kind: 'out' };
  navigate('/app/login');
}

export function updateUser(user: PublicUser): void {
  session.value = { kind: 'in', user };
}

/** The user that the screens behind the login are for. */
export function currentUser(): PublicUser {
  const { value } = session;
  if (value.kind !== 'in') throw new Error('nobody is logged in');
  return value.user;
}

/** The login comes back to the present place. */
function ended(): void {
  if (session.value.kind !== 'in') return;
  session.value = { kind: 'out' };
  navigate(loginPath(localPath(location.pathname)), 'replace');
}
