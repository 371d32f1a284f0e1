/** A rule as a sentence whose words are choices: "When a card is moved to Done, assign ann". */
import type { FullBoard } from '../../client/index.js';
import {
  ACTION_WORDS,
  choicesFor,
  REFERENCES,
  TRIGGER_WORDS,
  type ActionType,
  type Reference,
  type RuleContent,
  type TriggerType,
} from '../state/rules.js';
import { say, sayWith, type PlainKey } from '../words/catalogue.js';

interface RuleSentenceProps {
  readonly board: FullBoard;
  readonly rule: RuleContent;
  /** Null if the sentence is only read. */
  readonly onChange: ((rule: RuleContent) => void) | null;
}

/** Rules for created cards are kept by the service and never run, so none are made here. */
const OFFERED_TRIGGERS: readonly TriggerType[] = ['CARD_MOVED', 'LABEL_ADDED'];
const OFFERED_ACTIONS: readonly ActionType[] = ['ASSIGN_MEMBER', 'MOVE_TO_COLUMN'];

const WHAT: Readonly<Record<Reference, 'column' | 'label' | 'person'>> = {
  trigger_column_id: 'column',
  trigger_label_id: 'label',
  action_column_id: 'column',
  action_user_id: 'person',
};

export function RuleSentence({ board, rule, onChange }: RuleSentenceProps) {
  const [trigger, action] = [REFERENCES[rule.trigger_type], REFERENCES[rule.action_type]];
  const triggers = OFFERED_TRIGGERS.includes(rule.trigger_type) ? OFFERED_TRIGGERS : [rule.trigger_type, ...OFFERED_TRIGGERS];
  const part = (reference: Reference | null) => reference !== null && <Thing board={board} rule={rule} reference={reference} onChange={onChange} />;
  return (
    <p class="sentence">
      {sayWith('rule.sentence', {
        trigger:
          onChange === null ? (
            say(TRIGGER_WORDS[rule.trigger_type])
          ) : (
            <Words
              label={say('rule.whatHappens')}
              value={rule.trigger_type}
              words={TRIGGER_WORDS}
              offered={triggers}
              onChange={(trigger_type) => onChange({ ...rule, trigger_type })}
            />
          ),
        thing: part(trigger),
        action:
          onChange === null ? (
            say(ACTION_WORDS[rule.action_type])
          ) : (
            <Words
              label={say('rule.whatFollows')}
              value={rule.action_type}
              words={ACTION_WORDS}
              offered={OFFERED_ACTIONS}
              onChange={(action_type) => onChange({ ...rule, action_type })}
            />
          ),
        target: part(action),
      })}
    </p>
  );
}

interface WordsProps<Type extends string> {
  readonly label: string;
  readonly value: Type;
  readonly words: Readonly<Record<Type, PlainKey>>;
  readonly offered: readonly Type[];
  readonly onChange: (value: Type) => void;
}

function Words<Type extends string>({ label, value, words, offered, onChange }: WordsProps<Type>) {
  return (
    <select
      class="in-sentence is-verb"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = offered.find((type) => type === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {offered.map((type) => (
        <option key={type} value={type}>
          {say(words[type])}
        </option>
      ))}
    </select>
  );
}

interface ThingProps extends RuleSentenceProps {
  readonly reference: Reference;
}

function Thing({ board, rule, reference, onChange }: ThingProps) {
  const choices = choicesFor(reference, board);
  const chosen = choices.find(({ id }) => id === rule[reference]);
  if (onChange === null)
    return (
      <strong>
        <bdi>{chosen?.name ?? say(`rule.deleted.${WHAT[reference]}`)}</bdi>
      </strong>
    );
  return (
    <select
      class={`in-sentence${chosen === undefined ? ' is-missing' : ''}`}
      aria-label={say(`rule.which.${WHAT[reference]}`)}
      value={chosen?.id ?? ''}
      onChange={(event) => onChange({ ...rule, [reference]: event.currentTarget.value })}
    >
      {chosen === undefined && (
        <option value="" disabled>
          {choices.length === 0 ? say(`rule.none.${WHAT[reference]}`) : say(`rule.choose.${WHAT[reference]}`)}
        </option>
      )}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
