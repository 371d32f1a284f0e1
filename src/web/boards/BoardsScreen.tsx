/** The boards of the user. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { boardList, change, followBoardList, type ListedBoard } from '../state/boardList.js';
import { attempt, reasonOf } from '../state/notices.js';
import { boardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { Button } from '../ui/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { InlineText } from '../ui/InlineText.js';
import { lazy } from '../ui/Lazy.js';
import { MenuItem, Popover } from '../ui/Menu.js';

const ImportDialog = lazy(async () => (await import('./ImportDialog.js')).ImportDialog);

const MAX_FACES = 5;

export function BoardsScreen() {
  useEffect(followBoardList, []);
  useEffect(() => {
    document.title = 'Boards · Switchboard';
  }, []);
  const [isImporting, setImporting] = useState(false);
  const list = boardList.value;
  return (
    <main class="page">
      <div class="page-title">
        <h1>Boards</h1>
        <Button icon="upload" onClick={() => setImporting(true)}>Import</Button>
      </div>
      {list.kind === 'loading' && <p class="loading" role="status">Loading…</p>}
      {list.kind === 'failed' && <p role="alert">{reasonOf(list.error)}</p>}
      {list.kind === 'ready' && (
        <>
          {list.boards.length === 0 && <p class="lead">You have no boards yet. Give the first one a name, and invite your colleagues to it.</p>}
          <ul class="board-list">
            {list.boards.map((board) => <BoardTile key={board.id} board={board} />)}
            <li><NewBoard /></li>
          </ul>
        </>
      )}
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </main>
  );
}

function NewBoard() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="tile is-new"
      onSubmit={(event) => {
        event.preventDefault();
        const title = input.current?.value.trim() ?? '';
        if (title === '') return;
        void attempt('The board was not created', async () => navigate(boardPath((await client.board.create({ title })).id)));
      }}
    >
      <input ref={input} dir="auto" maxLength={255} placeholder="Name of a new board" aria-label="Name of a new board" />
      <Button kind="primary" type="submit">Create</Button>
    </form>
  );
}

function BoardTile({ board }: { readonly board: ListedBoard }) {
  const [isAsking, setAsking] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  const isOwner = board.role === 'owner';
  const { members } = board;
  const rename = (title: string): void => {
    setRenaming(false);
    void attempt('The board was not renamed', () => client.board.update({ board_id: board.id }, { title }));
    change((boards) => boards.map((each) => (each.id === board.id ? { ...each, title } : each)));
  };
  return (
    <li class="tile">
      {isRenaming ? (
        <InlineText value={board.title} label="Title of the board" onChange={rename} />
      ) : (
        <a class="tile-title" href={boardPath(board.id)} dir="auto">{board.title}</a>
      )}
      {board.hasNews && <span class="news">changed</span>}
      <span class="faces" aria-label={`${members.length} members`} role="group">
        {members.slice(0, MAX_FACES).map(({ user_id, user }) => <Avatar key={user_id} id={user_id} user={user} isSmall />)}
        {members.length > MAX_FACES && <span class="fact">+{members.length - MAX_FACES}</span>}
      </span>
      {isOwner && (
        <div class="tile-menu">
          <Popover icon="dots" label={`Actions for ${board.title}`}>
            {(close) => (
              <>
                <MenuItem icon="pencil" onChoose={() => { close(); setRenaming(true); }}>Rename</MenuItem>
                <MenuItem icon="trash" isDanger onChoose={() => { close(); setAsking(true); }}>Delete</MenuItem>
              </>
            )}
          </Popover>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Delete the board?"
          text={<>“<bdi>{board.title}</bdi>” with all its columns, cards and files will be gone for all {members.length} members. This cannot be undone.</>}
          action={`Delete ${board.title}`}
          onClose={() => setAsking(false)}
          onConfirm={() => void attempt('The board was not deleted', async () => {
            await client.board.delete({ board_id: board.id });
            change((boards) => boards.filter(({ id }) => id !== board.id));
          })}
        />
      )}
    </li>
  );
}
