/** Whether the user watches a board, column or card: read when it is shown, and changed at once. */
import { useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { MenuItem } from '../ui/Menu.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say } from '../words/catalogue.js';

interface Watched {
  readonly kind: 'board' | 'column' | 'card';
  readonly id: string;
}

type Choice = 'get' | 'start' | 'end';

function ask({ kind, id }: Watched, choice: Choice): Promise<{ readonly watching: boolean }> {
  const { getBoard, getColumn, getCard, board, column, card, endBoard, endColumn, endCard } = client.watch;
  switch (kind) {
    case 'board':
      return { get: getBoard, start: board, end: endBoard }[choice]({ board_id: id });
    case 'column':
      return { get: getColumn, start: column, end: endColumn }[choice]({ column_id: id });
    case 'card':
      return { get: getCard, start: card, end: endCard }[choice]({ card_id: id });
  }
}

/** Null until it is known. */
function useWatching(watched: Watched): readonly [boolean | null, (isOn: boolean) => void] {
  const [loaded] = useLoaded(() => ask(watched, 'get'), watched.id);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const before = chosen ?? (loaded.kind === 'ready' ? loaded.value.watching : null);
  const choose = async (isOn: boolean): Promise<void> => {
    setChosen(isOn);
    if (!(await attempt(say('watch.notSaved'), () => ask(watched, isOn ? 'start' : 'end')))) setChosen(before);
  };
  return [before, (isOn) => void choose(isOn)];
}

/** In a menu, which it closes. It comes last: when it is there, nothing moves. */
export function WatchItem({ kind, id, onChosen }: Watched & { readonly onChosen: () => void }) {
  const [isWatching, choose] = useWatching({ kind, id });
  if (isWatching === null) return null;
  return (
    <MenuItem
      icon={isWatching ? 'check' : 'eye'}
      onChoose={() => {
        onChosen();
        choose(!isWatching);
      }}
    >
      {isWatching ? say('watch.end') : say('watch.start')}
    </MenuItem>
  );
}

export function WatchCard({ cardId }: { readonly cardId: string }) {
  const [isWatching, choose] = useWatching({ kind: 'card', id: cardId });
  return (
    <Button kind="quiet" icon={isWatching === true ? 'check' : 'eye'} disabled={isWatching === null} onClick={() => choose(isWatching !== true)}>
      {isWatching === true ? say('watch.end') : say('watch.start')}
    </Button>
  );
}
