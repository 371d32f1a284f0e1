/** The labels of the board, and how many cards each of them has. */
import { deleteLabel } from '../activity/loadUndoing.js';
import { useMemo, useState } from 'preact/hooks';
import type { FullBoard, Label } from '../../client/index.js';
import { draftOf, keepNewText } from '../state/drafts.js';
import { announce } from '../state/notices.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { ColorChoice, COLORS } from '../ui/form/ColorChoice.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { InlineText } from '../ui/form/InlineText.js';
import type { SectionProps } from './sectionProps.js';
import { formatNumber, say, sayWith } from '../words/catalogue.js';

const MAX_CHARACTERS = 255;

export function LabelsSection({ open, board }: SectionProps) {
  const counts = useMemo(() => countCards(board), [board.columns]);
  const most = Math.max(1, ...counts.values());
  return (
    <>
      {open.mayChange.value && <NewLabel open={open} board={board} />}
      <section aria-labelledby="panel-labels">
        <h3 id="panel-labels">{say('labels.count', { count: board.labels.length })}</h3>
        {board.labels.length === 0 && <p class="empty">{say('labels.empty')}</p>}
        <ul class="rows">
          {board.labels.map((label) => (
            <LabelRow key={label.id} open={open} label={label} count={counts.get(label.id) ?? 0} most={most} />
          ))}
        </ul>
      </section>
    </>
  );
}

/** The same numbers as the statistics of the service, without waiting for it. */
function countCards({ columns }: FullBoard): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { cards } of columns) {
    for (const { labels } of cards) {
      for (const { id } of labels) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

function NewLabel({ open, board }: SectionProps) {
  const draftKey = `${board.id} new label`;
  const typed = draftOf(draftKey)?.text ?? '';
  const keep = (text: string): void => keepNewText(draftKey, text, { boardId: board.id, cardId: null });
  const [chosen, setColor] = useState<string | null>(null);
  // The next colour of the palette, so that labels differ without a choice.
  const color = chosen ?? COLORS[(board.labels.length + 1) % COLORS.length]?.[1] ?? '#6b7280';
  return (
    <form
      class="new-label"
      aria-label={say('label.new')}
      onSubmit={(event) => {
        event.preventDefault();
        const name = typed.trim();
        if (name === '') return;
        keep('');
        setColor(null);
        void open.change('label.create', { board_id: board.id }, { name, color });
        announce(say('labels.made', { name }));
      }}
    >
      <div class="row">
        <input
          dir="auto"
          maxLength={MAX_CHARACTERS}
          value={typed}
          placeholder={say('labels.newName')}
          aria-label={say('labels.newName')}
          onInput={(event) => keep(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit">
          {say('common.add')}
        </Button>
      </div>
      <ColorChoice label={say('label.newColor')} value={color} onChange={setColor} />
    </form>
  );
}

interface LabelRowProps {
  readonly open: SectionProps['open'];
  readonly label: Label;
  readonly count: number;
  /** The largest count of all labels. */
  readonly most: number;
}

function LabelRow({ open, label, count, most }: LabelRowProps) {
  const [isAsking, setAsking] = useState(false);
  const [isColoring, setColoring] = useState(false);
  const path = { label_id: label.id };
  const mayChange = open.mayChange.value;
  const cards = say('labels.cards', { count });
  return (
    <li class="row-item is-label">
      <button
        type="button"
        class="color-button"
        aria-label={say('labels.colorOf', { name: label.name })}
        title={say('labels.color')}
        disabled={!mayChange}
        aria-expanded={isColoring}
        onClick={() => setColoring(!isColoring)}
      >
        <span class="color-dot" style={{ background: label.color }} />
      </button>
      <div class="row-main">
        <InlineText
          class="row-name"
          value={label.name}
          label={say('labels.name')}
          isDisabled={!mayChange}
          onChange={(name, isOvertaken) => open.saveText(isOvertaken, 'label.update', path, { name })}
        />
        <div class="bar" aria-hidden="true">
          <span style={{ width: `${(100 * count) / most}%`, background: label.color }} />
        </div>
      </div>
      <span class="count" title={cards}>
        <span aria-hidden="true">{formatNumber(count)}</span>
        <span class="only-spoken">{cards}</span>
      </span>
      {mayChange && <IconButton icon="trash" label={say('labels.deleteIt', { name: label.name })} onClick={() => setAsking(true)} />}
      {isColoring && mayChange && (
        <div class="row-note">
          <ColorChoice
            label={say('labels.colorsFor', { name: label.name })}
            value={label.color}
            onChange={(color) => void open.change('label.update', path, { color })}
          />
        </div>
      )}
      {isAsking && mayChange && (
        <ConfirmDialog
          title={say('labels.deleteQuestion')}
          text={
            count === 0
              ? sayWith('labels.deleteUnused', { name: <bdi>{label.name}</bdi> })
              : sayWith('labels.deleteText', { name: <bdi>{label.name}</bdi>, count })
          }
          action={say('labels.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => deleteLabel(open, label)}
        />
      )}
    </li>
  );
}
