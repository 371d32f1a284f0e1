import { useLayoutEffect, useRef } from 'preact/hooks';
import { renderMarkdown } from './renderMarkdown.js';

export function Markdown({ text }: { readonly text: string }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    element.replaceChildren(renderMarkdown(text));
    // A wide table scrolls, also by keyboard.
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  }, [text]);
  return <div class="markdown" ref={root} />;
}
