import type { Draft } from '../../board/draft.js';
import { descriptionOf, editedText, keepVersion, requireVersions } from '../../board/versions/editing.js';
import type { Card } from '../../model.js';
import { CARD_TEXT_CHARACTERS } from '../../textLimits.js';
import type { BoardCommands } from '../commands.js';
import { update, type HandlerAnswer } from '../handler.js';

/** Changes a card. A new description keeps the one before it; `base` is the version on which it was written. */
export function changeDescription(draft: Draft, card: Card, { base, ...fields }: BoardCommands['card.update']): HandlerAnswer {
  if (fields.description === undefined) return update(draft, 'card.updated', 'card', card, fields);
  if (base !== undefined) requireVersions(draft);
  const current = descriptionOf(card);
  const description = editedText(draft, current, fields.description, base, isAllowed);
  if (description === card.description) return update(draft, 'card.updated', 'card', card, { ...fields, description });
  keepVersion(draft, current);
  const text_edits = card.text_edits + (draft.keepsVersions ? 1 : 0);
  return update(draft, 'card.updated', 'card', card, { ...fields, description, text_edits });
}

/** Counted as the schema of the operation counts. */
function isAllowed(text: string): boolean {
  return [...text].length <= CARD_TEXT_CHARACTERS;
}
