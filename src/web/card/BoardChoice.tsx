/** Moves a card to another board of the user, and opens it there. */
import { useEffect, useState } from 'preact/hooks';
import type { BoardSummary, Card, Column } from '../../client/index.js';
import { notify, reasonOf } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { cardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { Refusal } from '../ui/form/Refusal.js';
import { say, sayWith } from '../words/catalogue.js';

interface BoardChoiceProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly onClose: () => void;
}

type Loaded<Value> = readonly Value[] | null;

export function BoardChoice({ open, card, onClose }: BoardChoiceProps) {
  const [boards, setBoards] = useState<Loaded<BoardSummary>>(null);
  const [boardId, setBoardId] = useState('');
  const [columns, setColumns] = useState<Loaded<Pick<Column, 'id' | 'title'>>>(null);
  const [columnId, setColumnId] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const isWritable = ({ id, role }: BoardSummary): boolean => id !== open.id && (role === 'owner' || role === 'member');
    return whileShown(client.board.list(), (all) => setBoards(all.filter(isWritable)), setFailure);
  }, [open]);
  useEffect(() => {
    setColumns(null);
    setColumnId('');
    if (boardId === '') return undefined;
    return whileShown(
      client.board.get({ board_id: boardId }),
      (board) => {
        setFailure(null);
        setColumns(board.columns);
        setColumnId(board.columns[0]?.id ?? '');
      },
      setFailure,
    );
  }, [boardId]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    // What the user has changed on it shortly before goes with it.
    await open.sent();
    open.movingAway.value = card.id;
    try {
      const { id, board_id, dropped_people = [] } = await client.card.move({ card_id: card.id }, { board_id: boardId, column_id: columnId });
      onClose();
      notify('info', say('otherBoard.moved', { title: card.title, board: boards?.find((board) => board.id === board_id)?.title ?? '' }));
      const names = dropped_people.map(({ username }) => username).join(', ');
      if (names !== '') notify('info', say('otherBoard.dropped', { names }));
      // Nothing is left at the old address.
      navigate(cardPath(board_id, id), location.pathname === cardPath(open.id, card.id) ? 'replace' : 'push');
    } finally {
      open.movingAway.value = null;
    }
  });
  return (
    <Dialog title={<>{sayWith('move.title', { title: <bdi>{card.title}</bdi> })}</>} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="field">
          <label for="other-board">{say('otherBoard.board')}</label>
          <select id="other-board" required value={boardId} onChange={({ currentTarget: { value } }) => setBoardId(value)}>
            <option value="">{boards === null ? say('common.loading') : say('otherBoard.choose')}</option>
            {boards?.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="other-column">{say('move.column')}</label>
          <select
            id="other-column"
            required
            disabled={columns === null}
            value={columnId}
            onChange={({ currentTarget: { value } }) => setColumnId(value)}
          >
            {columns?.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </div>
        {boards?.length === 0 && <p role="status">{say('otherBoard.none')}</p>}
        <p class="hint">{say('otherBoard.hint')}</p>
        <Refusal reason={refusal ?? failure} />
        <footer class="dialog-actions">
          <Button onClick={onClose}>{say('common.cancel')}</Button>
          <Button kind="primary" type="submit" disabled={isBusy || columnId === ''}>
            {say('move.move')}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Returns a function after which nothing is reported. */
function whileShown<Value>(asked: Promise<Value>, found: (value: Value) => void, failed: (reason: string) => void): () => void {
  let isOver = false;
  asked.then(
    (value) => !isOver && found(value),
    (error: unknown) => !isOver && failed(reasonOf(error)),
  );
  return () => {
    isOver = true;
  };
}
