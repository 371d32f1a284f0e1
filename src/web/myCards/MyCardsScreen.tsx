/** The cards of all boards that are assigned to the user, those that are due first. */
import { useEffect, useState } from 'preact/hooks';
import type { AssignedCard } from '../../client/index.js';
import { DueDate } from '../dates/DueDate.js';
import { reasonOf } from '../state/notices.js';
import { cardPath } from '../state/route.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';

type Loading =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly next: string | null }
  | { readonly kind: 'failed'; readonly reason: string };

export function MyCardsScreen() {
  const [cards, setCards] = useState<readonly AssignedCard[]>([]);
  const [state, setState] = useState<Loading>({ kind: 'loading' });
  const load = async (after: string | null): Promise<void> => {
    setState({ kind: 'loading' });
    try {
      const page = await client.card.mine(after === null ? {} : { after });
      setCards((before) => (after === null ? page.cards : [...before, ...page.cards]));
      setState({ kind: 'ready', next: page.next });
    } catch (error) {
      setState({ kind: 'failed', reason: reasonOf(error) });
    }
  };
  useEffect(() => {
    document.title = `${say('mine.title')} · Switchboard`;
    void load(null);
  }, []);
  const next = state.kind === 'ready' ? state.next : null;
  return (
    <main class="page is-narrow">
      <h1>{say('mine.title')}</h1>
      {cards.length > 0 && (
        <ul class="my-cards" aria-label={say('mine.title')}>
          {cards.map((card) => (
            <li key={card.id}>
              <a class="lone-link" href={cardPath(card.board_id, card.id)} dir="auto">
                {card.title}
              </a>
              <DueDate card={{ ...card, completed_at: null }} />
              <span class="hint" dir="auto">
                {card.board_title} · {card.column_title}
              </span>
            </li>
          ))}
        </ul>
      )}
      {state.kind === 'ready' && cards.length === 0 && <p class="hint">{say('mine.none')}</p>}
      {state.kind === 'loading' && (
        <p class="loading" role="status">
          {say('common.loading')}
        </p>
      )}
      {state.kind === 'failed' && (
        <p role="alert">
          {state.reason} <Button onClick={() => void load(null)}>{say('common.tryAgain')}</Button>
        </p>
      )}
      {next !== null && <Button onClick={() => void load(next)}>{say('mine.more')}</Button>}
    </main>
  );
}
