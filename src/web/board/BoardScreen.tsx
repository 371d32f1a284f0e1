/** A board: its columns side by side, who is there, and the card that is open. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { boardPath, goUp } from '../state/route.js';
import { FilteredColumns } from '../state/filter.js';
import { OpenBoard } from '../state/openBoard.js';
import { InlineText } from '../ui/form/InlineText.js';
import { lazy } from '../ui/Lazy.js';
import { AddColumn } from './AddColumn.js';
import { BoardContext, useBoard, type BoardTools } from './boardContext.js';
import { BoardMenu, OpenPanel, ShareButton } from './BoardMenu.js';
import { ColumnAnchor } from './moving/columnAnchor.js';
import { ColumnView } from './ColumnView.js';
import { ConnectionBanner } from './ConnectionBanner.js';
import { Dragging } from './moving/dragging.js';
import { FilterBar } from './FilterBar.js';
import { changedColumns, Glide } from './moving/glide.js';
import { followKeys } from './moving/keyboardMove.js';
import { MoveDialog } from './moving/MoveDialog.js';
import { followPointer } from './moving/pointerDrag.js';
import { Presence } from './Presence.js';
import { Shortcuts } from './Shortcuts.js';
import { Templates } from './Templates.js';
import { useCopyOf } from './useCopyOf.js';
import { useShortcuts } from './useShortcuts.js';
import { Unavailable } from './Unavailable.js';

const CardDialog = lazy(async () => (await import('../card/CardDialog.js')).CardDialog);

interface BoardScreenProps {
  readonly boardId: string;
  readonly cardId: string | null;
}

export function BoardScreen({ boardId, cardId }: BoardScreenProps) {
  const open = useMemo(() => new OpenBoard(boardId), [boardId]);
  useEffect(() => () => open.close(), [open]);
  const [movingId, setMovingId] = useState<string | null>(null);
  const tools: BoardTools = useMemo(() => ({ open, dragging: new Dragging(), glide: new Glide(), askWhereTo: setMovingId }), [open]);
  useEffect(() => open.showCard(cardId), [open, cardId]);
  useCopyOf(open);
  const board = open.board.value;
  const state = open.state.value;
  useEffect(() => {
    document.title = board === null ? 'Switchboard' : `${board.title} · Switchboard`;
  }, [board?.title]);
  if (state.kind === 'closed') return <Unavailable state={state} />;
  if (board === null)
    return (
      <p class="loading" role="status">
        Loading the board…
      </p>
    );
  const moving = movingId === null ? undefined : open.card(movingId);
  return (
    <BoardContext.Provider value={tools}>
      <main class="board">
        <header class="board-header">
          <h1>
            <InlineText
              value={board.title}
              label="Title of the board"
              isDisabled={!open.isOwner.value}
              onChange={(title) => void open.change('board.update', { board_id: boardId }, { title })}
            />
          </h1>
          <Presence open={open} />
          <ShareButton open={open} />
          <BoardMenu open={open} />
          <FilterBar open={open} />
        </header>
        <ConnectionBanner open={open} />
        <Columns />
        <p id="card-help" hidden>
          Space lifts the card, then the arrow keys move it. M asks where to.
        </p>
      </main>
      {cardId !== null && <CardDialog open={open} cardId={cardId} onClose={() => goUp(boardPath(boardId))} />}
      {moving !== undefined && <MoveDialog card={moving} onClose={() => setMovingId(null)} />}
      <OpenPanel open={open} />
      <ShortcutSheet open={open} />
    </BoardContext.Provider>
  );
}

function ShortcutSheet({ open }: { readonly open: OpenBoard }) {
  const [isShown, setShown] = useState(false);
  useShortcuts(open, () => setShown(true));
  return isShown ? <Shortcuts onClose={() => setShown(false)} /> : null;
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
      <AddColumn isFirst={board.columns.length === 0} />
      {board.columns.length === 0 && <Templates />}
    </div>
  );
}
