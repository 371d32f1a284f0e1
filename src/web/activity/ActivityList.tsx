/** Who changed what, the newest first: of a board, or of one card. */
import { useEffect, useState } from 'preact/hooks';
import type { Activity } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say } from '../words/catalogue.js';
import { sentenceOf } from './sentences.js';

interface ActivityListProps {
  readonly open: OpenBoard;
  /** Null for all of the board. */
  readonly cardId: string | null;
}

interface Page {
  readonly activity: readonly Activity[];
  readonly next: number | null;
}

const PAGE = 30;
/** Others may change much at once; the list is read again when they pause. */
const PAUSE_MS = 400;

export function ActivityList({ open, cardId }: ActivityListProps) {
  const read = (before?: number): Promise<Page> => {
    const query = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    return cardId === null ? client.activity.list({ board_id: open.id }, query) : client.activity.ofCard({ card_id: cardId }, query);
  };
  const [first, readAgain] = useLoaded(() => read(), cardId);
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined;
    const stop = open.onEvent(() => {
      clearTimeout(pause);
      pause = setTimeout(() => void readAgain(), PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(pause);
    };
  }, [open, cardId]);
  return <Loading state={first}>{(page) => <Pages open={open} first={page} read={read} />}</Loading>;
}

interface PagesProps {
  readonly open: OpenBoard;
  readonly first: Page;
  readonly read: (before: number) => Promise<Page>;
}

function Pages({ open, first, read }: PagesProps) {
  const [older, setOlder] = useState<readonly Page[]>([]);
  const board = open.board.value;
  // The newest page may have grown over the older ones.
  const all = new Map([...older, first].flatMap(({ activity }) => activity).map((entry) => [entry.seq, entry]));
  const entries = [...all.values()].sort((a, b) => b.seq - a.seq);
  const { next } = older.at(-1) ?? first;
  const more = (before: number): void =>
    void attempt(say('activity.notRead'), async () => {
      const page = await read(before);
      setOlder((known) => [...known, page]);
    });
  if (board === null) return null;
  return (
    <>
      {entries.length === 0 && next === null && <p class="hint">{say('activity.none')}</p>}
      <ul class="activity" aria-label={say('activity.title')}>
        {entries.map((entry) => (
          <li key={entry.seq}>
            <span>{sentenceOf(entry, board)}</span>{' '}
            <time class="hint" dateTime={entry.at} title={exactTime(entry.at)}>
              {relativeTime(entry.at)}
            </time>
          </li>
        ))}
      </ul>
      {next !== null && (
        <Button kind="quiet" onClick={() => more(next)}>
          {say('activity.older')}
        </Button>
      )}
    </>
  );
}
