/** The title, looks and description of the board, its export, and its end. */
import { useRef, useState } from 'preact/hooks';
import type { FullBoard } from '../../client/index.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import { offerRestore } from '../boards/loadRestoring.js';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { Conflict, isOvertaken, type Writing } from '../ui/form/Conflict.js';
import { InlineText } from '../ui/form/InlineText.js';
import { BoardExport } from './BoardExport.js';
import { IdentitySection } from './IdentitySection.js';
import type { SectionProps } from './sectionProps.js';
import { say, sayWith } from '../words/catalogue.js';

const MAX_CHARACTERS = 10_000;

export function AboutSection({ open, board }: SectionProps) {
  const isOwner = open.isOwner.value;
  return (
    <>
      <section aria-labelledby="panel-title">
        <h3 id="panel-title">{say('about.title')}</h3>
        <InlineText
          value={board.title}
          label={say('board.title')}
          isDisabled={!isOwner}
          onChange={(title, isOvertaken) => open.saveText(isOvertaken, 'board.update', { board_id: board.id }, { title })}
        />
      </section>
      {isOwner && <IdentitySection open={open} board={board} />}
      <Description open={open} board={board} />
      <Created board={board} />
      <Export board={board} />
      {isOwner && <Deletion board={board} />}
    </>
  );
}

function Created({ board }: { readonly board: FullBoard }) {
  const creator = board.members.find(({ user_id }) => user_id === board.created_by);
  const time = (
    <time dateTime={board.created_at} title={exactTime(board.created_at)}>
      {relativeTime(board.created_at)}
    </time>
  );
  return (
    <p class="hint">
      {creator === undefined ? sayWith('about.created', { time }) : sayWith('about.createdBy', { time, name: <bdi>{nameOf(creator.user)}</bdi> })}
    </p>
  );
}

function Description({ open, board }: SectionProps) {
  const current = board.description ?? '';
  if (open.isOwner.value) return <DescriptionForm open={open} board={board} />;
  if (current === '') return null;
  return (
    <section aria-labelledby="panel-description">
      <h3 id="panel-description">{say('about.description')}</h3>
      <p class="long-text" dir="auto">
        {current}
      </p>
    </section>
  );
}

/** What was typed outlives Escape and the panel. */
function DescriptionForm({ open, board }: SectionProps) {
  const key = `${board.id} description`;
  const saved = board.description ?? '';
  const draft = draftOf(key);
  const keepMine = useRef<HTMLButtonElement>(null);
  const isBehind = draft !== null && isOvertaken(draft, saved);
  const write = ({ text, base }: Writing): void =>
    keepDraft(key, text === base && base === saved ? null : { text, base, boardId: board.id, cardId: null });
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft === null) return;
        if (isBehind) return keepMine.current?.focus();
        const description = draft.text.trim() === '' ? null : draft.text;
        keepDraft(key, null);
        if ((description ?? '') !== saved) void open.change('board.update', { board_id: board.id }, { description });
      }}
    >
      <h3>
        <label for="panel-description">{say('about.description')}</label>
      </h3>
      <textarea
        id="panel-description"
        rows={4}
        dir="auto"
        maxLength={MAX_CHARACTERS}
        placeholder={say('about.placeholder')}
        value={draft?.text ?? saved}
        onInput={({ currentTarget: { value: text } }) => write({ text, base: draft?.base ?? saved })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || draft === null || event.isComposing) return;
          event.preventDefault();
          event.stopPropagation();
          event.currentTarget.blur();
        }}
      />
      {isBehind && (
        <Conflict saved={saved} text={draft.text} keepMine={keepMine} onChoose={write}>
          <p class="long-text" dir="auto">
            {saved}
          </p>
        </Conflict>
      )}
      {draft !== null && (
        <div class="row">
          <Button kind="primary" type="submit" disabled={isBehind}>
            {say('common.save')}
          </Button>
          <Button kind="quiet" onClick={() => keepDraft(key, null)}>
            {say('common.discard')}
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
      <h3 id="panel-export">{say('about.export')}</h3>
      <p class="hint">{say('about.exportHint')}</p>
      <Button icon="download" disabled={isRunning} onClick={() => setRunning(true)}>
        {say('about.exportBoard')}
      </Button>
      {isRunning && <BoardExport boardId={board.id} title={board.title} onClose={() => setRunning(false)} />}
    </section>
  );
}

function Deletion({ board }: { readonly board: FullBoard }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section aria-labelledby="panel-delete">
      <h3 id="panel-delete">{say('about.delete')}</h3>
      <p class="hint">{say('about.deleteHint')}</p>
      <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
        {say('about.deleteBoard')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={say('boards.deleteQuestion')}
          text={sayWith('boards.deleteText', { title: <bdi>{board.title}</bdi>, count: board.members.length })}
          action={say('boards.deleteIt', { title: board.title })}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            void attempt(say('boards.notDeleted'), async () => {
              await client.board.delete({ board_id: board.id });
              navigate('/');
              offerRestore(board.id, board.title);
            })
          }
        />
      )}
    </section>
  );
}
