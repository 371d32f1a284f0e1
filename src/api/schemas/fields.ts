/** The field types of requests. Each has its rule, its error text and its JSON Schema. */
import { FIRST_EPOCH, POSITION_PATTERN, readPosition, type Position } from '../../domain/position.js';
import * as v from 'valibot';
import { isRealDay } from '../../domain/board/dates.js';
import { MAX_REMINDER_MINUTES, NO_REMINDER } from '../../domain/content/reminderMinutes.js';
import { MAX_PASSWORD_BYTES } from '../../auth/passwordRules.js';
import { parseUuid } from '../../domain/ids.js';
import type { Editable, EditableKind } from '../../domain/model.js';
import { CARD_TEXT_CHARACTERS, EMAIL_CHARACTERS, LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../domain/textLimits.js';
import { URL_CHARACTERS, webAddress } from '../../domain/content/links.js';
import { COLOR_NAMES, HEX_PATTERN, isColor } from './colors.js';
import type { Schema, SchemasOf } from '../operation/operation.js';
import { bidiControl, hasBase, hiddenCharacter, mixedScripts, UNDIRECTED_NAME_PATTERN, VISIBLE_NAME_PATTERN } from './visibleText.js';
import { DEFAULT_COLOR } from '../../domain/content/defaults.js';

/** Schemas of exactly the fields that an update may change. */
export type ChangesOf<K extends EditableKind> = SchemasOf<Editable<K>>;

/** A check with its own JSON Schema, where Valibot's actions have none. */
export function documentedCheck<T>(
  holds: (input: T) => boolean,
  complaint: string,
  jsonSchema: Readonly<Record<string, unknown>>,
): v.CheckAction<T, string> {
  return Object.assign(v.check<T, string>(holds, complaint), { jsonSchema });
}

const soundness = (pattern: string): v.CheckAction<string, string> =>
  documentedCheck((text) => !text.includes('\0') && text.isWellFormed(), 'must not contain NUL or unpaired surrogates', { pattern });

/** Text that SQLite, JSON and every client can carry: no NUL, no unpaired surrogate. */
const sound = soundness('^[^\\u0000]*$');
/** The same, of which something is left when it is trimmed. */
export const NOT_BLANK_PATTERN = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';
const soundName = soundness(NOT_BLANK_PATTERN);

/** For the document alone, where the check itself is elsewhere. */
export function documented<T>(jsonSchema: Readonly<Record<string, unknown>>): v.CheckAction<T, string> {
  return documentedCheck<T>(() => true, '', jsonSchema);
}

function characters(least: number, most: number): v.CheckAction<string, string> {
  const complaint = least === 0 ? `must be at most ${most} characters` : `must be ${least} to ${most} characters`;
  const within = (text: string): boolean => {
    if (text.length < least) return false;
    if (text.length <= most) return true;
    // Only text with characters outside the basic plane can be longer in UTF-16 and still fit.
    return text.length <= most * 2 && [...text].length <= most;
  };
  return documentedCheck(within, complaint, least === 0 ? { maxLength: most } : { minLength: least, maxLength: most });
}

/** Titles and names: trimmed, never empty. */
export const title = () => v.pipe(v.string(), v.trim(), characters(1, TITLE_CHARACTERS), soundName);

/** The name of a person as a document has it; they need not be here. */
export const personName = () => v.pipe(v.string(), v.trim(), characters(0, TITLE_CHARACTERS), sound);

/** A part of texts that is looked for. */
export const searchedText = (most: number) => v.pipe(v.string(), v.trim(), characters(1, most), soundName);

/** Descriptions of cards. */
export const cardDescription = () => v.pipe(v.string(), characters(0, CARD_TEXT_CHARACTERS), sound);

/** Descriptions of boards, and contents. */
export const longText = (least = 0) => v.pipe(v.string(), characters(least, LONG_TEXT_CHARACTERS), sound);

/** The `text_version` on which an edit was written. */
export const textBase = () => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER));

