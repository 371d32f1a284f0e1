/**
 * Markdown to HTML with bounded work. The parser alone does not bound it: it pads each short row of a table to the width
 * of its header, reads nested quotations again at each level, and looks for the end of each emphasis to the end of the
 * paragraph. A text of a few thousand characters can become millions of elements, or take minutes.
 *
 * The meter counts while the parser reads, and ends it at a limit. Such a text has no HTML, and is shown as text.
 */
import { Lexer, Marked, Parser, Tokenizer, type Links, type MarkedToken, type Token, type Tokens, type TokensList } from 'marked';

/** 65,536 code points. */
const MAX_CODE_UNITS = 2 * 65_536;
/** Paragraphs, cells and inline elements, and lines. A page shows this many without a noticeable pause. */
export const MAX_NODES = 5_000;
/** Lists, quotations and emphasis in each other. */
export const MAX_DEPTH = 32;
/** Texts and addresses in the result: a definition of a link is written once and can be used thousands of times. */
export const MAX_RESULT_CHARACTERS = 262_144;
/** In characters that the parser looks at. Takes about 0.1 s. */
const MAX_WORK = 1_000_000;

/** The fixed price of a token, in characters. */
const TOKEN_WORK = 100;
/** Emphasis is searched with a dearer expression than other constructs. */
const EMPHASIS_WORK = 4;
/** The parser reads ordinary characters faster, by these factors. */
const TEXT_SPEED = 4;
const FOLLOWING_BLOCKS_SPEED = 256;
/** Each of the characters that `MASKED` finds starts a search in the text of its block, most of them short. */
const MASK_SPEED = 32;
const MASKED = /[[\\`<]/g;
/** The parser reads a run of spaces again from each of its characters, and a long address after each shortening. */
const RUN_SPEED = 16;
const SPACES = /[ \t]{32,}/g;
const DELIMITERS = /^(?:\*+|_+|~+)/;
const WORD = /^[\p{L}\p{N}]/u;
const ADDRESS = /^(?:https?:|ftp:|www\.|mailto:|xmpp:)/i;
/** A line of so many markers of lists and quotations is read once for each marker before the nesting shows. */
const TOO_DEEP_LINE = new RegExp(`^(?:[ \\t]*(?:>|[*+-][ \\t]|\\d{1,9}[.)][ \\t])){${MAX_DEPTH + 1}}`, 'm');

/** Titles of the page and of the dialog are above titles in a text. */
const FIRST_HEADING = 3;
const LAST_HEADING = 6;

/** The boxes of task lists. No other element is a span. */
const OPEN = '☐';
export const CHECKED = '☑';

/** `![name](attachment:id)`: an attachment of the card. */
const OWN_PICTURE = /^attachment:/;
export const PICTURE_PATH = '/app/attachments/';

const MARKED = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text, block }: Tokens.HTML | Tokens.Tag) => (block ? `<p>${escaped(text.trim()).replaceAll('\n', '<br>')}</p>` : escaped(text)),
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + FIRST_HEADING - 1, LAST_HEADING);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    /** Nothing is loaded from elsewhere without being asked for. Pictures of the card itself are put in the place of their link. */
    image: ({ href, text }: Tokens.Image) =>
      `<a href="${escaped(href.replace(OWN_PICTURE, PICTURE_PATH))}">${escaped(text === '' ? href : text)}</a>`,
    checkbox: ({ checked }: Tokens.Checkbox) => `<span>${checked ? CHECKED : OPEN}</span> `,
  },
});

class TooMuch extends Error {}

class Meter {
  #work = 0;
  #nodes = 0;
  #resultCharacters = 0;
  #depth = 0;

  addWork(characters: number): void {
    this.#work += characters;
    if (this.#work > MAX_WORK) throw new TooMuch();
  }

  addNode(resultCharacters = 0): void {
    this.#nodes += 1;
    this.#resultCharacters += resultCharacters;
    if (this.#nodes > MAX_NODES || this.#resultCharacters > MAX_RESULT_CHARACTERS) throw new TooMuch();
  }

  nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new TooMuch();
    const result = read();
    this.#depth -= 1;
    return result;
  }
}

class MeteredLexer extends Lexer {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    super({ ...MARKED.defaults, tokenizer: new MeteredTokenizer(meter) });
    this.#meter = meter;
  }

  override blockTokens(text: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(text: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(text: string, tokens?: Token[], isClipped?: boolean): Token[] {
    this.#meter.addWork(text.length / TEXT_SPEED);
    return this.#meter.nested(() => super.blockTokens(text, tokens, isClipped));
  }

  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    const masked = text.match(MASKED)?.length ?? 0;
    this.#meter.addWork(text.length / TEXT_SPEED + (masked * text.length) / MASK_SPEED);
    return this.#meter.nested(() => super.inlineTokens(text, tokens));
  }

  /** Called for each paragraph, heading and cell: before a wide table is complete. */
  override inline(text: string, tokens?: Token[]): Token[] {
    this.#meter.addNode();
    return super.inline(text, tokens);
  }
}

/** A construct that is found costs its length; one that begins and has no end costs the rest of the text. */
class MeteredTokenizer extends Tokenizer {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    super();
    this.#meter = meter;
  }

  /** The first method that is tried for each block. */
  override space(rest: string): Tokens.Space | undefined {
    this.#meter.addWork(TOKEN_WORK + rest.length / FOLLOWING_BLOCKS_SPEED);
    return super.space(rest);
  }

  override table(rest: string): Tokens.Table | undefined {
    return this.#paragraph(rest, super.table(rest));
  }

  override lheading(rest: string): Tokens.Heading | undefined {
    return this.#paragraph(rest, super.lheading(rest));
  }

  /** The first method that is tried for each inline element. */
  override escape(rest: string): Tokens.Escape | undefined {
    this.#meter.addWork(TOKEN_WORK);
    return super.escape(rest);
  }

  override tag(rest: string): Tokens.Tag | undefined {
    return this.#search(rest, '<', super.tag(rest));
  }

  override link(rest: string): Tokens.Link | Tokens.Image | undefined {
    return this.#search(rest, '![', super.link(rest));
  }

  override reflink(rest: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#search(rest, '![', super.reflink(rest, links));
  }

  override emStrong(rest: string, masked: string, previous?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#searchPair(rest, previous, super.emStrong(rest, masked, previous));
  }

  override del(rest: string, masked: string, previous?: string): Tokens.Del | undefined {
    return this.#searchPair(rest, previous, super.del(rest, masked, previous));
  }

  override codespan(rest: string): Tokens.Codespan | undefined {
    return this.#search(rest, '`', super.codespan(rest));
  }

  override autolink(rest: string): Tokens.Link | undefined {
    return this.#search(rest, '<', super.autolink(rest));
  }

  override url(rest: string): Tokens.Link | undefined {
    if (ADDRESS.test(rest)) this.#meter.addWork(wordLength(rest) ** 2 / RUN_SPEED);
    return super.url(rest);
  }

  /** Any word can be an e-mail address, so it is read to its end. */
  override inlineText(rest: string): Tokens.Text | undefined {
    this.#meter.addWork(wordLength(rest));
    return super.inlineText(rest);
  }

  #search<T extends Token>(rest: string, openers: string, token: T | undefined): T | undefined {
    if (token !== undefined) this.#meter.addWork(token.raw.length);
    else if (openers.includes(rest.charAt(0))) this.#meter.addWork(rest.length);
    return token;
  }

  /** A delimiter before a space opens nothing, nor does an underscore within a word: nothing is searched for. */
  #searchPair<T extends Token>(rest: string, previous: string | undefined, token: T | undefined): T | undefined {
    const { length } = DELIMITERS.exec(rest)?.[0] ?? '';
    const next = rest.charAt(length);
    const isWithinWord = rest.startsWith('_') && WORD.test(previous ?? '') && WORD.test(next);
    const isOpen = length > 0 && next.trim() !== '' && !isWithinWord;
    this.#meter.addWork(token?.raw.length ?? (isOpen ? rest.length * EMPHASIS_WORK : length));
    return token;
  }

  #paragraph<T extends Token>(rest: string, token: T | undefined): T | undefined {
    const end = token === undefined ? rest.indexOf('\n\n') : token.raw.length;
    this.#meter.addWork((end === -1 ? rest.length : end) / TEXT_SPEED);
    return token;
  }
}

