/** The boards of the user. A file that is dropped anywhere on it is imported. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { boardList, followBoardList, type ListedBoard } from '../state/boardList.js';
import { boardOrder, inOrder, orderBoardsBy, titled } from '../state/boardOrder.js';
import { draftOf, keepNewText } from '../state/drafts.js';
import { reasonOf } from '../state/notices.js';
import { boardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { AddressWarning } from '../signIn/AddressWarning.js';
import { Button } from '../ui/form/Button.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Segments } from '../ui/form/Segments.js';
import { Icon } from '../ui/Icon.js';
import { hasFocusNowhere } from '../ui/keepFocus.js';
import { lazy } from '../ui/Lazy.js';
import { BoardTile } from './BoardTile.js';
import { useFileDrop } from './useFileDrop.js';
import { say, sayWith } from '../words/catalogue.js';

const TrashDialog = lazy(() => import('./TrashDialog.js'), 'TrashDialog');
const ImportDialog = lazy(() => import('./ImportDialog.js'), 'ImportDialog');

/** From so many on, the list has tools. */
const MANY = 4;
/** The draft of its title. */
const NEW_BOARD = 'new board';

type Importing = { readonly file: File | null };

export function BoardsScreen() {
  useEffect(followBoardList, []);
  useEffect(() => {
    document.title = `${say('boards.heading')} · Switchboard`;
  }, []);
  useEveryMinute();
  const [importing, setImporting] = useState<Importing | null>(null);
  const [isTrashOpen, setTrashOpen] = useState(false);
  const isOver = useFileDrop(importing === null, (file) => setImporting({ file }));
  const list = boardList.value;
  return (
    <main class="page">
      <div class="page-title">
        <h1>{say('boards.heading')}</h1>
        <a class="button" href="/app/my-cards">
          {say('boards.mine')}
        </a>
        <Button icon="upload" onClick={() => setImporting({ file: null })}>
          {say('boards.import')}
        </Button>
        <Button icon="trash" onClick={() => setTrashOpen(true)}>
          {say('boardMenu.trash')}
        </Button>
      </div>
      <AddressWarning />
      {list.kind === 'loading' && (
        <p class="loading" role="status">
          {say('common.loading')}
        </p>
      )}
      {list.kind === 'failed' && <p role="alert">{reasonOf(list.error)}</p>}
      {list.kind === 'ready' && list.boards.length === 0 && <FirstBoard onImport={() => setImporting({ file: null })} />}
      {list.kind === 'ready' && list.boards.length > 0 && <Boards boards={list.boards} />}
      {isOver && (
        <p class="drop-mark">
          <Icon name="upload" />
          {say('boards.drop')}
        </p>
      )}
      {isTrashOpen && <TrashDialog onClose={() => setTrashOpen(false)} />}
      {importing !== null && <ImportDialog file={importing.file} onClose={() => setImporting(null)} />}
    </main>
  );
}

/** Those that are looked for. A few boards are seen at once, so they need no tools. */
function Boards({ boards }: { readonly boards: readonly ListedBoard[] }) {
  const [text, setText] = useState('');
  const order = boardOrder.value;
  const shown = inOrder(titled(boards, text), order);
  return (
    <>
      {boards.length >= MANY && (
        <div class="board-tools" role="search">
          <label class="search">
            <Icon name="search" />
            <span class="only-spoken">{say('boards.search')}</span>
            <input type="search" dir="auto" placeholder={say('boards.search')} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <Segments
            label={say('boards.order')}
            chosen={order}
            options={[
              ['opened', say('boards.byOpening')],
              ['active', say('boards.byActivity')],
              ['title', say('boards.byTitle')],
            ]}
            onChoose={orderBoardsBy}
          />
        </div>
      )}
      <p role="status" class={shown.length === 0 ? 'empty' : 'only-spoken'}>
        {text.trim() !== '' && (shown.length === 0 ? say('boards.noneFits') : say('boards.found', { count: shown.length }))}
      </p>
      <ul class="board-list">
        <li>
          <NewBoard />
        </li>
        {shown.map((board) => (
          <BoardTile key={board.id} board={board} />
        ))}
      </ul>
    </>
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
      <NewBoard takesFocus />
      <p class="muted">
        {sayWith('boards.fromTrello', {
          link: (
            <button type="button" class="link" onClick={onImport}>
              {say('boards.importExport')}
            </button>
          ),
          orDrop: <span class="for-mouse">{say('boards.orDrop')}</span>,
        })}
      </p>
    </div>
  );
}

/** Not queued: the next step is the board itself, which only the service can open. The title stays until there is a board. */
function NewBoard({ takesFocus = false }: { readonly takesFocus?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus && hasFocusNowhere()) input.current?.focus();
  }, []);
  const text = draftOf(NEW_BOARD)?.text ?? '';
  const keep = (value: string): void => keepNewText(NEW_BOARD, value, { boardId: '', cardId: null });
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const title = text.trim();
    if (title === '') return input.current?.focus();
    const { id } = await client.board.create({ title });
    keep('');
    navigate(boardPath(id));
  });
  return (
    <>
      <form class="tile is-new" onSubmit={submit}>
        <input
          ref={input}
          dir="auto"
          maxLength={255}
          placeholder={say('boards.newName')}
          aria-label={say('boards.newName')}
          value={text}
          onInput={({ currentTarget: { value } }) => keep(value)}
        />
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('boards.create')}
        </Button>
      </form>
      <Refusal reason={refusal} />
    </>
  );
}