/** Comments, which are not blank. Spaces at their beginning may be Markdown. */
export const commentText = () =>
  v.pipe(
    v.string(),
    characters(1, CARD_TEXT_CHARACTERS),
    soundName,
    documentedCheck((text) => text.trim() !== '', 'must not be blank', {}),
  );

/** A check that reports what it found. */
function lacking(find: (text: string) => string | null, complaint: (found: string) => string) {
  const check = v.check<string, (issue: v.CheckIssue<string>) => string>(
    (text) => find(text) === null,
    ({ input }) => complaint(find(input) ?? ''),
  );
  return Object.assign(check, { jsonSchema: {} });
}

const noneHidden = lacking(hiddenCharacter, (found) => `must not contain ${found}, which is invisible`);

/** The address of a web page. */
export const webUrl = () =>
  v.pipe(
    v.string(),
    characters(1, URL_CHARACTERS),
    documentedCheck(
      (text) => webAddress(text) !== null,
      `must be an address that begins with http:// or https://, of at most ${URL_CHARACTERS} characters`,
      {
        description: `The address of a web page, of at most ${URL_CHARACTERS} characters in its normal form`,
        format: 'uri',
        pattern: '^https?://[^/?#]',
        examples: ['https://example.org/'],
      },
    ),
    v.transform((text) => webAddress(text) ?? ''),
  );

/** A name that may be cleared. */
export const optionalName = () =>
  v.optional(
    v.nullable(
      v.pipe(
        v.string(),
        v.trim(),
        characters(1, TITLE_CHARACTERS),
        soundness(UNDIRECTED_NAME_PATTERN),
        lacking(bidiControl, (found) => `must not contain ${found}, which changes the direction of text`),
      ),
    ),
  );

/** The public name of a user: it must not imitate another's. Consecutive spaces count as one. */
export const username = () =>
  v.pipe(
    v.string(),
    v.trim(),
    characters(1, TITLE_CHARACTERS),
    soundness(VISIBLE_NAME_PATTERN),
    noneHidden,
    documentedCheck(hasBase, 'must not begin with a combining mark', {}),
    lacking(mixedScripts, (found) => `must not mix ${found} letters in one word, because they look alike`),
    v.transform((text) => text.replace(/\p{Zs}+/gu, ' ')),
  );

export const password = () => v.pipe(v.string(), sound);

/** What it needs besides is set by the operator, and checked with that. */
export const newPassword = () =>
  v.pipe(
    password(),
    documented({
      description:
        `At most ${MAX_PASSWORD_BYTES} bytes in UTF-8. The service may ask for more characters, and for kinds of them ` +
        '(`PASSWORD_MIN_LENGTH`, `PASSWORD_REQUIRE`)',
      minLength: 1,
      // A character has four bytes at most.
      anyOf: [{ maxLength: MAX_PASSWORD_BYTES / 4 }, { maxLength: MAX_PASSWORD_BYTES, pattern: '^[\\u0001-\\u007f]*$' }],
    }),
  );

/** Dot-separated words on both sides, in any script; quoted names and addresses in brackets are refused. */
const EMAIL_WORD = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const DOMAIN_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const EMAIL_PATTERN = `^${EMAIL_WORD}(?:\\.${EMAIL_WORD})*@${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})+$`;
const EMAIL = new RegExp(EMAIL_PATTERN, 'u');

export const email = () =>
  v.pipe(
    v.string(),
    v.trim(),
    characters(3, EMAIL_CHARACTERS),
    sound,
    documentedCheck((text) => EMAIL.test(text), 'must be an e-mail address', { format: 'email', pattern: EMAIL_PATTERN }),
    noneHidden,
  );

/**
 * A login name. Bounded by the longest possible name: comparing a megabyte of combining marks would block the directory
 * for minutes.
 */
export const loginName = () =>
  v.pipe(v.string(), v.trim(), characters(1, Math.max(TITLE_CHARACTERS, EMAIL_CHARACTERS)), documented({ pattern: '\\S' }));

export const uuid = () =>
  v.pipe(
    v.string(),
    documentedCheck((text) => parseUuid(text) !== undefined, 'must be a UUID', { format: 'uuid' }),
    v.transform((text) => text.toLowerCase()),
  );

