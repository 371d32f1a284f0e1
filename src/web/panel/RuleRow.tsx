import { useEffect, useRef, useState } from 'preact/hooks';
import type { AutomationRule, FullBoard } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { contentOf, isComplete, type RuleContent } from '../state/rules.js';
import { client } from '../state/session.js';
import { IconButton } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { InlineText } from '../ui/form/InlineText.js';
import { RuleSentence } from './RuleSentence.js';

interface RuleRowProps {
  readonly board: FullBoard;
  readonly rule: AutomationRule;
  readonly mayChange: boolean;
  /** Read the rules again: they have no events. */
  readonly onChanged: () => void;
}

export function RuleRow({ board, rule, mayChange, onChanged }: RuleRowProps) {
  // A sentence that is not complete cannot be sent yet, and stays while the rules are read again.
  const [draft, setDraft] = useState<RuleContent | null>(null);
  const [isAsking, setAsking] = useState(false);
  const underway = useRef(0);
  useEffect(() => setDraft((last) => (last !== null && (underway.current > 0 || !isComplete(last, board)) ? last : null)), [rule]);
  const shown = draft ?? rule;
  const isWhole = isComplete(shown, board);
  const path = { rule_id: rule.id };
  const send = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    underway.current += 1;
    const isDone = await attempt(what, work);
    underway.current -= 1;
    if (!isDone) setDraft(null);
    onChanged();
  };
  const update = (fields: Parameters<typeof client.rule.update>[1]): void =>
    void send('The rule was not changed', () => client.rule.update(path, fields));
  const rewrite = (content: RuleContent): void => {
    setDraft(content);
    if (isComplete(content, board)) update(contentOf(content));
  };
  return (
    <li class={`row-item is-rule${rule.is_enabled ? '' : ' is-off'}`}>
      <div class="row-main">
        <InlineText class="rule-name" value={rule.name} label="Name of the rule" isDisabled={!mayChange} onChange={(name) => update({ name })} />
      </div>
      {mayChange ? (
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            aria-label={`${rule.name} is on`}
            checked={rule.is_enabled}
            disabled={!isWhole}
            onChange={(event) => update({ is_enabled: event.currentTarget.checked })}
          />
          <span aria-hidden="true">{rule.is_enabled ? 'On' : 'Off'}</span>
        </label>
      ) : (
        <span class="muted">{rule.is_enabled ? 'On' : 'Off'}</span>
      )}
      {mayChange && <IconButton icon="trash" label={`Delete the rule ${rule.name}`} onClick={() => setAsking(true)} />}
      <div class="row-note">
        <RuleSentence board={board} rule={shown} onChange={mayChange ? rewrite : null} />
        {!isWhole && draft === null && (
          <p class="warning">This rule refers to something that was deleted, so it is off.{mayChange && ' Choose again, then switch it on.'}</p>
        )}
        {!isWhole && draft !== null && <p class="hint">Complete the sentence to save it.</p>}
        {rule.trigger_type === 'CARD_CREATED' && <p class="hint">Rules for created cards do not run.</p>}
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Delete the rule?"
          text={
            <>
              “<bdi>{rule.name}</bdi>” will no longer run. What it did stays.
            </>
          }
          action="Delete the rule"
          onClose={() => setAsking(false)}
          onConfirm={() => void send('The rule was not deleted', () => client.rule.delete(path))}
        />
      )}
    </li>
  );
}
