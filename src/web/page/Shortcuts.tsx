/** The keys of a board. */
import { preferences } from './preferences.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { Dialog } from '../ui/Dialog.js';

type Shortcut = readonly [keys: readonly string[], meaning: PlainKey];

const ON_BOARD: readonly Shortcut[] = [
  [['?'], 'shortcuts.showList'],
  [['/'], 'shortcuts.filter'],
  [['n'], 'shortcuts.newCard'],
  [['c'], 'shortcuts.newColumn'],
  [['s'], 'shortcuts.share'],
  [['l'], 'shortcuts.labels'],
  [['b'], 'shortcuts.boards'],
  [['↑', '↓', '←', '→'], 'shortcuts.walk'],
  [['Esc'], 'shortcuts.putBack'],
];
const ON_CARD: readonly Shortcut[] = [
  [['Enter'], 'shortcuts.open'],
  [['Space'], 'shortcuts.lift'],
  [['m'], 'shortcuts.move'],
  [['a'], 'shortcuts.assignMe'],
  [['t'], 'shortcuts.label'],
  [['e'], 'shortcuts.edit'],
  [['Delete'], 'shortcuts.delete'],
];

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={say('shortcuts.title')} onClose={onClose}>
      {!preferences.value.hasLetterKeys && <p class="card-hint">{say('shortcuts.areOff')}</p>}
      <h3>{say('shortcuts.onBoard')}</h3>
      <List shortcuts={ON_BOARD} />
      <h3>{say('shortcuts.onCard')}</h3>
      <List shortcuts={ON_CARD} />
    </Dialog>
  );
}

function List({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <dl class="shortcuts">
      {shortcuts.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{say(meaning)}</dd>
        </div>
      ))}
    </dl>
  );
}