/** Null for a text above a limit. The result is not sanitized. */
export function markdownHtml(text: string): string | null {
  if (text.length > MAX_CODE_UNITS || TOO_DEEP_LINE.test(text) || hasMoreLines(text, MAX_NODES)) return null;
  const [reading, result] = [new Meter(), new Meter()];
  try {
    for (const [spaces] of text.matchAll(SPACES)) reading.addWork(spaces.length ** 2 / RUN_SPEED);
    const tokens = new MeteredLexer(reading).lex(text);
    measure(tokens, result);
    return new Parser(MARKED.defaults).parse(tokens);
  } catch (error) {
    if (error instanceof TooMuch) return null;
    throw error;
  }
}

function hasMoreLines(text: string, max: number): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= max; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > max;
}

/** Counts what the renderer will write, without writing it. */
function measure(tokens: readonly Token[], meter: Meter): void {
  // No extension adds other tokens.
  for (const token of tokens as readonly MarkedToken[]) {
    if (token.type === 'link' || token.type === 'image') meter.addNode(token.href.length + (token.title?.length ?? 0));
    else meter.addNode('tokens' in token ? 0 : token.raw.length);
    if ('tokens' in token && token.tokens !== undefined) measure(token.tokens, meter);
    if (token.type === 'list') measure(token.items, meter);
    if (token.type !== 'table') continue;
    for (const cell of [token.header, ...token.rows].flat()) {
      meter.addNode();
      measure(cell.tokens, meter);
    }
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function wordLength(text: string): number {
  const end = text.search(/\s/);
  return end === -1 ? text.length : end;
}
