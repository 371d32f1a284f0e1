/** The caller's cards over all boards. Each board is asked, as for the list of boards, and answers from an index or the read cache. */
import * as v from 'valibot';
import { ASSIGNED_PLACE, byDate, placeOf, type AssignedCard as Assigned } from '../../domain/commands/steps/assignedCards.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { textOf, type BoardsPort } from '../../domain/ports/boardsPort.js';
import { operation, type Operation } from '../operation/operation.js';
import { pageLimit } from '../operation/paging.js';
import { documentedCheck } from '../schemas/fields.js';
import { AssignedCard } from '../schemas/resources.js';
import { membershipsOf } from './memberships.js';

/** Boards asked at the same time. */
const BOARDS_AT_ONCE = 32;
/** Memberships read at once. */
const MEMBERSHIPS = 1_000;

const listMyCards = operation({
  name: 'card.mine',
  method: 'GET',
  path: '/me/cards',
  access: 'user',
  isForAnyKey: true,
  tag: 'Cards',
  summary: 'List the caller’s cards',
  description:
    'The cards of all boards that are assigned to the caller and not completed: those that are due first, then those without a date. ' +
    'Of one board at most 1,000.',
  query: {
    after: {
      schema: v.optional(
        v.pipe(
          v.string(),
          documentedCheck((text: string) => ASSIGNED_PLACE.test(text), 'must be the `next` of another page', {}),
        ),
      ),
      description: 'The `next` of the page before',
      document: { type: 'string', pattern: ASSIGNED_PLACE.source },
    },
    limit: pageLimit('cards'),
  },
  success: {
    status: 200,
    description: 'A page of cards',
    schema: v.object({
      cards: v.array(AssignedCard),
      next: v.pipe(v.nullable(v.string()), v.description('For `after`; null on the last page')),
    }),
  },
  errors: {
    429: 'The caller has too many lists under way; try again after `Retry-After` seconds',
    503: 'One of the boards is out of reach, so the list would be incomplete; try again after `Retry-After` seconds',
  },
  async handle({ caller, key, query: { after = '', limit } }, { directory, boards, lists }) {
    return lists.small(caller.id, async () => {
      let first: Assigned[] = [];
      for (let offset = 0; ; offset += MEMBERSHIPS) {
        const ids = await membershipsOf(directory, caller.id, key, { limit: MEMBERSHIPS, offset });
        for (let at = 0; at < ids.length; at += BOARDS_AT_ONCE) {
          const asked = ids.slice(at, at + BOARDS_AT_ONCE).map((id) => cardsOn(id, caller.id, boards));
          const found = (await Promise.all(asked)).flat().filter((card) => placeOf(card) > after);
          // One more shows whether there is a next page.
          first = [...first, ...found].sort(byDate).slice(0, limit + 1);
        }
        if (ids.length < MEMBERSHIPS) break;
      }
      const cards = first.slice(0, limit);
      const last = cards.at(-1);
      return { json: JSON.stringify({ cards, next: first.length > limit && last !== undefined ? placeOf(last) : null }) };
    });
  },
});

/** None if the board is gone or the caller has left it since the directory answered. */
async function cardsOn(target: Uuid, user_id: Uuid, boards: BoardsPort): Promise<Assigned[]> {
  const outcome = await boards.ask({ op: 'card.assigned', caller: { user_id }, target, input: {} });
  if (outcome.ok) return JSON.parse(textOf(outcome) ?? '[]') as Assigned[];
  if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return [];
  throw AppError.from(outcome.error);
}

export const myCardOperations: readonly Operation[] = [listMyCards];
