/** What is being moved by hand or by keyboard, and where it would be dropped. */
import { signal } from '@preact/signals';

export type Dragged =
  | { readonly kind: 'card'; readonly id: string; readonly by: 'pointer' | 'keyboard'; readonly columnId: string; readonly beforeId: string | null }
  | { readonly kind: 'column'; readonly id: string; readonly by: 'pointer' | 'keyboard'; readonly beforeId: string | null };

export class Dragging {
  readonly current = signal<Dragged | null>(null);

  /** Ignored if nothing changes, so that moving the pointer shows nothing anew. */
  set(dragged: Dragged | null): void {
    const { value } = this.current;
    if (JSON.stringify(value) !== JSON.stringify(dragged)) this.current.value = dragged;
  }
}
