/** The deleted boards that the user may restore. */
import { useEffect, useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Dialog } from '../ui/Dialog.js';
import { Button } from '../ui/form/Button.js';
import { Icon } from '../ui/Icon.js';
import { say } from '../words/catalogue.js';
import { restoreBoard } from './restoring.js';

type DeletedBoard = Awaited<ReturnType<typeof client.trash.mine>>['boards'][number];

type Trash =
  | { readonly kind: 'reading' | 'failed' }
  | { readonly kind: 'ready'; readonly boards: readonly DeletedBoard[]; readonly next: string | null };

const DAY_MS = 86_400_000;

export function TrashDialog({ onClose }: { readonly onClose: () => void }) {
  const [trash, setTrash] = useState<Trash>({ kind: 'reading' });
  useEffect(() => {
    client.trash.mine().then(
      (page) => setTrash({ kind: 'ready', ...page }),
      () => setTrash({ kind: 'failed' }),
    );
  }, []);
  const readOlder = async (before: string, known: readonly DeletedBoard[]): Promise<void> => {
    await attempt(say('trash.notRead'), async () => {
      const { boards, next } = await client.trash.mine({ before });
      setTrash({ kind: 'ready', boards: [...known, ...boards], next });
    });
  };
  const remove = (id: string): void => {
    setTrash((shown) => (shown.kind === 'ready' ? { ...shown, boards: shown.boards.filter((board) => board.id !== id) } : shown));
  };
  return (
    <Dialog title={say('deletedBoards.title')} onClose={onClose}>
      {trash.kind !== 'ready' && (
        <p class="empty" role="status">
          {trash.kind === 'reading' ? say('common.loading') : say('trash.notRead')}
        </p>
      )}
      {trash.kind === 'ready' && (
        <>
          {trash.boards.length === 0 && <p class="empty">{say('deletedBoards.empty')}</p>}
          <ul class="rows" aria-label={say('deletedBoards.title')}>
            {trash.boards.map((board) => (
              <DeletedBoardRow key={board.id} board={board} onRestored={() => remove(board.id)} />
            ))}
          </ul>
          {trash.next !== null && (
            <Button kind="quiet" onClick={() => void readOlder(trash.next ?? '', trash.boards)}>
              {say('archive.older')}
            </Button>
          )}
        </>
      )}
    </Dialog>
  );
}

function DeletedBoardRow({ board: { id, title, expires_at }, onRestored }: { readonly board: DeletedBoard; readonly onRestored: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const restore = async (): Promise<void> => {
    setBusy(true);
    if (await restoreBoard(id, title)) onRestored();
    else setBusy(false);
  };
  const count = Math.max(1, Math.ceil((Date.parse(expires_at) - Date.now()) / DAY_MS));
  return (
    <li class="row-item">
      <Icon name="board" />
      <div class="row-main">
        <span class="row-name" dir="auto">
          {title}
        </span>
        <p class="hint">{say('deletedBoards.left', { count })}</p>
      </div>
      <Button kind="quiet" disabled={isBusy} aria-label={say('archive.restoreIt', { title })} onClick={() => void restore()}>
        {say('archive.restore')}
      </Button>
    </li>
  );
}
