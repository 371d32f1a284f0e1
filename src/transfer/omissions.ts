import { jsonBytes } from '../domain/board/boardSize.js';
import { TITLE_CHARACTERS } from '../domain/textLimits.js';

/** An answer must not grow with its request. A thousand files with their addresses fit. */
const MAX_NAMED_BYTES = 256 * 1024;

/** What a report names one by one. */
const NAMED = {
  card: ['card', 'cards'],
  color: ['colour', 'colours'],
  file: ['file', 'files'],
  link: ['link', 'links'],
  member: ['member', 'members'],
  rule: ['rule', 'rules'],
  text: ['text', 'texts'],
} as const;

type Named = keyof typeof NAMED;

/** Sentences about what did not fit into the new board, for the importing user. */
export class Omissions {
  readonly #named: string[] = [];
  #namedBytes = 0;
  readonly #unnamed = new Map<Named, number>();
  readonly #summaries: string[] = [];

  /** Names one thing. Things for which there is no room are counted. */
  name(kind: Named, sentence: string): void {
    const bytes = jsonBytes(sentence);
    if (this.#namedBytes + bytes > MAX_NAMED_BYTES) {
      this.#unnamed.set(kind, (this.#unnamed.get(kind) ?? 0) + 1);
      return;
    }
    this.#namedBytes += bytes;
    this.#named.push(sentence);
  }

  /** One sentence for many things of a kind; nothing if there are none. */
  count(things: number, sentence: (things: string) => string, words: readonly [one: string, many: string]): void {
    if (things > 0) this.summarize(sentence(counted(things, words)));
  }

  /** Always reported: each import has at most one of each sort. */
  summarize(sentence: string): void {
    this.#summaries.push(sentence);
  }

  get notes(): readonly string[] {
    const unnamed = [...this.#unnamed].map(([kind, things]) => counted(things, NAMED[kind]));
    const rest = unnamed.length === 0 ? [] : [`… and ${unnamed.join(', ')} more, which the report has no room to name.`];
    return [...this.#named, ...rest, ...this.#summaries];
  }
}

function counted(things: number, [one, many]: readonly [one: string, many: string]): string {
  return `${things} ${things === 1 ? one : many}`;
}

/** Shortens a text for a sentence. */
export function clip(text: string, most = TITLE_CHARACTERS): string {
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end).toWellFormed().replaceAll('\0', '');
}
