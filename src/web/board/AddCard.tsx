/**
 * The form for new cards. It stays open, because one card is rarely the last. What was typed is still there when it is
 * opened again. Several lines can become several cards.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Column } from '../../client/index.js';
import { draftOf, keepDraft, keepNewText } from '../state/drafts.js';
import { EVERYTHING, fits } from '../state/filter/filter.js';
import { notify } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';
import { useBoard } from './boardContext.js';
import { focusInstead } from '../ui/keepFocus.js';
import { cardForAll, cardForEachLine, linesOf, type Division } from './newCards.js';

export function AddCard({ column }: { readonly column: Column }) {
  const { open } = useBoard();
  const isOpen = open.addingTo.value === column.id;
  const draftKey = `${column.id} new card`;
  const text = draftOf(draftKey)?.text ?? '';
  const keep = (value: string): void => keepNewText(draftKey, value, { boardId: open.id, cardId: null });
  const lines = linesOf(text);
  const each = cardForEachLine(text);
  useEffect(() => () => giveBack(open, column.id, draftKey), [column.id]);
  const input = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // At once: what is typed after the shortcut belongs in the field.
  useLayoutEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);
  const close = (): void => {
    open.addingTo.value = null;
    focusInstead(() => button.current);
  };
  const discard = (): void => {
    keepDraft(draftKey, null);
    close();
  };
  const add = ({ cards, rest }: Division): void => {
    if (cards.length === 0) return;
    keep(rest);
    const ids = cards.map((card) => open.addCard(column.id, card));
    sayHidden(open, ids);
    if (rest !== '') notify('info', say('addCard.left'));
    requestAnimationFrame(() => document.querySelector(`[data-card-id="${ids.at(-1)}"]`)?.scrollIntoView({ block: 'nearest' }));
    input.current?.focus();
  };
  if (!isOpen) {
    return (
      <button ref={button} type="button" class="add-card" onClick={() => (open.addingTo.value = column.id)}>
        {text === '' ? say('addCard.invitation') : say('addCard.invitationDraft')}
      </button>
    );
  }
  return (
    <form
      class="add-form"
      onSubmit={(event) => {
        event.preventDefault();
        add(each);
      }}
      onFocusOut={(event) => {
        const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
        if (!isInside && text.trim() === '') open.addingTo.value = null;
      }}
    >
      <textarea
        ref={input}
        rows={Math.min(6, Math.max(2, lines.length))}
        dir="auto"
        value={text}
        onInput={(event) => keep(event.currentTarget.value)}
        placeholder={say('addCard.placeholder')}
        aria-label={say('addCard.label', { column: column.title })}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            add(each);
          }
          if (event.key === 'Escape') close();
        }}
      />
      <div class="row">
        <Button kind="primary" type="submit">
          {lines.length > 1 ? say('addCard.addMany', { count: each.cards.length }) : say('addCard.add')}
        </Button>
        {lines.length > 1 && <Button onClick={() => add(cardForAll(text))}>{say('addCard.addAsOne')}</Button>}
        <IconButton icon="close" label={say('common.close')} onClick={discard} />
      </div>
    </form>
  );
}

/** A user who does not see a card after adding it would add it again. */
function sayHidden(open: OpenBoard, ids: readonly string[]): void {
  const filter = open.filter.value;
  const hidden = ids.flatMap((id) => open.card(id) ?? []).filter((card) => !fits(card, filter));
  if (hidden.length === 0) return;
  notify('info', say('filter.hidesNew', { count: hidden.length }), {
    name: say('filter.showEverything'),
    run: () => (open.filter.value = EVERYTHING),
  });
}

/**
 * The column was deleted while the user typed, or the user may no longer change the board: the service refuses the card, and its
 * text stands in the list of what was not saved.
 */
function giveBack(open: OpenBoard, columnId: string, draftKey: string): void {
  if (!open.isGone(columnId) && !open.isDemoted) return;
  if (open.addingTo.peek() === columnId) open.addingTo.value = null;
  let { text: left } = draftOf(draftKey) ?? { text: '' };
  keepDraft(draftKey, null);
  while (left !== '') {
    const { cards, rest } = cardForEachLine(left);
    for (const card of cards) open.addCard(columnId, card);
    left = rest;
  }
}