/** The document of a date. */
export const DATE = {
  description: 'A day, which ends at midnight where its reader is, or a moment; a moment is answered in UTC',
  anyOf: [{ format: 'date' }, { format: 'date-time' }],
  examples: ['2030-01-02', '2030-01-02T15:00:00.000Z'],
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;
/**
 * What `date-time` allows beyond this is refused: a leap second, and a fraction of more digits. The first and the last year are written in UTC,
 * because with an offset they could mean a year of other than four digits.
 */
const MOMENT = '-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d{1,9})?';
const TIME_DOCUMENT = {
  format: 'date-time',
  pattern: `^(?:\\d{4}${MOMENT}[Zz]|(?!0000|9999)\\d{4}${MOMENT}[+-]\\d\\d:\\d\\d)$`,
};
/** Written like this, times can be compared as text; a year beyond 9999 is longer. */
const UTC_CHARACTERS = '2030-01-01T00:00:00.000Z'.length;

function toUtc(text: string): string | undefined {
  const time = new Date(TIME.test(text) ? text : Number.NaN);
  const utc = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  return utc.length === UTC_CHARACTERS ? utc : undefined;
}

/** A time with its offset; converted to UTC. */
export const time = () =>
  v.pipe(
    v.string(),
    documentedCheck((text) => toUtc(text) !== undefined, 'must be a time in ISO 8601 with an offset, such as 2030-01-01T00:00:00Z', TIME_DOCUMENT),
    v.transform((text) => toUtc(text) ?? ''),
  );

function toDate(text: string): string | undefined {
  return isRealDay(text) ? text : toUtc(text);
}

/** A day, or a time with its offset, which is converted to UTC. */
export const date = () =>
  v.pipe(
    v.string(),
    documentedCheck((text) => toDate(text) !== undefined, 'must be a day such as 2030-01-02, or a time with an offset such as 2030-01-02T15:00:00Z', {
      ...DATE,
      anyOf: [{ format: 'date' }, TIME_DOCUMENT],
    }),
    v.transform((text) => toDate(text) ?? ''),
  );

/** When the people of a card are reminded of its date. */
export const reminderMinutes = () =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(NO_REMINDER, `must be at least 0, or ${NO_REMINDER} for no reminder`),
    v.maxValue(MAX_REMINDER_MINUTES, `must be at most ${MAX_REMINDER_MINUTES}`),
  );

/** An integer in a query string. */
export const integerText = (least: number, most: number, absent: number) =>
  v.pipe(
    v.optional(v.string(), String(absent)),
    v.regex(/^-?\d{1,16}$/, 'must be a whole number'),
    v.transform(Number),
    v.check((number) => number >= least && number <= most, `must be ${least} to ${most}`),
  );

/** The position of an event in a query string. */
export const positionText = () =>
  v.pipe(
    v.optional(v.string(), '0'),
    v.regex(new RegExp(POSITION_PATTERN), 'must be a number, or an epoch, a dash and a number'),
    v.transform((text) => readPosition(text) ?? NO_POSITION),
  );
const NO_POSITION: Position = { epoch: FIRST_EPOCH, seq: 0 };

export const color = () =>
  v.pipe(
    v.string(),
    v.trim(),
    documentedCheck(isColor, 'must be #rgb, #rrggbb, #rrggbbaa or the name of a CSS colour', {
      description: '`#rgb`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour',
      anyOf: [{ pattern: HEX_PATTERN }, { enum: COLOR_NAMES }],
      examples: [DEFAULT_COLOR, 'teal'],
    }),
  );

/** Far longer than any tag or name in use. */
const LOCALE_CHARACTERS = 64;
/** Extensions and further variants of a tag are accepted too, as far as they are well formed. */
const TAG_PATTERN = '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?$';
const ZONE_PATTERN = `^[A-Za-z][\\w+/-]{0,${LOCALE_CHARACTERS - 1}}$`;
const ZONE = new RegExp(ZONE_PATTERN);

