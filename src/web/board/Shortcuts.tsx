import { Dialog } from '../ui/Dialog.js';

const SHORTCUTS: ReadonlyArray<readonly [keys: readonly string[], meaning: string]> = [
  [['?'], 'Show this list'],
  [['/'], 'Filter the cards'],
  [['n'], 'New card in the column with the focus, or the first'],
  [['c'], 'New column'],
  [['s'], 'Share the board: members and roles'],
  [['l'], 'Labels'],
  [['b'], 'All boards'],
  [['↑', '↓', '←', '→'], 'Walk between cards'],
  [['Enter'], 'Open the card'],
  [['Space'], 'Lift the card; then arrows, and Space to drop it'],
  [['m'], 'Move the card to…'],
  [['Esc'], 'Put back, close'],
];

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {SHORTCUTS.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
