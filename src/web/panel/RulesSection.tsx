/** The automation rules of the board. */
import { useEffect, useState } from 'preact/hooks';
import type { FullBoard } from '../../client/index.js';
import { announce, attempt, reasonOf } from '../state/notices.js';
import { contentOf, EMPTY_RULE, isComplete, type RuleContent } from '../state/rules.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { useLoaded } from '../ui/useLoaded.js';
import { RuleRow } from './RuleRow.js';
import { RuleSentence } from './RuleSentence.js';
import type { SectionProps } from './sectionProps.js';
import { say } from '../words/catalogue.js';

export function RulesSection({ open, board }: SectionProps) {
  // What a rule speaks of changes it too, without an event of its own: a removed label switches off its rules.
  const [state, read] = useLoaded(() => client.rule.list({ board_id: board.id }), `${board.id} ${namesOf(board)}`);
  useEffect(() => {
    return open.onEvent(({ type }) => {
      if (type.startsWith('rule.')) void read();
    });
  }, [open, board.id]);
  const isOwner = open.isOwner.value;
  if (state.kind === 'loading')
    return (
      <p class="loading" role="status">
        {say('common.loading')}
      </p>
    );
  if (state.kind === 'failed')
    return (
      <p role="alert">
        {reasonOf(state.error)} <Button onClick={() => void read()}>{say('common.tryAgain')}</Button>
      </p>
    );
  const rules = state.value;
  return (
    <>
      <section aria-labelledby="panel-rules">
        <h3 id="panel-rules">{say('rule.count', { count: rules.length })}</h3>
        <p class="hint">
          {say('rule.lead')} {!isOwner && say('rule.onlyOwners')}
        </p>
        <ul class="rows">
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} board={board} mayChange={isOwner} onChanged={() => void read()} />
          ))}
        </ul>
      </section>
      {isOwner && <NewRule board={board} count={rules.length} onMade={() => void read()} />}
    </>
  );
}

/** Changes with everything that a sentence may show. */
function namesOf({ columns, labels, members }: FullBoard): string {
  return [...columns, ...labels]
    .map(({ id }) => id)
    .concat(members.map(({ user_id }) => user_id))
    .join();
}

interface NewRuleProps {
  readonly board: FullBoard;
  readonly count: number;
  readonly onMade: () => void;
}

function NewRule({ board, count, onMade }: NewRuleProps) {
  const [content, setContent] = useState<RuleContent>(EMPTY_RULE);
  const [isBusy, setBusy] = useState(false);
  const isReady = isComplete(content, board);
  const make = async (): Promise<void> => {
    setBusy(true);
    const isMade = await attempt(say('rule.notMade'), () =>
      client.rule.create({ board_id: board.id }, { name: say('rule.numbered', { number: count + 1 }), ...contentOf(content) }),
    );
    setBusy(false);
    if (!isMade) return;
    setContent(EMPTY_RULE);
    announce(say('rule.added'));
    onMade();
  };
  return (
    <section class="new-rule" aria-labelledby="panel-new-rule">
      <h3 id="panel-new-rule">{say('rule.new')}</h3>
      <RuleSentence board={board} rule={content} onChange={setContent} />
      <Button kind="primary" disabled={isBusy || !isReady} onClick={() => void make()}>
        {say('rule.add')}
      </Button>
    </section>
  );
}
