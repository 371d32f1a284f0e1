/** Who else is writing, before two people write the same. */
import { useEffect } from 'preact/hooks';
import type { CardPart, OpenBoard } from '../state/openBoard.js';
import { say } from '../words/catalogue.js';

/** Lets the others see it, while it is so. */
export function useWriting(open: OpenBoard, part: CardPart, isWriting: boolean): void {
  useEffect(() => (isWriting ? open.showWriting(part) : undefined), [open, part, isWriting]);
}

/** Its place is always there, so that a new name is spoken. */
export function Writers({ names }: { readonly names: readonly string[] }) {
  return (
    <p class="hint" role="status" dir="auto">
      {writing(names)}
    </p>
  );
}

/** For one of many places. */
export function WritersIfAny({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : (
    <p class="hint" dir="auto">
      {writing(names)}
    </p>
  );
}

function writing(names: readonly string[]): string {
  const [name = ''] = names;
  if (names.length === 0) return '';
  return names.length === 1 ? say('description.writes', { name }) : say('description.write', { names: names.join(', ') });
}
