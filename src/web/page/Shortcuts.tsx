/** The keys of a board. */
import { preferences } from './preferences.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { Dialog } from '../ui/Dialog.js';

/** As it is printed on the key; some keyboards have words. */
type Cap = string | { readonly word: PlainKey };
type Shortcut = readonly [keys: readonly Cap[], meaning: PlainKey];

const ON_BOARD: readonly Shortcut[] = [
  [['?'], 'shortcuts.showList'],
  [['/'], 'shortcuts.filter'],
  [['n'], 'shortcuts.newCard'],
  [['c'], 'shortcuts.newColumn'],
  [['s'], 'shortcuts.share'],
  [['l'], 'shortcuts.labels'],
  [['b'], 'shortcuts.boards'],
  [['↑', '↓', '←', '→'], 'shortcuts.walk'],
  [[{ word: 'key.control' }, 'z'], 'shortcuts.undo'],
  [[{ word: 'key.control' }, { word: 'key.shift' }, 'z'], 'shortcuts.redo'],
  [[{ word: 'key.escape' }], 'shortcuts.putBack'],
];
const ON_CARD: readonly Shortcut[] = [
  [[{ word: 'key.enter' }], 'shortcuts.open'],
  [[{ word: 'key.space' }], 'shortcuts.lift'],
  [['m'], 'shortcuts.move'],
  [['a'], 'shortcuts.assignMe'],
  [['t'], 'shortcuts.label'],
  [['e'], 'shortcuts.edit'],
  [[{ word: 'key.delete' }], 'shortcuts.delete'],
];

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={say('shortcuts.title')} onClose={onClose}>
      {!preferences.value.hasLetterKeys && <p class="card-hint">{say('shortcuts.areOff')}</p>}
      {/* In a low window the list is longer than the dialog: with the focus in it the arrow keys scroll. */}
      <div tabIndex={0} role="group" aria-label={say('shortcuts.title')}>
        <h3>{say('shortcuts.onBoard')}</h3>
        <List shortcuts={ON_BOARD} />
        <h3>{say('shortcuts.onCard')}</h3>
        <List shortcuts={ON_CARD} />
      </div>
    </Dialog>
  );
}

function List({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <dl class="shortcuts">
      {shortcuts.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            {keys
              .map((cap) => (typeof cap === 'string' ? cap : say(cap.word)))
              .map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
          </dt>
          <dd>{say(meaning)}</dd>
        </div>
      ))}
    </dl>
  );
}
