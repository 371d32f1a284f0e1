/** What a text becomes: cards, and what is left of it. Nothing of it is lost. */

export interface NewCard {
  readonly title: string;
  readonly description?: string;
}

export interface Division {
  readonly cards: readonly NewCard[];
  /** Its lines did not fit. */
  readonly rest: string;
}

/** At once. More would rather be an import. */
const MAX_CARDS = 50;
const TITLE_CHARACTERS = 255;
const DESCRIPTION_CHARACTERS = 65_536;

/** Without the empty ones. */
export function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function cardForEachLine(text: string): Division {
  const lines = linesOf(text);
  const divisions = lines.slice(0, MAX_CARDS).map(cardFor);
  const rests = divisions.map(({ rest }) => rest).filter((rest) => rest !== '');
  return { cards: divisions.map(({ card }) => card), rest: [...rests, ...lines.slice(MAX_CARDS)].join('\n') };
}

export function cardForAll(text: string): Division {
  const lines = linesOf(text);
  if (lines.length === 0) return { cards: [], rest: '' };
  const { card, rest } = cardFor(lines.join('\n'));
  return { cards: [card], rest };
}

/** What is too long for a title goes on in the description. */
function cardFor(text: string): { readonly card: NewCard; readonly rest: string } {
  const [head, tail] = divide(text, TITLE_CHARACTERS);
  const title = head.replaceAll('\n', ' ');
  const [description, rest] = divide(tail, DESCRIPTION_CHARACTERS);
  return { card: description === '' ? { title } : { title, description }, rest };
}

/** At the end of a word, if there is one. */
function divide(text: string, max: number): [head: string, tail: string] {
  if (text.length <= max) return [text, ''];
  const space = text.slice(0, max + 1).search(/\s\S*$/);
  const end = space > 0 ? space : endOfCharacter(text, max);
  return [text.slice(0, end).trim(), text.slice(end).trim()];
}

/** No half of a character: the service refuses it. */
function endOfCharacter(text: string, max: number): number {
  return (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max;
}
