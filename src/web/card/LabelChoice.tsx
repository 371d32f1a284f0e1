/** The labels of the board, to put on a card, and the form for a new one. */
import { useRef, useState } from 'preact/hooks';
import { createdId, newKey, type Card } from '../../client/index.js';
import { draftOf, keepNewText } from '../state/drafts.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/form/Button.js';
import { ColorChoice } from '../ui/form/ColorChoice.js';
import { LabelChip } from '../ui/LabelChip.js';
import { say } from '../words/catalogue.js';

const MAX_CHARACTERS = 255;
const FIRST_COLOR = '#2f6feb';

interface LabelChoiceProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function LabelChoice({ open, card }: LabelChoiceProps) {
  const labels = open.board.value?.labels ?? [];
  const ids = new Set(card.labels.map(({ id }) => id));
  const toggle = (labelId: string): void =>
    void open.change(ids.has(labelId) ? 'card.removeLabel' : 'card.addLabel', { card_id: card.id, label_id: labelId });
  return (
    <div class="choices">
      {labels.length > 0 && (
        <fieldset>
          <legend>{say('facts.labels')}</legend>
          {labels.map((label) => (
            <label key={label.id} class="choice">
              <input type="checkbox" checked={ids.has(label.id)} onChange={() => toggle(label.id)} />
              <LabelChip label={label} />
            </label>
          ))}
        </fieldset>
      )}
      <NewLabel open={open} cardId={card.id} />
    </div>
  );
}

function NewLabel({ open, cardId }: { readonly open: OpenBoard; readonly cardId: string }) {
  const draftKey = `${cardId} new label`;
  const name = draftOf(draftKey)?.text ?? '';
  const setName = (text: string): void => keepNewText(draftKey, text, { boardId: open.id, cardId });
  const [color, setColor] = useState(FIRST_COLOR);
  const input = useRef<HTMLInputElement>(null);
  const create = (): void => {
    input.current?.focus();
    if (name.trim() === '') return;
    const idempotencyKey = newKey();
    void open.change('label.create', { board_id: open.id }, { name: name.trim(), color }, { idempotencyKey });
    void open.change('card.addLabel', { card_id: cardId, label_id: createdId(open.id, idempotencyKey) });
    setName('');
  };
  return (
    <form
      class="new-label"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <input
        ref={input}
        dir="auto"
        value={name}
        maxLength={MAX_CHARACTERS}
        placeholder={say('label.new')}
        aria-label={say('label.newName')}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <ColorChoice label={say('label.newColor')} value={color} onChange={setColor} />
      <div class="row">
        <Button type="submit">{say('label.create')}</Button>
        {name.trim() !== '' && <LabelChip label={{ name, color }} />}
      </div>
    </form>
  );
}
