/** What people say about a card, the newest first, and the field to join in. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { createdId, newKey, type Card } from '../../client/index.js';
import { uploadFiles } from '../card/files/uploads.js';
import { Writers } from '../card/Writers.js';
import { draftOf, keepDraft, keepNewText } from '../state/drafts.js';
import { attempt } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { currentUser } from '../state/session.js';
import { waiting } from '../state/unsaved.js';
import { Button } from '../ui/form/Button.js';
import { Icon } from '../ui/Icon.js';
import { say } from '../words/catalogue.js';
import { CardComments, commentKey, withWaiting } from './cardComments.js';
import { CommentField } from './CommentField.js';
import { chosenFor, setChosenFor } from './chosenFiles.js';
import { ChosenFiles } from './CommentFiles.js';
import { CommentRow } from './CommentRow.js';
import { LostComments } from './LostComments.js';

interface CommentsProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function Comments({ open, card }: CommentsProps) {
  const comments = useMemo(() => new CardComments(card.id), [card.id]);
  useEffect(() => comments.follow(open), [comments, open]);
  const [isReading, setReading] = useState(false);
  const key = commentKey(card.id);
  const text = draftOf(key)?.text ?? '';
  const shown = withWaiting(comments.things.value, card.id, waiting.value, currentUser());
  const put = (made: Promise<Parameters<CardComments['put']>[0]>): void => {
    // A refusal is reported where the change is made.
    made.then(
      (comment) => comments.put(comment),
      () => undefined,
    );
  };
  const chosen = chosenFor(card.id);
  const setChosen = (files: readonly File[]): void => setChosenFor(card.id, files);
  const send = (body: string): void => {
    keepDraft(key, null);
    const idempotencyKey = newKey();
    put(open.change('comment.create', { card_id: card.id }, { body }, { idempotencyKey }));
    uploadFiles(card, chosen, createdId(open.id, idempotencyKey));
    setChosen([]);
  };
  const mayComment = open.mayComment.value;
  // Who loses the right while writing finds the text in the list of what was not saved.
  useEffect(() => {
    if (!mayComment && text !== '' && open.isDemoted) send(text);
  }, [mayComment]);
  const readOlder = async (): Promise<void> => {
    setReading(true);
    await attempt(say('comments.notRead'), () => comments.readOlder());
    setReading(false);
  };
  return (
    <section class="card-part" aria-label={say('comments.title')}>
      <div class="card-part-header">
        <h3>
          <Icon name="comment" /> {say('comments.title')}
        </h3>
      </div>
      {mayComment && (
        <CommentField
          open={open}
          text={text}
          label={say('comments.write')}
          action={say('comments.send')}
          takesFocus={false}
          onText={(value) => keepNewText(key, value, { boardId: open.id, cardId: card.id })}
          onSend={send}
          onDiscard={() => {
            keepDraft(key, null);
            setChosen([]);
          }}
          onLeave={() => undefined}
          onFiles={(files) => setChosen([...chosenFor(card.id), ...files])}
        >
          <ChosenFiles files={chosen} onRemove={(file) => setChosen(chosen.filter((each) => each !== file))} />
        </CommentField>
      )}
      <Writers names={open.writersOf(card.id, 'comments')} />
      {comments.reading.value === 'failed' && (
        <p class="card-hint" role="status">
          <span>{say('comments.notRead')}</span>
          <Button kind="quiet" onClick={() => void comments.read()}>
            {say('common.tryAgain')}
          </Button>
        </p>
      )}
      <LostComments card={card} comments={comments} shown={shown} />
      <ul class="comments" aria-label={say('comments.all')}>
        {shown.map((comment) => (
          <CommentRow
            key={comment.id}
            open={open}
            card={card}
            comment={comment}
            onEdit={(body, base) => put(open.change('comment.update', { comment_id: comment.id }, base === undefined ? { body } : { body, base }))}
            onMerged={(merged) => comments.put(merged)}
          />
        ))}
      </ul>
      {comments.older.value !== null && (
        <Button kind="quiet" disabled={isReading} onClick={() => void readOlder()}>
          {say('comments.older')}
        </Button>
      )}
    </section>
  );
}
