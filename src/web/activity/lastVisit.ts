/** Which cards others changed since this user last had the board open here. */
import type { OpenBoard } from '../state/openBoard.js';
import { client, currentUser } from '../state/session.js';

const SEEN_AS = 'switchboard seen';
/** As many as the list of opened boards remembers. */
const MAX_BOARDS = 100;
/** Only the newest changes are marked; the activity has the others. */
const MAX_READ = 200;

/** Marks them, and notes how far the user sees. Returns a function that ends it. */
export function followVisit(open: OpenBoard): () => void {
  const { id: user } = currentUser();
  const name = `${SEEN_AS} ${user}`;
  const since = seen(name)[open.id];
  let isOver = false;
  if (since !== undefined) {
    client.activity.list({ board_id: open.id }, { after: since, limit: MAX_READ }).then(
      ({ activity }) => {
        if (!isOver)
          open.changed.value = new Set(activity.flatMap(({ card_id, user: by }) => (card_id === null || by?.id === user ? [] : [card_id])));
      },
      // The marks are missing, and nothing else.
      () => undefined,
    );
  }
  const note = (): void => {
    if (document.visibilityState === 'hidden' || isOver) keep(name, open.id, open.seq);
  };
  document.addEventListener('visibilitychange', note);
  addEventListener('pagehide', note);
  return () => {
    isOver = true;
    note();
    document.removeEventListener('visibilitychange', note);
    removeEventListener('pagehide', note);
  };
}

/** The numbers of the boards; a board that was never open here has none. Anything may stand there. */
function seen(name: string): Readonly<Record<string, number>> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name) ?? '{}');
    const isNumbered = ([, seq]: [string, unknown]): boolean => Number.isSafeInteger(seq) && Number(seq) >= 0;
    return typeof found === 'object' && found !== null
      ? (Object.fromEntries(Object.entries(found).filter(isNumbered)) as Record<string, number>)
      : {};
  } catch {
    return {};
  }
}

/** The boards that were seen last come last. */
function keep(name: string, boardId: string, seq: number): void {
  const { [boardId]: _, ...others } = seen(name);
  try {
    if (seq > 0) localStorage.setItem(name, JSON.stringify(Object.fromEntries([...Object.entries(others), [boardId, seq]].slice(-MAX_BOARDS))));
  } catch {
    // A browser that keeps nothing marks nothing.
  }
}
