/** The field types of requests. Each has its rule, its error text and its JSON Schema. */
import { FIRST_EPOCH, POSITION_PATTERN, readPosition, type Position } from '../../domain/position.js';
import * as v from 'valibot';
import { parseUuid } from '../../domain/ids.js';
import { DEFAULT_COLOR, type Editable, type EditableKind } from '../../domain/model.js';
import { EMAIL_CHARACTERS, LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../domain/textLimits.js';
import { COLOR_NAMES, HEX_PATTERN, isColor } from './colors.js';
import type { Schema, SchemasOf } from '../operation/operation.js';
import { bidiControl, hasBase, hiddenCharacter, mixedScripts } from './visibleText.js';

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
const soundName = soundness('^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$');

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

/** Descriptions and contents. */
export const longText = (least = 0) => v.pipe(v.string(), characters(least, LONG_TEXT_CHARACTERS), sound);

/** A check that reports what it found. */
function lacking(find: (text: string) => string | null, complaint: (found: string) => string) {
  const check = v.check<string, (issue: v.CheckIssue<string>) => string>(
    (text) => find(text) === null,
    ({ input }) => complaint(find(input) ?? ''),
  );
  return Object.assign(check, { jsonSchema: {} });
}

const noneHidden = lacking(hiddenCharacter, (found) => `must not contain ${found}, which is invisible`);

/** A name that may be cleared. */
export const optionalName = () =>
  v.optional(
    v.nullable(
      v.pipe(
        title(),
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
    soundName,
    noneHidden,
    documentedCheck(hasBase, 'must not begin with a combining mark', {}),
    lacking(mixedScripts, (found) => `must not mix ${found} letters in one word, because they look alike`),
    v.transform((text) => text.replace(/\p{Zs}+/gu, ' ')),
  );

export const password = () => v.pipe(v.string(), sound);

/** Dot-separated words on both sides, in any script; quoted names and addresses in brackets are refused. */
const EMAIL_WORD = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const DOMAIN_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const EMAIL = new RegExp(`^${EMAIL_WORD}(?:\\.${EMAIL_WORD})*@${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})+$`, 'u');

export const email = () =>
  v.pipe(
    v.string(),
    v.trim(),
    characters(3, EMAIL_CHARACTERS),
    sound,
    documentedCheck((text) => EMAIL.test(text), 'must be an e-mail address', { format: 'email' }),
    noneHidden,
  );

/**
 * A login name. Bounded by the longest possible name: comparing a megabyte of combining marks would block the directory
 * for minutes.
 */
export const loginName = () => v.pipe(v.string(), v.trim(), characters(1, Math.max(TITLE_CHARACTERS, EMAIL_CHARACTERS)));

export const uuid = () =>
  v.pipe(
    v.string(),
    documentedCheck((text) => parseUuid(text) !== undefined, 'must be a UUID', { format: 'uuid' }),
    v.transform((text) => text.toLowerCase()),
  );

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;
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
    documentedCheck((text) => toUtc(text) !== undefined, 'must be a time in ISO 8601 with an offset, such as 2030-01-01T00:00:00Z', {
      format: 'date-time',
    }),
    v.transform((text) => toUtc(text) ?? ''),
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

/** A 0-based position in a list. Beyond the end means last, so the only upper bound is that of safe integers. */
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
