/** The address of the page as a value, and the only way to change it. */
import { signal } from '@preact/signals';

export type Route =
  | {
      readonly screen:
        | 'boards'
        | 'account'
        | 'myCards'
        | 'noticeSettings'
        | 'admin'
        | 'adminWebhooks'
        | 'register'
        | 'forgotPassword'
        | 'resetPassword'
        | 'verifyEmail'
        | 'invitation'
        | 'setup'
        | 'unknown';
    }
  | { readonly screen: 'login'; readonly returnTo: string }
  | { readonly screen: 'board'; readonly boardId: string; readonly cardId: string | null; readonly number: number | null };

export const NOTICES_PATH = '/app/notices';

const PLAIN: Readonly<Record<string, Exclude<Route['screen'], 'login' | 'board'>>> = {
  '/': 'boards',
  '/app': 'boards',
  '/app/boards': 'boards',
  '/app/account': 'account',
  '/app/my-cards': 'myCards',
  [NOTICES_PATH]: 'noticeSettings',
  '/app/admin': 'admin',
  '/app/admin/webhooks': 'adminWebhooks',
  '/app/register': 'register',
  '/app/forgot-password': 'forgotPassword',
  '/app/reset-password': 'resetPassword',
  '/app/verify-email': 'verifyEmail',
  '/app/invitation': 'invitation',
  '/app/setup': 'setup',
};
/** Marks places that were reached within the application. */
const PUSHED = { isPushed: true } as const;
const BOARD = /^\/app\/boards\/([0-9a-f-]{36})(?:\/cards\/([0-9a-f-]{36})|\/c\/([1-9]\d{0,9}))?$/i;

export const route = signal<Route>(parseRoute(location.pathname, location.search));

function parseRoute(path: string, query: string): Route {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
  if (clean === '/app/login') return { screen: 'login', returnTo: localPath(new URLSearchParams(query).get('return_to')) };
  const [, boardId, cardId, number] = BOARD.exec(clean) ?? [];
  if (boardId !== undefined)
    return { screen: 'board', boardId: boardId.toLowerCase(), cardId: cardId?.toLowerCase() ?? null, number: Number(number) || null };
  return { screen: PLAIN[clean] ?? 'unknown' };
}

/** Only a path of this application: anything else could lead to another site. */
export function localPath(path: string | null): string {
  if (path === null || !/^\/(?:app(?:\/[\w/-]*)?(?:\?[^#\\]*)?)?$/.test(path)) return '/';
  return path;
}

export function navigate(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(PUSHED, '', path);
  else history.replaceState(history.state, '', path);
  update();
}

/** From a dialog to what is behind it: back, if the user came from there, so that the next step back leads further. */
export function goUp(path: string): void {
  if ((history.state as unknown) !== null && route.value.screen === 'board') history.back();
  else navigate(path, 'replace');
}

/** Does not lead elsewhere: the query says how the present place is shown. */
export function replaceQuery(query: string): void {
  if (location.search !== query) history.replaceState(history.state, '', location.pathname + query);
}

export const boardPath = (boardId: string): string => `/app/boards/${boardId}`;
export const cardPath = (boardId: string, cardId: string): string => `${boardPath(boardId)}/cards/${cardId}`;
export const numberPath = (boardId: string, number: string): string => `${boardPath(boardId)}/c/${number}`;
/** Of the present place, with how it is shown. */
export const here = (): string => localPath(location.pathname + location.search);
export const loginPath = (returnTo: string): string => (returnTo === '/' ? '/app/login' : `/app/login?return_to=${encodeURIComponent(returnTo)}`);

function update(): void {
  route.value = parseRoute(location.pathname, location.search);
}

/** Follows the back and forward buttons, and links within the application: those with `data-replaces` lead on from an address that is no more. */
export function followAddress(): void {
  addEventListener('popstate', update);
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname !== '/' && link.pathname !== '/app' && !link.pathname.startsWith('/app/')) return;
    event.preventDefault();
    const how = link.dataset['replaces'] === undefined ? 'push' : 'replace';
    if (link.pathname + link.search !== location.pathname + location.search) navigate(link.pathname + link.search, how);
  });
}
