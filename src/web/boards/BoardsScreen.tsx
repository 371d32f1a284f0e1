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
import { say, sayWith } from '../words/catalogue.js';

const ImportDialog = lazy(async () => (await import('./ImportDialog.js')).ImportDialog);

type Importing = { readonly file: File | null };

export function BoardsScreen() {
  useEffect(followBoardList, []);
  useEffect(() => {
    document.title = `${say('boards.heading')} · Switchboard`;
  }, []);
  useEveryMinute();
  const [importing, setImporting] = useState<Importing | null>(null);
  const isOver = useFileDrop(importing === null, (file) => setImporting({ file }));
  const list = boardList.value;
  return (
    <main class="page">
      <div class="page-title">
        <h1>{say('boards.heading')}</h1>
        <Button icon="upload" onClick={() => setImporting({ file: null })}>
          {say('boards.import')}
        </Button>
      </div>
      {list.kind === 'loading' && (
        <p class="loading" role="status">
          {say('common.loading')}
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
          {say('boards.drop')}
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
      <h2>{say('boards.first')}</h2>
      <p class="lead">{say('boards.firstLead')}</p>
      <NewBoard />
      <p class="muted">
        {sayWith('boards.fromTrello', {
          link: (
            <button type="button" class="link" onClick={onImport}>
              {say('boards.importExport')}
            </button>
          ),
        })}
      </p>
    </div>
  );
}

function NewBoard() {
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const create = async (title: string): Promise<void> => {
    setBusy(true);
    await attempt(say('boards.notCreated'), async () => navigate(boardPath((await client.board.create({ title })).id)));
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
      <input ref={input} dir="auto" maxLength={255} placeholder={say('boards.newName')} aria-label={say('boards.newName')} />
      <Button kind="primary" type="submit" disabled={isBusy}>
        {say('boards.create')}
      </Button>
    </form>
  );
}
