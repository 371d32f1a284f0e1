/** The colour and the icon of the board, which its owners choose. */
import { useState } from 'preact/hooks';
import type { SectionProps } from './sectionProps.js';
import { BoardMark } from '../ui/BoardMark.js';
import { Button } from '../ui/form/Button.js';
import { ColorChoice } from '../ui/form/ColorChoice.js';
import { say } from '../words/catalogue.js';

/** For what most boards are about; the field takes any other. */
const ICONS = ['📋', '🚀', '🐞', '🎨', '📣', '🧪', '🛠️', '📈', '💡', '🎯', '🗓️', '🤝', '🏠', '🎉', '🌱', '📚'];
/** A flag of a region is the longest in use. */
const MAX_CHARACTERS = 32;

export function IdentitySection({ open, board }: SectionProps) {
  const [own, setOwn] = useState('');
  const change = (fields: { color?: string | null; icon?: string | null }): void => void open.change('board.update', { board_id: board.id }, fields);
  const { color, icon } = board;
  return (
    <section class="identity" aria-labelledby="panel-identity">
      <h3 id="panel-identity">{say('identity.title')}</h3>
      <div class="identity-now">
        <BoardMark color={color} icon={icon} />
        <p class="hint">{say('identity.hint')}</p>
        {(color !== null || icon !== null) && (
          <Button kind="quiet" onClick={() => change({ color: null, icon: null })}>
            {say('identity.none')}
          </Button>
        )}
      </div>
      <ColorChoice label={say('identity.color')} value={color ?? ''} onChange={(chosen) => change({ color: chosen })} />
      <div class="emojis" role="group" aria-label={say('identity.icon')}>
        {ICONS.map((each) => (
          <button key={each} type="button" class="emoji" aria-pressed={icon === each} onClick={() => change({ icon: each })}>
            {each}
          </button>
        ))}
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (own.trim() !== '') change({ icon: own.trim() });
          setOwn('');
        }}
      >
        <input
          class="own-emoji"
          value={own}
          maxLength={MAX_CHARACTERS}
          aria-label={say('identity.own')}
          placeholder={say('identity.own')}
          onInput={(event) => setOwn(event.currentTarget.value)}
        />
        <Button type="submit" disabled={own.trim() === ''}>
          {say('identity.use')}
        </Button>
      </form>
    </section>
  );
}
