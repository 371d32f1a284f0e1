import { useEffect } from 'preact/hooks';
import { navigate } from '../state/route.js';
import { undoing } from '../activity/loadUndoing.js';
import type { OpenBoard } from '../state/openBoard.js';
import { preferences } from '../page/preferences.js';
import { openSheet } from '../page/sheets.js';
import { notify } from '../state/notices.js';
import { say } from '../words/catalogue.js';

/** Keys that work anywhere on the board, unless the user is typing or a dialog is open. */
export function useShortcuts(open: OpenBoard): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isUndoKey(event)) {
        event.preventDefault();
        undoing().then(
          ({ undo, redo }) => (event.shiftKey ? redo(open) : undo(open)),
          () => notify('failure', say('app.partNotLoaded')),
        );
        return;
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (!preferences.value.hasLetterKeys || document.querySelector('dialog[open]') !== null) return;
      if (act(event.key, event.target)) event.preventDefault();
    };
    const act = (key: string, target: EventTarget | null): boolean => {
      switch (key) {
        case '?':
          openSheet.value = 'shortcuts';
          return true;
        case '/':
          document.querySelector<HTMLElement>('[data-filter]')?.focus();
          return true;
        case 'n': {
          if (!open.mayChange.value) return false;
          const column = target instanceof Element ? target.closest<HTMLElement>('[data-column-id]') : null;
          open.addingTo.value = column?.dataset['columnId'] ?? open.board.value?.columns[0]?.id ?? null;
          return true;
        }
        case 'c':
          document.querySelector<HTMLElement>('[data-add-column]')?.click();
          return true;
        case 's':
          open.panel.value = 'members';
          return true;
        case 'l':
          open.panel.value = 'labels';
          return true;
        case 'b':
          navigate('/');
          return true;
        default:
          return false;
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
}

/** Also while a dialog is open. In a field the browser undoes what was typed. */
function isUndoKey({ key, ctrlKey, metaKey, altKey, defaultPrevented, target }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && (ctrlKey || metaKey) && !altKey && !defaultPrevented && !isTyping(target);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');
}
