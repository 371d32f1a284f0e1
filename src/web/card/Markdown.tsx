import { useLayoutEffect, useRef } from 'preact/hooks';
import { renderMarkdown } from './renderMarkdown.js';

export function Markdown({ text }: { readonly text: string }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => root.current?.replaceChildren(renderMarkdown(text)), [text]);
  return <div class="markdown" ref={root} />;
}
