import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AutomationRule, FullBoard } from '../../client/index.js';
import { draftKeeper, draftOf } from '../state/drafts.js';
import { attempt } from '../state/notices.js';
import { contentOf, isComplete, type RuleContent } from '../state/rules.js';
import { client } from '../state/session.js';
import { IconButton } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { SentText } from '../ui/form/SentText.js';
import { RuleSentence } from './RuleSentence.js';
import { say, sayWith } from '../words/catalogue.js';

interface RuleRowProps {
  readonly board: FullBoard;
  readonly rule: AutomationRule;
  readonly mayChange: boolean;
  /** Reads the rules again, also without a socket that tells of it. */
  readonly onChanged: () => void;
}

export function RuleRow({ board, rule, mayChange, onChanged }: RuleRowProps) {
  // A sentence that is not complete cannot be sent yet, and stays while the rules are read again.
  const [draft, setDraft] = useState<RuleContent | null>(null);
  const [isAsking, setAsking] = useState(false);
  const underway = useRef(0);
  const lastSent = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => setDraft((last) => (last !== null && (underway.current > 0 || !isComplete(last, board)) ? last : null)), [rule]);
  const shown = draft ?? rule;
  const isWhole = isComplete(shown, board);
  const path = { rule_id: rule.id };
  const send = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    underway.current += 1;
    // One after another: each has a connection, and a rule that still lacks its column is not switched on.
    const done = lastSent.current.then(() => attempt(what, work));
    lastSent.current = done;
    const isDone = await done;
    underway.current -= 1;
    // A later one may be under way: then it is what the sentence shows.
    if (!isDone && underway.current === 0) setDraft(null);
    onChanged();
    return isDone;
  };
  const update = (fields: Parameters<typeof client.rule.update>[1]): Promise<boolean> =>
    send(say('rule.notChanged'), () => client.rule.update(path, fields));
  const nameKey = `${rule.id} name`;
  const keepDraft = useMemo(draftKeeper, []);
  const keepName = (text: string | null): void =>
    keepDraft(nameKey, text === null ? null : { text, base: rule.name, boardId: board.id, cardId: null });
  const rename = async (name: string): Promise<void> => {
    await client.rule.update(path, { name });
    onChanged();
  };
  const rewrite = (content: RuleContent): void => {
    setDraft(content);
    if (isComplete(content, board)) void update(contentOf(content));
  };
  return (
    <li class={`row-item is-rule${rule.is_enabled ? '' : ' is-off'}`}>
      <div class="row-main">
        <SentText
          class="rule-name"
          value={rule.name}
          label={say('rule.name')}
          fieldLabel={say('rule.name')}
          failure={say('rule.notChanged')}
          isDisabled={!mayChange}
          draft={{ text: draftOf(nameKey)?.text ?? null, keep: keepName }}
          onSave={rename}
        />
      </div>
      {mayChange ? (
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            aria-label={say('rule.isOn', { name: rule.name })}
            checked={rule.is_enabled}
            disabled={!isWhole}
            onChange={(event) => void update({ is_enabled: event.currentTarget.checked })}
          />
          <span aria-hidden="true">{rule.is_enabled ? say('rule.on') : say('rule.off')}</span>
        </label>
      ) : (
        <span class="muted">{rule.is_enabled ? say('rule.on') : say('rule.off')}</span>
      )}
      {mayChange && <IconButton icon="trash" label={say('rule.deleteIt', { name: rule.name })} onClick={() => setAsking(true)} />}
      <div class="row-note">
        <RuleSentence board={board} rule={shown} onChange={mayChange ? rewrite : null} />
        {!isWhole && draft === null && (
          <p class="warning">
            {say('rule.broken')} {mayChange && say('rule.chooseAgain')}
          </p>
        )}
        {!isWhole && draft !== null && <p class="hint">{say('rule.complete')}</p>}
        {rule.trigger_type === 'CARD_CREATED' && <p class="hint">{say('rule.createdDoNotRun')}</p>}
      </div>
      {isAsking && (
        <ConfirmDialog
          title={say('rule.deleteQuestion')}
          text={sayWith('rule.deleteText', { name: <bdi>{rule.name}</bdi> })}
          action={say('rule.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => void send(say('rule.notDeleted'), () => client.rule.delete(path))}
        />
      )}
    </li>
  );
}