/** Converted to the usual case: `de-AT`. */
export const languageTag = () =>
  v.pipe(
    v.string(),
    v.trim(),
    documentedCheck((text) => text.length <= LOCALE_CHARACTERS && canonicalTag(text) !== undefined, 'must be a language tag such as de or pt-BR', {
      description: 'A tag of BCP 47: a language, with or without a script, a region and a variant',
      maxLength: LOCALE_CHARACTERS,
      pattern: TAG_PATTERN,
      examples: ['de'],
    }),
    v.transform((text) => canonicalTag(text) ?? ''),
  );

function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** An offset is no zone: it does not say when the clocks change. */
export const timeZone = () =>
  v.pipe(
    v.string(),
    v.trim(),
    documentedCheck((text) => ZONE.test(text) && isTimeZone(text), 'must be a time zone such as Europe/Vienna', {
      description: 'A name of the IANA time zone database',
      maxLength: LOCALE_CHARACTERS,
      pattern: ZONE_PATTERN,
      examples: ['Europe/Vienna'],
    }),
  );

function isTimeZone(text: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** A picture with its variants, a flag or a key; several pictures only if joined to one. The longest families set the bound. */
const PICTURE = '\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?(?:[\\u{E0020}-\\u{E007E}]{1,8}\\u{E007F})?';
const EMOJI_PATTERN = `^(?:${PICTURE}(?:\\u200D${PICTURE}){0,7}|\\p{Regional_Indicator}{2}|[0-9#*]\\uFE0F?\\u20E3)$`;
const EMOJI = new RegExp(EMOJI_PATTERN, 'u');
const EMOJI_CHARACTERS = 64;

export const emoji = () =>
  v.pipe(
    v.string(),
    v.trim(),
    characters(1, EMOJI_CHARACTERS),
    documentedCheck((text) => EMOJI.test(text), 'must be one emoji', {
      description: 'One emoji',
      pattern: EMOJI_PATTERN,
      examples: ['🚀'],
    }),
  );

/** A 0-based position in a list. Beyond the end means last, so the only upper bound is the largest safe integer. */
export const position = () =>
  v.pipe(
    v.number(),
    documentedCheck((number) => Number.isSafeInteger(number) && number >= 0, 'must be a whole number from 0', {
      type: 'integer',
      minimum: 0,
      description: 'The 0-based position in the list after the operation; beyond the end means last',
    }),
  );

/** Several times the members of the largest boards. */
export const MAX_LIST_ENTRIES = 10_000;

/**
 * A list of at most `max` entries. The length is checked before the entries, and validation stops at the first bad
 * entry: half a million bad ones would take a second and a gigabyte.
 */
export function list<S extends Schema>(entry: S, max = MAX_LIST_ENTRIES) {
  const complaint = `must have at most ${max} entries`;
  const bounded = v.pipe(v.array(entry), v.maxLength(max, complaint));
  const tooLong = v.custom<v.InferOutput<S>[]>(() => false, complaint);
  const run: (typeof bounded)['~run'] = (dataset, config) => {
    const isTooLong = Array.isArray(dataset.value) && dataset.value.length > max;
    return (isTooLong ? tooLong : bounded)['~run'](dataset, { ...config, abortEarly: true }) as ReturnType<(typeof bounded)['~run']>;
  };
  return { ...bounded, '~run': run };
}

/** Users to assign. */
export const userIds = () => list(uuid());

/** One of a few words, in any case; converted to capitals. */
export const enumeration = <const Word extends string>(words: readonly Word[]) =>
  v.pipe(
    v.string(),
    documentedCheck((text) => find(words, text) !== undefined, `must be one of ${words.join(', ')}`, {
      enum: words,
      description: 'Accepted in any case, returned in capitals',
    }),
    v.transform((text) => find(words, text) as Word),
  );

function find<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  const wanted = text.trim().toUpperCase();
  return words.find((word) => word.toUpperCase() === wanted);
}

/** Longer than any code of an application, and than a recovery code. */
const MAX_CODE_CHARACTERS = 64;

export function factorCode(description: string) {
  return v.pipe(v.string(), v.maxLength(MAX_CODE_CHARACTERS), v.description(description));
}
