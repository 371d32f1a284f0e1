/** Lists in pages: what they ask for and answer with. */
import * as v from 'valibot';
import { PLACE, readPlace } from '../../domain/board/comments/commentsOnDisk.js';
import { documentedCheck } from '../schemas/fields.js';
import type { QueryParameter } from './operation.js';
import { integerParameter } from './queryParameters.js';

const PAGE = 50;
const MAX_PAGE = 200;

/** `things` are what the list has. */
export function pageLimit(things: string): ReturnType<typeof integerParameter> {
  return integerParameter(`The maximum number of ${things} in the answer`, { min: 1, max: MAX_PAGE, absent: PAGE });
}

const place = v.pipe(
  v.string(),
  documentedCheck((text: string) => readPlace(text) !== null, 'must be the `next` of another page', {}),
  v.transform((text) => readPlace(text)),
);
const optionalPlace = v.optional(place);

/** For lists with the newest first. */
export const beforePlace: QueryParameter<typeof optionalPlace> = {
  schema: optionalPlace,
  description: 'The `next` of the page before',
  document: { type: 'string', pattern: PLACE.source },
};

/** In the answer of such a list. */
export const nextPlace = v.pipe(v.nullable(v.string()), v.description('For `before`; null on the last page'));
