/** Which events a webhook gets: a few choices for people; programs can name every kind. */
import type { Webhook } from '../../client/index.js';
import { say, type PlainKey } from '../words/catalogue.js';

export type Kinds = Webhook['event_types'];
type Choice = 'all' | 'cards' | 'moves' | 'members';

const KINDS: Readonly<Record<Choice, Kinds>> = {
  all: null,
  cards: ['card.created', 'card.updated', 'card.deleted', 'card.moved', 'card.labeled', 'card.unlabeled', 'card.assigned', 'card.unassigned'],
  moves: ['card.created', 'card.moved'],
  members: ['board.member_added', 'board.member_removed'],
};
const NAMES: ReadonlyArray<readonly [choice: Choice, name: PlainKey]> = [
  ['all', 'hook.all'],
  ['cards', 'hook.cards'],
  ['moves', 'hook.moves'],
  ['members', 'hook.members'],
];

export function kindsOf(choice: string): Kinds {
  return KINDS[NAMES.find(([each]) => each === choice)?.[0] ?? 'all'];
}

/** Null if a program chose others. */
function choiceOf(kinds: Kinds): Choice | null {
  const sorted = (list: Kinds): string => (list === null ? '' : [...list].sort().join());
  return NAMES.find(([choice]) => sorted(KINDS[choice]) === sorted(kinds))?.[0] ?? null;
}

interface WebhookKindsProps {
  readonly id?: string;
  readonly label?: string;
  readonly kinds: Kinds;
  readonly onChange?: (kinds: Kinds) => void;
}

export function WebhookKinds({ id, label, kinds, onChange }: WebhookKindsProps) {
  const chosen = choiceOf(kinds);
  const attributes: object = { id, 'aria-label': label };
  return (
    <select {...attributes} name="kinds" value={chosen ?? ''} onChange={(event) => onChange?.(kindsOf(event.currentTarget.value))}>
      {chosen === null && (
        <option value="" disabled>
          {say('hook.kinds', { count: kinds?.length ?? 0 })}
        </option>
      )}
      {NAMES.map(([choice, name]) => (
        <option key={choice} value={choice}>
          {say(name)}
        </option>
      ))}
    </select>
  );
}
