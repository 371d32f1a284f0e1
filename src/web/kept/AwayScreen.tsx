/** The service does not answer: the boards of the last days can be read, as they were. */
import { useEffect } from 'preact/hooks';
import type { Card, FullBoard, KeptChange } from '../../client/index.js';
import { readCopies, type BoardCopy } from './boardCopies.js';
import { keptFiles, mayHaveFiles, type KeptFile } from './fileStore.js';
import { keptChanges } from '../state/pageStore.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { boardPath, type Route } from '../state/route.js';
import { lastUserId, retrySession, startSession } from '../state/session.js';
import { deedOf, refusalOf, settingsOf, textOf } from '../state/unsaved.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { LabelChip } from '../ui/LabelChip.js';
import { useLoaded } from '../ui/useLoaded.js';
import { formatNumber, say, sayWith } from '../words/catalogue.js';

/** So that it goes on by itself. */
const RETRY_MS = 5_000;

export function AwayScreen({ place }: { readonly place: Route }) {
  const [copies] = useLoaded(readCopies);
  useEffect(() => {
    const timer = setInterval(() => void retrySession(), RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  const kept = copies.kind === 'ready' ? copies.value : [];
  const copy = place.screen === 'board' ? kept.find(({ boardId }) => boardId === place.boardId) : undefined;
  return copy === undefined ? <Away kept={kept} /> : <KeptBoard copy={copy} />;
}

/** A board that was not read in this visit. It goes on by itself when the service is back. */
export function BoardWhileAway({ boardId }: { readonly boardId: string }) {
  const [copies] = useLoaded(readCopies);
  const copy = copies.kind === 'ready' ? copies.value.find((each) => each.boardId === boardId) : undefined;
  if (copy !== undefined) return <KeptMain copy={copy} />;
  return (
    <main class="page is-narrow">
      <h1>{say('app.noAnswer')}</h1>
      <p role="status">{say('away.notKept')}</p>
    </main>
  );
}

function Away({ kept }: { readonly kept: readonly BoardCopy[] }) {
  const userId = lastUserId();
  return (
    <main class="page is-narrow">
      <h1>{say('app.noAnswer')}</h1>
      <p>{say('app.checkConnection')}</p>
      <p>
        <Button kind="primary" onClick={() => void startSession()}>
          {say('common.tryAgain')}
        </Button>
      </p>
      {userId !== null && <KeptChanges userId={userId} />}
      {kept.length > 0 && (
        <section aria-labelledby="kept-boards">
          <h2 id="kept-boards">{say('away.boards')}</h2>
          <ul class="rows">
            {kept.map(({ boardId, board, at }) => (
              <li key={boardId} class="row-item">
                <a class="row-main lone-link" href={boardPath(boardId)}>
                  <bdi>{board.title}</bdi>
                </a>
                <span class="hint">{sayWith('away.asItWas', { time: <Age at={at} /> })}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

function Age({ at }: { readonly at: number }) {
  const time = new Date(at).toISOString();
  return (
    <time dateTime={time} title={exactTime(time)}>
      {relativeTime(time)}
    </time>
  );
}

/** The copies are without them, and there may be none: the user sees here that nothing is lost. */
function KeptChanges({ userId }: { readonly userId: string }) {
  const [kept] = useLoaded(() => readKept(userId), userId);
  if (kept.kind !== 'ready') return null;
  const { changes, files } = kept.value;
  if (changes.length + files.length === 0) return null;
  return (
    <details class="banner">
      <summary>{say('away.kept', { count: changes.length + files.length })}</summary>
      <ul class="not-saved">
        {changes.map((change) => (
          <KeptChangeRow key={change.key} change={change} />
        ))}
        {files.map(({ key, name, refusal }) => (
          <li key={key} class="section">
            <p>
              <strong dir="auto">{say('unsaved.file', { name })}</strong>
            </p>
            {refusal !== undefined && <p class="refusal">{refusal}</p>}
          </li>
        ))}
      </ul>
    </details>
  );
}

async function readKept(userId: string): Promise<{ readonly changes: readonly KeptChange[]; readonly files: readonly KeptFile[] }> {
  return { changes: (await keptChanges(userId)) ?? [], files: (await mayHaveFiles()) ? await keptFiles(userId) : [] };
}

function KeptChangeRow({ change }: { readonly change: KeptChange }) {
  const text = textOf(change);
  return (
    <li class="section">
      <p>
        <strong>{deedOf(change)}</strong> {change.about !== undefined && <bdi>{change.about.title}</bdi>}
      </p>
      {settingsOf(change).map((line) => (
        <p key={line} dir="auto">
          {line}
        </p>
      ))}
      {change.refusal !== null && <p class="refusal">{refusalOf(change)}</p>}
      {text !== '' && <textarea rows={Math.min(6, text.split('\n').length)} readOnly dir="auto" aria-label={say('unsaved.yourText')} value={text} />}
      {text !== '' && <CopyButton text={text}>{say('common.copy')}</CopyButton>}
    </li>
  );
}

function KeptBoard({ copy }: { readonly copy: BoardCopy }) {
  return (
    <div class="frame">
      <KeptMain copy={copy} />
    </div>
  );
}

function KeptMain({ copy: { board, at, userId } }: { readonly copy: BoardCopy }) {
  useEffect(() => {
    document.title = `${board.title} · Switchboard`;
  }, [board.title]);
  return (
    <main class="board">
      <header class="board-header">
        <h1 dir="auto">{board.title}</h1>
        <a class="lone-link" href="/">
          {say('away.otherBoards')}
        </a>
      </header>
      <div role="status" class="banner-place">
        <p class="banner">{sayWith('away.banner', { time: <Age at={at} /> })}</p>
      </div>
      <KeptChanges userId={userId} />
      <KeptColumns board={board} />
    </main>
  );
}

function KeptColumns({ board }: { readonly board: FullBoard }) {
  return (
    <div class="columns is-kept" tabIndex={0} role="group" aria-label={say('away.columns')}>
      {board.columns.map((column) => (
        <section key={column.id} class="column" aria-label={column.title}>
          <header class="column-header" style={{ '--column-color': column.color }}>
            <span class="column-dot" />
            <h2 dir="auto">{column.title}</h2>
            <span class="count" aria-label={say('column.cards', { count: column.cards.length })}>
              {formatNumber(column.cards.length)}
            </span>
          </header>
          <div class="cards" tabIndex={0} role="group" aria-label={say('board.cardsIn', { column: column.title })}>
            <ol>
              {column.cards.map((card) => (
                <li key={card.id}>
                  <KeptCard card={card} />
                </li>
              ))}
            </ol>
          </div>
        </section>
      ))}
    </div>
  );
}

function KeptCard({ card }: { readonly card: Card }) {
  const hasMore = (card.description ?? '') !== '' || card.checklists.length > 0;
  return (
    <article class="card is-kept">
      <p class="card-title" dir="auto">
        {card.title}
      </p>
      {card.labels.length > 0 && (
        <div class="card-facts">
          <ul class="chips" aria-label={say('card.labels')}>
            {card.labels.map((label) => (
              <li key={label.id}>
                <LabelChip label={label} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {hasMore && (
        <details>
          <summary>{say('away.more')}</summary>
          {(card.description ?? '') !== '' && <p dir="auto">{card.description}</p>}
          {card.checklists.map(({ id, title, items }) => (
            <section key={id}>
              <h3 dir="auto">{title}</h3>
              <ul>
                {items.map((item) => (
                  <li key={item.id} dir="auto">
                    {item.is_done ? '☑' : '☐'} {item.content}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </details>
      )}
    </article>
  );
}
