import { useEffect } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { draftsFor } from '../state/drafts.js';
import { LostDrafts } from '../ui/LostDrafts.js';
import { say } from '../words/catalogue.js';
import { ownerOfKey, type CardComments, type ShownComment } from './cardComments.js';

interface LostCommentsProps {
  readonly card: Card;
  readonly comments: CardComments;
  readonly shown: readonly ShownComment[];
}

/** What the user was making of comments that are deleted. */
export function LostComments({ card, comments, shown }: LostCommentsProps) {
  const listed = new Set([card.id, ...shown.map(({ id }) => id)]);
  const unlisted = draftsFor({ cardId: card.id }).flatMap((draft) => {
    const id = ownerOfKey(draft.key);
    return id === null || listed.has(id) ? [] : [{ id, draft }];
  });
  const isRead = comments.reading.value === 'ready';
  const isWhole = isRead && comments.older.value === null;
  useEffect(() => {
    if (isRead && !isWhole) for (const { id } of unlisted) void comments.checkDeleted(id);
  }, [isRead, isWhole, unlisted.map(({ id }) => id).join(' ')]);
  const deleted = comments.deleted.value;
  const lost = unlisted.filter(({ id }) => isWhole || deleted.has(id)).map(({ draft }) => draft);
  if (lost.length === 0) return null;
  return (
    <div>
      <p role="status">{say('comments.lost')}</p>
      <LostDrafts drafts={lost} />
    </div>
  );
}
