import { signal } from '@preact/signals';

/** What the menu of the header opens from any screen. */
export const openSheet = signal<'shortcuts' | 'preferences' | null>(null);
