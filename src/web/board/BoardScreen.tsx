/** A board: its columns side by side, who is there, and the card that is open. */
import { followVisit } from '../activity/lastVisit.js';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { queryOf } from '../state/filter/filterAddress.js';
import { noteOpened } from '../state/boardOrder.js';
import { boardPath, goUp, replaceQuery } from '../state/route.js';
import { FilteredColumns } from '../state/filter/filter.js';
import { OpenBoard, shownBoard } from '../state/openBoard.js';
import { BoardWhileAway } from '../kept/AwayScreen.js';
import { useCopyOf } from '../kept/useCopyOf.js';
import { BoardMark } from '../ui/BoardMark.js';
import { InlineText } from '../ui/form/InlineText.js';
import { AddColumn } from './AddColumn.js';
import { BoardContext, useBoard, type BoardTools, type CardQuestion } from './boardContext.js';
import { BoardMenu, OpenPanel, ShareButton } from './menus/BoardMenu.js';
import { CardDialog, loadPartsAtRest, NumberedCard } from './boardParts.js';
import { CardQuestions } from './CardQuestions.js';
import { ColumnAnchor } from './moving/columnAnchor.js';
import { ColumnView } from './ColumnView.js';
import { ConnectionBanner } from '../ui/ConnectionBanner.js';
import { Dragging } from './moving/dragging.js';
import { FilterBar } from './filter/FilterBar.js';
import { changedColumns, Glide } from './moving/glide.js';
import { followKeys } from './moving/keyboardMove.js';
import { followPointer } from './moving/pointerDrag.js';
import { NothingFits } from './filter/NothingFits.js';
import { Presence } from './Presence.js';
import { Templates } from './Templates.js';
import { useFilesOnCards } from './useFilesOnCards.js';
import { useShortcuts } from './useShortcuts.js';
import { Unavailable } from './Unavailable.js';
import { say } from '../words/catalogue.js';

interface BoardScreenProps {
  readonly boardId: string;
  readonly cardId: string | null;
  /** Of a card, instead of its id. */
  readonly number: number | null;
}

export function BoardScreen({ boardId, cardId, number }: BoardScreenProps) {
  const open = useMemo(() => new OpenBoard(boardId), [boardId]);
  useEffect(() => {
    shownBoard.value = open;
    return () => {
      shownBoard.value = null;
      open.close();
    };
  }, [open]);
  const [question, setQuestion] = useState<CardQuestion | null>(null);
  const tools: BoardTools = useMemo(() => ({ open, dragging: new Dragging(), glide: new Glide(), ask: setQuestion }), [open]);
  useEffect(() => open.showCard(cardId), [open, cardId]);
  useEffect(() => noteOpened(boardId), [boardId]);
  useEffect(() => followVisit(open), [open]);
  useCopyOf(open);
  useShortcuts(open);
  // Also after a card is opened or closed.
  const query = queryOf(open.filter.value);
  useEffect(() => replaceQuery(query), [query, cardId]);
  const board = open.board.value;
  const state = open.state.value;
  const isLive = state.kind === 'live' && board !== null;
  useEffect(() => (isLive ? loadPartsAtRest() : undefined), [isLive]);
  useEffect(() => {
    document.title = board === null ? 'Switchboard' : `${board.title} · Switchboard`;
  }, [board?.title]);
  if (state.kind === 'closed') return <Unavailable boardId={boardId} state={state} />;
  if (board === null && state.kind === 'waiting') return <BoardWhileAway boardId={boardId} />;
  if (board === null)
    return (
      <p class="loading" role="status">
        {say('board.loading')}
      </p>
    );
  return (
    <BoardContext.Provider value={tools}>
      <main class="board">
        <header class="board-header">
          {open.isOwner.value ? (
            <button
              type="button"
              class="mark-button"
              aria-label={say('identity.choose')}
              title={say('identity.choose')}
              onClick={() => (open.panel.value = 'about')}
            >
              <BoardMark color={board.color} icon={board.icon} />
            </button>
          ) : (
            <BoardMark color={board.color} icon={board.icon} />
          )}
          <h1>
            <InlineText
              value={board.title}
              label={say('board.title')}
              isDisabled={!open.isOwner.value}
              onChange={(title, isOvertaken) => open.saveText(isOvertaken, 'board.update', { board_id: boardId }, { title })}
            />
          </h1>
          <OwnRole open={open} />
          <Presence open={open} />
          <ShareButton open={open} />
          <BoardMenu open={open} />
          <FilterBar open={open} />
        </header>
        <ConnectionBanner />
        <Columns />
        <p id="card-help" hidden>
          {open.mayChange.value && say('board.cardHelp')}
        </p>
      </main>
      {cardId !== null && <CardDialog open={open} cardId={cardId} onClose={() => goUp(boardPath(boardId))} />}
      {number !== null && <NumberedCard open={open} number={number} onClose={() => goUp(boardPath(boardId))} />}
      {question !== null && <CardQuestions question={question} onClose={() => setQuestion(null)} />}
      <OpenPanel open={open} />
    </BoardContext.Provider>
  );
}

/** Tells a user who looks for a missing button why it is missing. The place is there for everyone, so that a new role is spoken. */
function OwnRole({ open }: { readonly open: OpenBoard }) {
  const role = open.role.value;
  return (
    <p class="own-role" role="status">
      {role === 'viewer' && say('board.youView')}
      {role === 'commenter' && say('board.youComment')}
    </p>
  );
}

function Columns() {
  const tools = useBoard();
  const { open, dragging, glide } = tools;
  const root = useRef<HTMLDivElement>(null);
  const filtered = useMemo(() => new FilteredColumns(), []);
  const anchor = useMemo(() => new ColumnAnchor(), []);
  const filter = open.filter.value;
  const board = open.board.value;
  const shownBoard = useRef(board);
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const stops = [followPointer(element, tools), followKeys(element, tools, (column) => filtered.cardsOf(column, open.filter.value))];
    return () => stops.forEach((stop) => stop());
  }, [tools]);
  useFilesOnCards(root, open);
  if (root.current !== null && shownBoard.current !== board) {
    anchor.note(root.current);
    glide.note(root.current, changedColumns(shownBoard.current, board));
  }
  useLayoutEffect(() => {
    if (root.current !== null && shownBoard.current !== board) {
      anchor.restore(root.current);
      glide.play(root.current, changedColumns(shownBoard.current, board));
    }
    shownBoard.current = board;
  });
  if (board === null) return null;
  const dragged = dragging.current.value?.kind === 'column' ? dragging.current.value : null;
  return (
    <>
      <NothingFits columns={board.columns} shown={(column) => filtered.cardsOf(column, filter)} />
      <div
        class={board.columns.length === 0 ? 'columns is-empty' : 'columns'}
        ref={root}
        tabIndex={-1}
        onPointerMove={(event) => anchor.point(event)}
        onPointerLeave={(event) => anchor.leave(event.currentTarget)}
      >
        {board.columns.map((column) => (
          <ColumnView
            key={column.id}
            column={column}
            cards={filtered.cardsOf(column, filter)}
            isMarked={dragged?.beforeId === column.id}
            isLifted={dragged?.id === column.id}
          />
        ))}
        {dragged !== null && dragged.beforeId === null && <div class="column-end is-marked" aria-hidden="true" />}
        {open.mayChange.value && (
          <>
            <AddColumn isFirst={board.columns.length === 0} />
            {board.columns.length === 0 && <Templates />}
          </>
        )}
      </div>
    </>
  );
}
