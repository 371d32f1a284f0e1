/** The cover of a card: a colour is chosen here, a picture among the files. */
import type { Card } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/form/Button.js';
import { ColorChoice } from '../ui/form/ColorChoice.js';
import { Popover } from '../ui/Menu.js';
import { say } from '../words/catalogue.js';

interface CoverChoiceProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function CoverChoice({ open, card }: CoverChoiceProps) {
  const { cover = null } = card;
  const change = (next: Card['cover']): void => void open.change('card.update', { card_id: card.id }, { cover: next });
  if (!open.mayChange.value) return null;
  return (
    <section aria-label={say('cover.title')}>
      <h3>{say('cover.title')}</h3>
      <div class="card-values">
        {cover !== null && 'color' in cover && <span class="card-cover-sample" style={{ background: cover.color }} />}
        <Popover icon="picture" label={say('cover.choose')} {...(cover === null ? { text: say('cover.color') } : {})}>
          {() => (
            <ColorChoice
              label={say('cover.color')}
              value={cover !== null && 'color' in cover ? cover.color : ''}
              onChange={(color) => change({ color })}
            />
          )}
        </Popover>
        {cover !== null && (
          <Button kind="quiet" icon="close" onClick={() => change(null)}>
            {say('cover.remove')}
          </Button>
        )}
      </div>
    </section>
  );
}
