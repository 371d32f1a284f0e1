/** The service does not answer: the boards of the last days can be read, as they were. */
import { useEffect } from 'preact/hooks';
import type { Card, FullBoard } from '../../client/index.js';
import { readCopies, type BoardCopy } from './boardCopies.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { boardPath, type Route } from '../state/route.js';
import { retrySession, startSession } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { LabelChip } from '../ui/LabelChip.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say, sayWith } from '../words/catalogue.js';

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

function Away({ kept }: { readonly kept: readonly BoardCopy[] }) {
  return (
    <main class="page is-narrow">
      <h1>{say('app.noAnswer')}</h1>
      <p>{say('app.checkConnection')}</p>
      <p>
        <Button kind="primary" onClick={() => void startSession()}>
          {say('common.tryAgain')}
        </Button>
      </p>
      {kept.length > 0 && (
        <section aria-labelledby="kept-boards">
          <h2 id="kept-boards">{say('away.boards')}</h2>
          <ul class="rows">
            {kept.map(({ boardId, board, at }) => (
              <li key={boardId} class="row-item">
                <a class="row-main" href={boardPath(boardId)}>
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

function KeptBoard({ copy: { board, at } }: { readonly copy: BoardCopy }) {
  useEffect(() => {
    document.title = `${board.title} · Switchboard`;
  }, [board.title]);
  return (
    <div class="frame">
      <main class="board">
        <header class="board-header">
          <h1 dir="auto">{board.title}</h1>
          <a href="/">{say('away.otherBoards')}</a>
        </header>
        <div role="status" class="banner-place">
          <p class="banner">{sayWith('away.banner', { time: <Age at={at} /> })}</p>
        </div>
        <KeptColumns board={board} />
      </main>
    </div>
  );
}

function KeptColumns({ board }: { readonly board: FullBoard }) {
  return (
    <div class="columns" tabIndex={0} role="group" aria-label={say('away.columns')}>
      {board.columns.map((column) => (
        <section key={column.id} class="column" aria-label={column.title}>
          <header class="column-header" style={{ '--column-color': column.color }}>
            <span class="column-dot" />
            <h2 dir="auto">{column.title}</h2>
            <span class="count" aria-label={say('column.cards', { count: column.cards.length })}>
              {column.cards.length}
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
