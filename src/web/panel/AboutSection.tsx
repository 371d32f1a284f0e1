/** The title and description of the board, its export, and its end. */
import { useState } from 'preact/hooks';
import type { FullBoard } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { InlineText } from '../ui/form/InlineText.js';
import { BoardExport } from './BoardExport.js';
import type { SectionProps } from './sectionProps.js';

const MAX_CHARACTERS = 10_000;

export function AboutSection({ open, board }: SectionProps) {
  const isOwner = open.isOwner.value;
  return (
    <>
      <section aria-labelledby="panel-title">
        <h3 id="panel-title">Title</h3>
        <InlineText
          value={board.title}
          label="Title of the board"
          isDisabled={!isOwner}
          onChange={(title) => void open.change('board.update', { board_id: board.id }, { title })}
        />
      </section>
      <Description open={open} board={board} />
      <p class="hint">
        Created{' '}
        <time dateTime={board.created_at} title={exactTime(board.created_at)}>
          {relativeTime(board.created_at)}
        </time>
        <Creator board={board} />
      </p>
      {isOwner && <Export board={board} />}
      {isOwner && <Deletion board={board} />}
    </>
  );
}

function Creator({ board }: { readonly board: FullBoard }) {
  const creator = board.members.find(({ user_id }) => user_id === board.created_by);
  return creator === undefined ? null : (
    <>
      {' '}
      by <bdi>{nameOf(creator.user)}</bdi>
    </>
  );
}

function Description({ open, board }: SectionProps) {
  const [text, setText] = useState<string | null>(null);
  const current = board.description ?? '';
  if (!open.isOwner.value) {
    if (current === '') return null;
    return (
      <section aria-labelledby="panel-description">
        <h3 id="panel-description">Description</h3>
        <p class="long-text" dir="auto">
          {current}
        </p>
      </section>
    );
  }
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (text === null) return;
        const description = text.trim() === '' ? null : text;
        void open.change('board.update', { board_id: board.id }, { description });
        setText(null);
      }}
    >
      <h3>
        <label for="panel-description">Description</label>
      </h3>
      <textarea
        id="panel-description"
        rows={4}
        dir="auto"
        maxLength={MAX_CHARACTERS}
        placeholder="What is this board for?"
        value={text ?? current}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === null) return;
          event.preventDefault();
          event.stopPropagation();
          setText(null);
        }}
      />
      {text !== null && text !== current && (
        <div class="row">
          <Button kind="primary" type="submit">
            Save
          </Button>
          <Button kind="quiet" onClick={() => setText(null)}>
            Discard
          </Button>
        </div>
      )}
    </form>
  );
}

function Export({ board }: { readonly board: FullBoard }) {
  const [isRunning, setRunning] = useState(false);
  return (
    <section aria-labelledby="panel-export">
      <h3 id="panel-export">Export</h3>
      <p class="hint">One file with everything on the board, also its files. It can be imported again, here or elsewhere.</p>
      <Button icon="download" disabled={isRunning} onClick={() => setRunning(true)}>
        Export the board
      </Button>
      {isRunning && <BoardExport boardId={board.id} title={board.title} onClose={() => setRunning(false)} />}
    </section>
  );
}

function Deletion({ board }: { readonly board: FullBoard }) {
  const [isAsking, setAsking] = useState(false);
  const people = board.members.length === 1 ? 'you' : `all ${board.members.length} members`;
  return (
    <section aria-labelledby="panel-delete">
      <h3 id="panel-delete">Delete the board</h3>
      <p class="hint">All columns, cards and files go with it.</p>
      <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
        Delete the board…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Delete the board?"
          text={
            <>
              “<bdi>{board.title}</bdi>” with all its columns, cards and files will be gone for {people}. This cannot be undone.
            </>
          }
          action={`Delete ${board.title}`}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            void attempt('The board was not deleted', async () => {
              await client.board.delete({ board_id: board.id });
              navigate('/');
            })
          }
        />
      )}
    </section>
  );
}
