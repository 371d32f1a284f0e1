import type { Draft } from '../board/draft.js';
import type { Uuid } from '../ids.js';
import type { Label } from '../model.js';
import { MAX_AT_ONCE } from '../slices.js';
import { dropReferencesTo } from '../board/ruleReferences.js';
import { everyCard, list } from '../board/view.js';
import { removeToTrash } from '../board/trash/trashing.js';
import { createdLast } from '../board/creation.js';
import { announce, update, type HandlersOf } from './handler.js';

export const labelHandlers: HandlersOf<'label'> = {
  'label.list': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: ['label'], isAnswerLarge: false },
    run: (draft, board) => ({ json: draft.render.list('label', board.id) }),
  },

  'label.stats': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: [], isAnswerLarge: false },
    run(draft, board) {
      const counts = countCards(draft);
      const labels = list(draft, 'label', board.id).sort(byName);
      const stats = labels.map(({ id, name, color }) => {
        return { label_id: id, name, color, card_count: counts.get(id) ?? 0 };
      });
      return { json: JSON.stringify(stats) };
    },
  },

  'label.create': {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    run(draft, _board, { name, color }) {
      const label: Label = { id: draft.newId(), name, color, ...createdLast(draft, 'label', draft.id) };
      draft.put('label', label);
      return announce(draft, 'label.created', 'label', label);
    },
  },

  'label.update': {
    target: 'label',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, label, input) => update(draft, 'label.updated', 'label', label, input),
  },

  'label.delete': {
    target: 'label',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, label) {
      draft.emit('label.deleted', draft.render.record('label', label), draft.caller, { kind: 'label', record: label });
      // After the event, whose fact says whether there were any.
      dropReferencesTo(draft, label.id);
      removeLabel(draft, label);
      return { json: null };
    },
  },
};

/** Without events and `updated_at` changes of the cards: a client must be able to follow by `label.deleted` alone. */
function removeLabel(draft: Draft, label: Label): void {
  const cards = draft.isOnCards(label.id) ? [...everyCard(draft)].filter(({ label_ids }) => label_ids.includes(label.id)) : [];
  removeToTrash(
    draft,
    'label',
    label,
    cards.map(({ id, label_ids }) => [id, label_ids.indexOf(label.id)]),
  );
  if (cards.length > MAX_AT_ONCE) return draft.removeUnfinished('label', label.id);
  for (const card of cards) draft.put('card', { ...card, label_ids: card.label_ids.filter((id) => id !== label.id) });
}

function countCards(draft: Draft): ReadonlyMap<Uuid, number> {
  const counts = new Map<Uuid, number>();
  for (const card of everyCard(draft)) {
    for (const label of card.label_ids) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}

/** By code point after folding: the same on every machine and in every locale. */
function byName(a: Label, b: Label): number {
  const [x, y] = [a.name.toLowerCase(), b.name.toLowerCase()];
  if (x !== y) return x < y ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
