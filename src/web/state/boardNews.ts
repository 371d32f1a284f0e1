/** What happened to a board, in two or three words. */
import type { BoardSummary } from '../../client/index.js';
import { nameOf } from './people.js';
import { say } from '../words/catalogue.js';

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
  if (before.role !== after.role) return after.role === 'owner' ? say('boardNews.youOwn') : say('boardNews.youAreMember');
  if (before.description !== after.description) return say('boardNews.description');
  if (labelsOf(before) !== labelsOf(after)) return say('boardNews.labels');
  return null;
}

/** The latest change of what the list knows of a board; moved cards are not part of that. */
export function lastChange({ updated_at, members, labels }: BoardSummary): string {
  return [...members, ...labels].reduce((latest, part) => (part.updated_at > latest ? part.updated_at : latest), updated_at);
}

function labelsOf({ labels }: BoardSummary): string {
  return JSON.stringify(labels.map(({ id, name, color }) => [id, name, color]));
}
