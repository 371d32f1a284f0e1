/** The version of a description that an edit names as its base: the one that its writer sees. */
import type { Card } from '../../../client/index.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { waiting } from '../../state/unsaved.js';

/** Of descriptions that this window has saved and whose event may not have arrived. */
const answered = new Map<string, number>();

/** Saves a description that was written on the version `base`, or else on what is shown. */
export function saveDescription(open: OpenBoard, card: Card, description: string | null, base = baseFor(open, card)): void {
  const change = open.change('card.update', { card_id: card.id }, base === undefined ? { description } : { description, base });
  change.then(
    (made) => {
      // What others wrote is merged into it, and the next edit may not contain that.
      const version = made.description === description ? made.text_version : base;
      if (version !== undefined) answered.set(card.id, version);
    },
    // A refusal is reported where the change is made.
    () => undefined,
  );
}

/** That of the description, if it is shown as the service has it. While a change of it waits, its version is not known. */
export function versionOf(open: OpenBoard, { id, description }: Card): number | undefined {
  const cards = open.confirmed()?.columns.flatMap((column) => column.cards);
  const confirmed = cards?.find((card) => card.id === id);
  return confirmed?.description === description ? confirmed.text_version : undefined;
}

/** Behind an edit that waits the next one names the same base, until the client knows what the first became. */
function baseFor(open: OpenBoard, card: Card): number | undefined {
  const version = versionOf(open, card);
  if (version !== undefined) return version;
  const edit = waiting.value.findLast(({ name, args: [path, fields] }) => {
    return name === 'card.update' && (path as { readonly card_id: string }).card_id === card.id && 'description' in (fields as object);
  });
  return edit === undefined ? answered.get(card.id) : (edit.args[1] as { readonly base?: number }).base;
}
