/** Who is logged in. The tokens are in cookies that no script can read. */
import { signal } from '@preact/signals';
import { ApiError, createClient, type Account, type Client, type PublicUser } from '../../client/index.js';
import { checkCopies, removeCopies, takeCopies } from '../kept/boardCopies.js';
import { readDrafts } from '../kept/draftStore.js';
import { pageStore } from './pageStore.js';
import { endReasonIn } from '../words/endReason.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { speakAs } from '../words/language.js';
import { InputError } from './notices.js';
import { here, loginPath, navigate } from './route.js';

export type Session =
  | { readonly kind: 'starting' }
  /** `ended`: why, if not by this window. */
  | { readonly kind: 'out'; readonly ended: PlainKey | null }
  | { readonly kind: 'in'; readonly user: Account }
  /** The service did not answer. */
  | { readonly kind: 'unreachable' };

export const session = signal<Session>({ kind: 'starting' });

/** Scripts hold no token: cookies carry the session. */
export const client: Client = createClient({ baseUrl: location.origin, cookie: true, store: pageStore });
client.on('sessionEnded', ended);
client.unsent.on('loggedOut', () => void checkUser());
client.on('userRefused', () => void checkUser());

/** Rises with every login and logout: what was asked before says nothing any more. */
let logins = 0;
/** Before the login the page has the language of the browser. */
const NOBODY = { language: null, time_zone: null };
const CHECK_AGAIN_MS = 5_000;
/** One hiccup is forgiven; then the boards that were kept are shown, and it is asked again. */
const WHO_RETRY = { attempts: 2, maxMs: 2_000, timeoutMs: 8_000 } as const;

export async function startSession(): Promise<void> {
  session.value = { kind: 'starting' };
  await askWho();
}

/** While the service is away; what is shown meanwhile stays. */
export async function retrySession(): Promise<void> {
  if (session.value.kind === 'unreachable') await askWho();
}

async function askWho(): Promise<void> {
  try {
    // Before anything is shown: forms begin with their drafts.
    const [user] = await Promise.all([client.auth.me({ retry: WHO_RETRY }), readDrafts()]);
    enter(user);
  } catch (error) {
    // A proxy answers for a service that is away.
    const isAnswer = error instanceof ApiError && error.status < 500;
    if (isAnswer) {
      void speakAs(NOBODY);
      rememberUser(null);
      const wasHere = await takeCopies();
      session.value = { kind: 'out', ended: endReasonIn(error) ?? (wasHere ? 'ended.unknown' : null) };
    } else if (session.value.kind !== 'unreachable') session.value = { kind: 'unreachable' };
  }
}

/** Of the boards that the user is on. The service decides how many a page has. */
async function readBoardIds(): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (;;) {
    const known = ids.size;
    for (const { id } of await client.board.list({ offset: known })) ids.add(id);
    if (ids.size === known) return ids;
  }
}

/** A call was refused for its session, or another window has said so: perhaps another user has logged in, in another window. */
async function checkUser(): Promise<void> {
  const asked = logins;
  const isAsked = (): boolean => asked === logins && session.value.kind === 'in';
  const again = (work: () => void): unknown => setTimeout(() => isAsked() && work(), CHECK_AGAIN_MS);
  try {
    const user = await client.auth.me();
    if (!isAsked()) return;
    if (user.id === currentUser().id) again(() => client.resume(user.id));
    // What this window shows, and its socket, belong to the user before.
    else location.reload();
  } catch (error) {
    if (!isAsked()) return;
    if (error instanceof ApiError && error.status === 401) ended({ error });
    else again(() => void checkUser());
  }
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Of the second factor. */
  readonly code?: string;
}

/** Goes to `returnTo`; without it, the screen stays. */
export async function logIn(credentials: Credentials, returnTo?: string): Promise<void> {
  await client.auth.login({ ...credentials });
  const [user] = await Promise.all([client.auth.me().catch(notKept), readDrafts()]);
  enter(user);
  if (returnTo !== undefined) navigate(returnTo, 'replace');
}

/** The password was right, and the next request is of nobody. */
function notKept(error: unknown): never {
  throw error instanceof ApiError && error.status === 401 ? new InputError(say(isSecureContext ? 'address.noCookies' : 'address.needsHttps')) : error;
}

/** The password was right, and a code of the second factor is needed too. */
export function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.body['second_factor'] === 'required';
}

/** The id of the user whose session was not known to end, for the time when the service does not answer. */
const USER_AS = 'switchboard user';

// A login or logout in another window, whose cookies this one has from then on.
addEventListener('storage', ({ key, newValue }) => {
  const { value } = session;
  if (key === USER_AS && value.kind === 'in' && newValue !== value.user.id) void checkUser();
});

export function lastUserId(): string | null {
  try {
    return localStorage.getItem(USER_AS);
  } catch {
    // A browser that keeps nothing.
    return null;
  }
}

function rememberUser(id: string | null): void {
  try {
    if (id === null) localStorage.removeItem(USER_AS);
    else localStorage.setItem(USER_AS, id);
  } catch {
    // Then nobody is known while the service is away.
  }
}

/** Also out of the provider of single sign-on, if the session came from there. */
export async function logOut(): Promise<void> {
  const { logout_url: elsewhere } = await client.auth.logout();
  logins += 1;
  client.suspend();
  rememberUser(null);
  void removeCopies();
  void speakAs(NOBODY);
  session.value = { kind: 'out', ended: null };
  if (elsewhere === undefined) navigate('/app/login');
  else location.assign(elsewhere);
}

export function updateUser(user: PublicUser | Account): void {
  const account = { ...currentUser(), ...user };
  session.value = { kind: 'in', user: account };
  void speakAs(account);
}

/** What this user has left unsent is sent now. */
function enter(user: Account): void {
  logins += 1;
  rememberUser(user.id);
  void speakAs(user);
  client.resume(user.id);
  void checkCopies(user.id, readBoardIds);
  session.value = { kind: 'in', user };
}

/** The user that the screens behind the login are for. */
export function currentUser(): Account {
  const { value } = session;
  if (value.kind !== 'in') throw new Error('nobody is logged in');
  return value.user;
}

/** The login comes back to the present place. */
function ended({ error }: { readonly error: unknown }): void {
  if (session.value.kind !== 'in') return;
  rememberUser(null);
  void removeCopies();
  session.value = { kind: 'out', ended: endReasonIn(error) ?? 'ended.unknown' };
  navigate(loginPath(here()), 'replace');
}
