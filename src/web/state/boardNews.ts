/** What happened to a board, in two or three words. */
import type { BoardSummary } from '../../client/index.js';
import { nameOf } from './people.js';
import { say, type PlainKey } from '../words/catalogue.js';

const ROLE_NEWS: Readonly<Record<BoardSummary['role'], PlainKey>> = {
  owner: 'boardNews.youOwn',
  member: 'boardNews.youAreMember',
  commenter: 'boardNews.youComment',
  viewer: 'boardNews.youView',
};

/** Null if nothing changed that a list of boards shows. */
export function newsBetween(before: BoardSummary, after: BoardSummary): string | null {
  if (before.title !== after.title) return say('boardNews.renamed');
  const came = after.members.filter(({ user_id }) => !before.members.some((member) => member.user_id === user_id));
  const [first] = came;
  if (first !== undefined)
    return came.length === 1 ? say('boardNews.joined', { name: nameOf(first.user) }) : say('boardNews.manyJoined', { count: came.length });
  const gone = before.members.filter(({ user_id }) => !after.members.some((member) => member.user_id === user_id));
  const [left] = gone;
  if (left !== undefined)
    return gone.length === 1 ? say('boardNews.left', { name: nameOf(left.user) }) : say('boardNews.manyLeft', { count: gone.length });
  if (before.role !== after.role) return say(ROLE_NEWS[after.role]);
  if (before.color !== after.color || before.icon !== after.icon) return say('boardNews.looks');
  if (before.description !== after.description) return say('boardNews.description');
  if (labelsOf(before) !== labelsOf(after)) return say('boardNews.labels');
  return null;
}

function labelsOf({ labels }: BoardSummary): string {
  return JSON.stringify(labels.map(({ id, name, color }) => [id, name, color]));
}
