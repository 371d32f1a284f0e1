/** Cards and columns that left the board, with the way back. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { attempt } from '../../state/notices.js';
import { formatDay } from '../../state/relativeTime.js';
import { client } from '../../state/session.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { Button, IconButton } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { say, sayWith } from '../../words/catalogue.js';
import { BoardArchive, type ArchivedThing } from './boardArchive.js';
import { PagedSection } from './PagedSection.js';
import { sayRestored } from './sayRestored.js';
import type { SectionProps } from '../sectionProps.js';

/** A pause in typing. */
const PAUSE_MS = 250;

export function ArchiveSection({ open, board }: SectionProps) {
  const archive = useMemo(() => new BoardArchive(board.id), [board.id]);
  useEffect(() => archive.follow(open), [archive, open]);
  const [text, setText] = useState('');
  const wanted = text.trim();
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(() => archive.search(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [archive, wanted]);
  return (
    <PagedSection
      id="panel-archive"
      title={say('boardMenu.archive')}
      list={archive}
      label={say('archive.list')}
      empty={wanted === '' ? say('archive.empty') : say('archive.nothingFits')}
      notRead={say('archive.notRead')}
      tools={<ArchiveSearch text={text} onChange={setText} />}
    >
      {(thing) => (
        <ArchivedRow
          key={thing.id}
          open={open}
          thing={thing}
          column={board.columns.find(({ id }) => id === thing.columnId)?.title ?? null}
          onGone={() => archive.remove(thing.id)}
        />
      )}
    </PagedSection>
  );
}

interface ArchiveSearchProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ArchiveSearch({ text, onChange }: ArchiveSearchProps) {
  return (
    <form class="search is-wide" role="search" onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        type="search"
        dir="auto"
        autocomplete="off"
        maxLength={100}
        placeholder={say('archive.search')}
        aria-label={say('archive.search')}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </form>
  );
}

interface ArchivedRowProps {
  readonly open: SectionProps['open'];
  readonly thing: ArchivedThing;
  /** Null if it is not on the board. */
  readonly column: string | null;
  readonly onGone: () => void;
}

function ArchivedRow({ open, thing, column, onGone }: ArchivedRowProps) {
  const [isAsking, setAsking] = useState(false);
  const { kind, id, title } = thing;
  const mayChange = open.mayChange.value;
  const restore = async (): Promise<void> => {
    const isDone = await attempt(say('archive.notRestored'), async () => {
      if (kind === 'card') await client.card.restore({ card_id: id }, {});
      else await client.column.restore({ column_id: id }, {});
    });
    if (!isDone) return;
    onGone();
    await sayRestored(open, title, kind === 'column');
  };
  const remove = async (): Promise<void> => {
    await attempt(say('archive.notDeleted'), async () => {
      if (kind === 'card') await client.card.delete({ card_id: id });
      else await client.column.delete({ column_id: id });
      onGone();
    });
  };
  return (
    <li class="row-item">
      <Icon name={kind === 'card' ? 'text' : 'board'} />
      <div class="row-main">
        <span class="row-name" dir="auto">
          {title}
        </span>
        <p class="hint">
          {kind === 'column'
            ? say('archive.column', { count: thing.cardCount })
            : column !== null && sayWith('archive.from', { column: <bdi>{column}</bdi> })}{' '}
          <time dateTime={thing.archivedAt}>{formatDay(thing.archivedAt)}</time>
        </p>
      </div>
      {mayChange && (
        <Button kind="quiet" aria-label={say('archive.restoreIt', { title })} onClick={() => void restore()}>
          {say('archive.restore')}
        </Button>
      )}
      {mayChange && <IconButton icon="trash" label={say('archive.deleteIt', { title })} onClick={() => setAsking(true)} />}
      {isAsking && mayChange && (
        <ConfirmDialog
          title={kind === 'card' ? say('card.deleteQuestion') : say('column.deleteQuestion')}
          text={sayWith('card.deleteText', { title: <bdi>{title}</bdi> })}
          action={kind === 'card' ? say('card.delete') : say('column.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => void remove()}
        />
      )}
    </li>
  );
}
