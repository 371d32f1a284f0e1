/** The boards of the user. A file that is dropped anywhere on it is imported. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { boardList, followBoardList } from '../state/boardList.js';
import { attempt, reasonOf } from '../state/notices.js';
import { boardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Icon } from '../ui/Icon.js';
import { lazy } from '../ui/Lazy.js';
import { BoardTile } from './BoardTile.js';
import { useFileDrop } from './useFileDrop.js';

const ImportDialog = lazy(async () => (await import('./ImportDialog.js')).ImportDialog);

type Importing = { readonly file: File | null };

export function BoardsScreen() {
  useEffect(followBoardList, []);
  useEffect(() => {
    document.title = 'Boards · Switchboard';
  }, []);
  useEveryMinute();
  const [importing, setImporting] = useState<Importing | null>(null);
  const isOver = useFileDrop(importing === null, (file) => setImporting({ file }));
  const list = boardList.value;
  return (
    <main class="page">
      <div class="page-title">
        <h1>Boards</h1>
        <Button icon="upload" onClick={() => setImporting({ file: null })}>
          Import
        </Button>
      </div>
      {list.kind === 'loading' && (
        <p class="loading" role="status">
          Loading…
        </p>
      )}
      {list.kind === 'failed' && <p role="alert">{reasonOf(list.error)}</p>}
      {list.kind === 'ready' && list.boards.length === 0 && <FirstBoard onImport={() => setImporting({ file: null })} />}
      {list.kind === 'ready' && list.boards.length > 0 && (
        <ul class="board-list">
          <li>
            <NewBoard />
          </li>
          {list.boards.map((board) => (
            <BoardTile key={board.id} board={board} />
          ))}
        </ul>
      )}
      {isOver && (
        <p class="drop-mark">
          <Icon name="upload" />
          Drop the file to import it as a board
        </p>
      )}
      {importing !== null && <ImportDialog file={importing.file} onClose={() => setImporting(null)} />}
    </main>
  );
}

/** Renders again, so that "just now" does not stay so. */
function useEveryMinute(): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}

function FirstBoard({ onImport }: { readonly onImport: () => void }) {
  return (
    <div class="first-board">
      <h2>Your first board</h2>
      <p class="lead">Give it a name, then invite your colleagues to it.</p>
      <NewBoard />
      <p class="muted">
        Coming from Trello?{' '}
        <button type="button" class="link" onClick={onImport}>
          Import its export
        </button>
        , or drop the file here.
      </p>
    </div>
  );
}

function NewBoard() {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const create = async (title: string): Promise<void> => {
    setBusy(true);
    await attempt('The board was not created', async () => navigate(boardPath((await client.board.create({ title })).id)));
    setBusy(false);
  };
  return (
    <form
      class="tile is-new"
      onSubmit={(event) => {
        event.preventDefault();
        const title = input.current?.value.trim() ?? '';
        if (title === '') input.current?.focus();
        else if (!isBusy) void create(title);
      }}
    >
      <input ref={input} dir="auto" maxLength={255} placeholder="Name of a new board" aria-label="Name of a new board" />
      <Button kind="primary" type="submit" disabled={isBusy}>
        Create
      </Button>
    </form>
  );
}
