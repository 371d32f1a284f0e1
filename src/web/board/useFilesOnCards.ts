/** Files that are dropped on a card of the board are attached to it. Beside a card they would replace the page. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { notify } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { loadPart } from '../page/loadPart.js';
import { say } from '../words/catalogue.js';

const OVER = 'is-file-over';

export function useFilesOnCards(root: RefObject<HTMLElement | null>, open: OpenBoard): void {
  useEffect(() => {
    const board = root.current;
    if (board === null) return;
    let marked: Element | null = null;
    const mark = (card: Element | null): void => {
      if (card === marked) return;
      marked?.classList.remove(OVER);
      card?.classList.add(OVER);
      marked = card;
    };
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      const card = open.mayChange.value ? cardAt(event) : null;
      event.dataTransfer.dropEffect = card === null ? 'none' : 'copy';
      mark(card);
    };
    const drop = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])];
      mark(null);
      if (files.length === 0) return;
      event.preventDefault();
      const id = cardAt(event)?.closest<HTMLElement>('[data-card-id]')?.dataset['cardId'];
      const card = id === undefined ? undefined : open.card(id);
      if (card === undefined || !open.mayChange.value) return;
      attach(card, files);
    };
    const leave = (event: DragEvent): void => {
      if (!(event.relatedTarget instanceof Node) || !board.contains(event.relatedTarget)) mark(null);
    };
    const listening = new AbortController();
    const { signal } = listening;
    board.addEventListener('dragover', over, { signal });
    board.addEventListener('dragleave', leave, { signal });
    board.addEventListener('drop', drop, { signal });
    return () => {
      mark(null);
      listening.abort();
    };
  }, [open]);
}

/** The notice of a failure holds the files: they cannot be dropped again by keys, or from a folder that is closed. */
function attach(card: Card, files: readonly File[]): void {
  notify('info', say('card.attaching', { count: files.length, title: card.title }));
  loadPart(() => import('../card/files/uploads.js')).then(
    ({ uploadFiles }) => uploadFiles(card, files),
    () => notify('failure', say('card.notAttached', { title: card.title }), { name: say('common.tryAgain'), run: () => attach(card, files) }),
  );
}

function cardAt({ target }: DragEvent): Element | null {
  return target instanceof Element ? target.closest('.card') : null;
}
