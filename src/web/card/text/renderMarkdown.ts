/**
 * Markdown of other users as nodes of the page. Two walls: HTML in the text is shown as text, and only a short list of
 * elements and attributes passes. The result is never written as text and parsed again, which could change its meaning.
 */
import purifier from 'dompurify';
import { markdownHtml } from './markdownHtml.js';

const TAGS = [
  'a',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  'span',
  'strong',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
];
const ATTRIBUTES = ['align', 'href', 'start', 'title'];
/** Web pages, mail, telephone, and places of this application. */
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|\/app\/)/i;

purifier.addHook('afterSanitizeAttributes', (node) => {
  if (!(node instanceof HTMLAnchorElement) || !node.hasAttribute('href')) return;
  node.target = '_blank';
  node.rel = 'noopener noreferrer';
});

export function renderMarkdown(text: string): Node {
  const html = markdownHtml(text);
  if (html === null) return asWritten(text);
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESS,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** A text with too much in it. */
function asWritten(text: string): Node {
  const element = document.createElement('pre');
  element.textContent = text;
  return element;
}
