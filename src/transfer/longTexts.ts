/** Texts that are longer than a board allows: cut on the board, and kept whole in text files of its cards. */
import { toSharedBytes } from '../domain/content/sharedBytes.js';
import { ownBytes } from '../domain/board/boardSize.js';
import { measurePlan } from '../domain/document/importLimits.js';
import type { ImportedBoard, ImportedCard } from '../domain/document/importedBoard.js';
import type { Uuid } from '../domain/ids.js';
import { MAX_ON_ONE, type BoardLimits, type BoardMeasure } from '../domain/limits.js';
import { clip, type Omissions } from './omissions.js';

/** Of one import. Each takes a commit, while others wait for their turn. */
const MAX_TEXT_FILES = 1_000;
const TYPE = 'text/plain; charset=utf-8';
/** Of the beginning that a report shows. */
const SHOWN_CHARACTERS = 60;

/** A card, by its place in the document. */
export interface CardPlace {
  readonly column: number;
  readonly card: number;
  readonly title: string;
}

/** What a text is, for its file and for the report. */
export interface TextRole {
  readonly what: string;
  /** Null if the text is on no card. */
  readonly card: CardPlace | null;
}

interface LongText extends TextRole {
  readonly text: string;
  readonly most: number;
}

type Attached = ImportedCard['attachments'][number];

export interface TextFileSettings {
  readonly limits: BoardLimits;
  readonly maxFileBytes: number;
  /** The id and the digest of a new file with this content. */
  store(bytes: Uint8Array): { readonly id: Uuid; readonly digest: string };
}

/** Cuts texts to their length, and remembers them. */
export class LongTexts {
  readonly #texts: LongText[] = [];

  /** Unpaired surrogates and zeros, which no text may have, are replaced or removed. */
  fit(text: string, most: number, role: TextRole): string {
    const sound = text.toWellFormed().replaceAll('\0', '');
    if (sound.length <= most) return sound;
    const characters = [...sound];
    if (characters.length <= most) return sound;
    this.#texts.push({ ...role, text: sound, most });
    return `${characters.slice(0, most - 1).join('')}…`;
  }

  /**
   * Attaches each text to its card; those that are on none, to the first card of the board. Within the limits: a text
   * never causes that a board is refused.
   */
  attach(plan: ImportedBoard, settings: TextFileSettings, leftOut: Omissions): ImportedBoard {
    if (this.#texts.length === 0) return plan;
    const files = new TextFiles(plan, settings);
    for (const text of this.#texts) leftOut.name('text', `${described(text)}${files.keep(text)}`);
    return files.plan;
  }
}

function described({ what, card, text, most }: LongText): string {
  const beginning = clip(
    text
      .slice(0, 4 * SHOWN_CHARACTERS)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    SHOWN_CHARACTERS,
  );
  return `${what} "${beginning}…"${card === null ? '' : ` of card "${clip(card.title)}"`} is longer than ${most} characters`;
}

/** One of the archive, if there is no other. */
function firstCard({ columns }: ImportedBoard): ImportedCard | undefined {
  const onBoard = columns.filter(({ archived_at }) => archived_at == null).flatMap(({ cards }) => cards);
  return onBoard.find(({ archived_at }) => archived_at == null) ?? columns.flatMap(({ cards }) => cards)[0];
}

/** For example "item 2.txt". */
function nameOf(what: string, others: readonly Attached[]): string {
  const name = what.toLowerCase();
  const same = others.filter((other) => other.name.startsWith(name)).length;
  return same === 0 ? `${name}.txt` : `${name} ${same + 1}.txt`;
}

/** The files that a board gets for its long texts. */
class TextFiles {
  readonly #plan: ImportedBoard;
  readonly #settings: TextFileSettings;
  readonly #measures: Record<BoardMeasure, number>;
  readonly #byCard = new Map<ImportedCard, Attached[]>();
  readonly #first: ImportedCard | undefined;
  #count = 0;

  constructor(plan: ImportedBoard, settings: TextFileSettings) {
    this.#plan = plan;
    this.#settings = settings;
    this.#measures = measurePlan(plan);
    this.#first = firstCard(plan);
  }

  /** Returns the end of a sentence about the text. */
  keep({ what, card: place, text }: LongText): string {
    const card = place === null ? this.#first : this.#plan.columns[place.column]?.cards[place.card];
    if (card === undefined) return ' and was cut: the board has no card that could have it as a file.';
    if (this.#count === MAX_TEXT_FILES) return ` and was cut: an import makes at most ${MAX_TEXT_FILES} files of texts.`;
    const files = this.#byCard.get(card) ?? [];
    const bytes = toSharedBytes(text);
    if (bytes.length > this.#settings.maxFileBytes) return ' and was cut: it is larger than the file limit.';
    const file = { name: nameOf(what, files), mime_type: TYPE, size: bytes.length, digest: null, url: null };
    if (!this.#takeRoom(file, card.attachments.length + files.length)) return ' and was cut: there is no room for another file.';
    this.#byCard.set(card, [...files, { ...file, ...this.#settings.store(bytes) }]);
    return place === null ? `: file "${file.name}" of card "${card.title}" has all of it.` : `: its file "${file.name}" has all of it.`;
  }

  get plan(): ImportedBoard {
    const columns = this.#plan.columns.map((column) => ({
      ...column,
      cards: column.cards.map((card) => {
        const files = this.#byCard.get(card);
        return files === undefined ? card : { ...card, attachments: [...card.attachments, ...files] };
      }),
    }));
    return { ...this.#plan, columns };
  }

  /** False if a limit stands against the file. */
  #takeRoom(file: Omit<Attached, 'id'>, onCard: number): boolean {
    const { limits } = this.#settings;
    const { items, attachmentBytes, bytes } = this.#measures;
    const now = { items: items + 1, attachmentBytes: attachmentBytes + file.size, bytes: bytes + ownBytes('attachment', file) };
    const measures = Object.keys(now) as Array<keyof typeof now>;
    if (onCard >= MAX_ON_ONE.attachments || measures.some((each) => now[each] > limits[each])) return false;
    Object.assign(this.#measures, now);
    this.#count += 1;
    return true;
  }
}
