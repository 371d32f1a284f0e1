import { useEffect, useState } from 'preact/hooks';
import type { PublicUser } from '../../client/index.js';
import { reasonOf } from '../state/notices.js';
import { client } from '../state/session.js';

export type UserSearch =
  | { readonly kind: 'idle' }
  | { readonly kind: 'searching' }
  | { readonly kind: 'found'; readonly text: string; readonly users: readonly PublicUser[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** A pause in typing. */
const PAUSE_MS = 250;
const MAX_SHOWN = 6;

/** Finds users while their name is typed. Only the answer to the latest text is shown. */
export function useUserSearch(text: string): UserSearch {
  const [search, setSearch] = useState<UserSearch>({ kind: 'idle' });
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === '') return setSearch({ kind: 'idle' });
    const controller = new AbortController();
    const { signal } = controller;
    const find = async (): Promise<void> => {
      try {
        const users = await client.users.search({ search: wanted, limit: MAX_SHOWN }, { signal });
        if (!signal.aborted) setSearch({ kind: 'found', text: wanted, users: users.filter(({ is_active }) => is_active) });
      } catch (error) {
        if (!signal.aborted) setSearch({ kind: 'failed', reason: reasonOf(error) });
      }
    };
    setSearch((before) => (before.kind === 'found' ? before : { kind: 'searching' }));
    const timer = setTimeout(() => void find(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted]);
  return search;
}
