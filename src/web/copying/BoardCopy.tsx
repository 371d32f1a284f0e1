/** Asks for the title of a copy of the board and what is on it, and opens the copy. */
import { useState } from 'preact/hooks';
import type { Board } from '../../client/index.js';
import { notify } from '../state/notices.js';
import { boardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { Refusal } from '../ui/form/Refusal.js';
import { say, sayWith } from '../words/catalogue.js';

interface BoardCopyProps {
  readonly boardId: string;
  readonly title: string;
  readonly onClose: () => void;
}

const PARTS = ['attachments', 'comments', 'people'] as const;
type Part = (typeof PARTS)[number];
/** What is left out is known of the first answer alone. */
type Copied = Board & { readonly left_out?: readonly string[] };

export function BoardCopy({ boardId, title, onClose }: BoardCopyProps) {
  const [wanted, setWanted] = useState(title);
  const [parts, setParts] = useState<ReadonlySet<Part>>(new Set());
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const has = (part: Part): boolean => parts.has(part);
    const options = { attachments: has('attachments'), comments: has('comments'), people: has('people') };
    const made: Copied = await client.board.copy({ board_id: boardId }, { title: wanted, ...options });
    const { id, left_out = [] } = made;
    onClose();
    for (const line of left_out) notify('failure', line);
    navigate(boardPath(id));
  });
  const choose = (part: Part, isChosen: boolean): void => {
    setParts(new Set(PARTS.filter((each) => (each === part ? isChosen : parts.has(each)))));
  };
  return (
    <Dialog title={<>{sayWith('copy.board', { title: <bdi>{title}</bdi> })}</>} onClose={onClose}>
      <form onSubmit={submit}>
        <label class="field">
          {say('board.title')}
          <input dir="auto" required maxLength={255} value={wanted} onInput={({ currentTarget: { value } }) => setWanted(value)} />
        </label>
        {PARTS.map((part) => (
          <label key={part} class="check">
            <input type="checkbox" checked={parts.has(part)} onChange={({ currentTarget: { checked } }) => choose(part, checked)} />
            {say(`copy.${part}`)}
          </label>
        ))}
        <Refusal reason={refusal} />
        <footer class="dialog-actions">
          <Button onClick={onClose}>{say('common.cancel')}</Button>
          <Button kind="primary" type="submit" disabled={isBusy}>
            {say('common.copy')}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
