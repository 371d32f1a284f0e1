import { useState } from 'preact/hooks';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/form/Button.js';
import { Icon } from '../ui/Icon.js';
import { say } from '../words/catalogue.js';
import { ActivityList } from './ActivityList.js';

interface CardActivityProps {
  readonly open: OpenBoard;
  readonly cardId: string;
}

/** Read when it is asked for: most who open a card do not. */
export function CardActivity({ open, cardId }: CardActivityProps) {
  const [isShown, setShown] = useState(false);
  return (
    <section class="card-part" aria-label={say('activity.title')}>
      <div class="card-part-header">
        <h3>
          <Icon name="clock" /> {say('activity.title')}
        </h3>
        <Button kind="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? say('activity.hide') : say('activity.show')}
        </Button>
      </div>
      {isShown && <ActivityList open={open} cardId={cardId} />}
    </section>
  );
}
