import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../../client/index.js';
import { shownBoard } from '../../state/openBoard.js';
import { linkCards } from './cardLinks.js';
import { CHECKED } from './markdownHtml.js';
import { showPictures } from './pictures.js';
import { renderMarkdown } from './renderMarkdown.js';

interface MarkdownProps {
  readonly text: string;
  /** Of the card: the text may show pictures among them. */
  readonly attachments: readonly Attachment[];
  /** Ticks the box of that number, or no longer. Without it the boxes are only shown. */
  readonly onToggle?: ((box: number) => void) | undefined;
}

export function Markdown({ text, attachments, onToggle }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const toggle = useRef(onToggle);
  toggle.current = onToggle;
  const isLive = onToggle !== undefined;
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const focused = boxesIn(element).findIndex((box) => box === document.activeElement);
    element.replaceChildren(renderMarkdown(text));
    // Made here, after the sanitizer, which lets no control and no picture pass.
    [...element.querySelectorAll('span')].forEach((sign, index) => sign.replaceWith(boxFor(sign, isLive, () => toggle.current?.(index))));
    linkCards(element, shownBoard.peek()?.board.peek() ?? null);
    const release = showPictures(element, attachments);
    // The text is new after each tick; the focus stays.
    boxesIn(element)[focused]?.focus({ preventScroll: true });
    // A wide table scrolls, also by keyboard.
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
    return release;
  }, [text, isLive, attachments.map(({ id }) => id).join()]);
  return <div class="markdown" ref={root} />;
}

function boxesIn(element: HTMLElement): HTMLInputElement[] {
  return [...element.querySelectorAll('input')];
}

function boxFor(sign: HTMLElement, isLive: boolean, onToggle: () => void): HTMLLabelElement {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = sign.textContent === CHECKED;
  box.disabled = !isLive;
  box.ariaLabel = sign.closest('li')?.textContent.replace(sign.textContent, '').trim() ?? '';
  box.addEventListener('change', () => {
    // The text decides, which may be changed at once or not at all.
    box.checked = !box.checked;
    onToggle();
  });
  // A finger needs more room than the box has.
  const place = document.createElement('label');
  place.className = 'task-box';
  place.append(box);
  return place;
}
