/** What was deleted from the board, with the way back. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { attempt } from '../../state/notices.js';
import { nameOf } from '../../state/people.js';
import { formatDay } from '../../state/relativeTime.js';
import { client } from '../../state/session.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { Button, IconButton } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { say, sayWith } from '../../words/catalogue.js';
import { BoardTrash, type TrashEntry } from './boardTrash.js';
import { PagedSection } from './PagedSection.js';
import { sayRestored } from './sayRestored.js';
import type { SectionProps } from '../sectionProps.js';

const ICONS = { card: 'text', column: 'board', checklist: 'checklist', label: 'label', attachment: 'clip' } as const;

export function TrashSection({ open, board }: SectionProps) {
  const trash = useMemo(() => new BoardTrash(board.id), [board.id]);
  useEffect(() => trash.follow(open), [trash, open]);
  return (
    <PagedSection
      id="panel-trash"
      title={say('boardMenu.trash')}
      list={trash}
      label={say('trash.list')}
      empty={say('trash.empty')}
      notRead={say('trash.notRead')}
    >
      {(entry) => <TrashRow key={entry.id} open={open} entry={entry} onGone={() => trash.remove(entry.id)} />}
    </PagedSection>
  );
}

interface TrashRowProps {
  readonly open: SectionProps['open'];
  readonly entry: TrashEntry;
  readonly onGone: () => void;
}

function TrashRow({ open, entry, onGone }: TrashRowProps) {
  const [isAsking, setAsking] = useState(false);
  const { kind, id, title, deleted_at, deleted_by, expires_at } = entry;
  const path = { board_id: open.id, entry_id: id };
  const restore = async (): Promise<void> => {
    const isDone = await attempt(say('archive.notRestored'), async () => {
      // A large one comes back in parts.
      for (let isComplete = false; !isComplete;) ({ is_complete: isComplete } = await client.trash.restore(path, {}));
    });
    if (!isDone) return;
    onGone();
    await sayRestored(open, title, kind === 'column' || kind === 'label');
  };
  const purge = async (): Promise<void> => {
    if (await attempt(say('archive.notDeleted'), () => client.trash.delete(path))) onGone();
  };
  const author = deleted_by === null ? undefined : open.memberOf(deleted_by);
  const said = { kind: say(`thing.${kind}`), day: <time dateTime={deleted_at}>{formatDay(deleted_at)}</time> };
  return (
    <li class="row-item">
      <Icon name={ICONS[kind]} />
      <div class="row-main">
        <span class="row-name" dir="auto">
          {title}
        </span>
        <p class="hint">
          {author === undefined ? sayWith('trash.deleted', said) : sayWith('trash.deletedBy', { ...said, name: <bdi>{nameOf(author.user)}</bdi> })},{' '}
          {sayWith('trash.until', { day: <time dateTime={expires_at}>{formatDay(expires_at)}</time> })}
        </p>
      </div>
      <Button kind="quiet" aria-label={say('archive.restoreIt', { title })} onClick={() => void restore()}>
        {say('archive.restore')}
      </Button>
      {open.isOwner.value && <IconButton icon="trash" label={say('trash.purgeIt', { title })} onClick={() => setAsking(true)} />}
      {isAsking && open.isOwner.value && (
        <ConfirmDialog
          title={say('trash.purgeQuestion')}
          text={sayWith('trash.purgeText', { title: <bdi>{title}</bdi> })}
          action={say('trash.purge')}
          onClose={() => setAsking(false)}
          onConfirm={() => void purge()}
        />
      )}
    </li>
  );
}
