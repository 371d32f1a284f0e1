import { signal } from '@preact/signals';

/** The open dialogs, the topmost last. Nothing outside of that one can be reached, or is read out. */
export const openDialogs = signal<readonly symbol[]>([]);

/** Returns a function that takes it away again. */
export function addDialog(dialog: symbol): () => void {
  openDialogs.value = [...openDialogs.value, dialog];
  return () => {
    openDialogs.value = openDialogs.value.filter((each) => each !== dialog);
  };
}
