/**
 * Markdown of other users as nodes of the page. Two walls: HTML in the text is shown as text, and only a short list of
 * elements and attributes passes. The result is never written as text and parsed again, which could change its meaning.
 */
import purifier from 'dompurify';
import { Marked, type Tokens } from 'marked';

const TAGS = [
  'a', 'blockquote', 'br', 'code', 'del', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 'span', 'strong', 'table',
  'tbody', 'td', 'th', 'thead', 'tr', 'ul',
];
const ATTRIBUTES = ['align', 'href', 'start', 'title'];
/** Web pages, mail, telephone, and places of this application. */
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|\/app\/)/i;
/** Titles of the page and of the dialog are above those of a text. */
const FIRST_HEADING = 3;
const LAST_HEADING = 6;

purifier.addHook('afterSanitizeAttributes', (node) => {
  if (!(node instanceof HTMLAnchorElement) || !node.hasAttribute('href')) return;
  node.target = '_blank';
  node.rel = 'noopener noreferrer';
});

const parser = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text, block }: Tokens.HTML | Tokens.Tag) => (block ? `<p>${escaped(text.trim()).replaceAll('\n', '<br>')}</p>` : escaped(text)),
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + FIRST_HEADING - 1, LAST_HEADING);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    /** Nothing is loaded from elsewhere without being asked for. */
    image: ({ href, text }: Tokens.Image) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
    checkbox: ({ checked }: Tokens.Checkbox) => `<span>${checked ? '☑' : '☐'}</span> `,
  },
});

/** A text that cannot be read as Markdown is shown as it is. */
export function renderMarkdown(text: string): Node {
  let html: string;
  try {
    html = parser.parse(text, { async: false });
  } catch (error) {
    // Thousands of nested quotations exhaust the stack of the parser.
    if (!(error instanceof RangeError)) throw error;
    return document.createTextNode(text);
  }
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESS,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
