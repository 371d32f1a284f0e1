import { useEffect, useRef, useState } from 'preact/hooks';
import type { Card, Comment } from '../../client/index.js';
import { uploadFiles } from '../card/files/uploads.js';
import { Markdown } from '../card/text/Markdown.js';
import { useMerging } from '../card/text/merging.js';
import { Versions } from '../card/text/Versions.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import type { OpenBoard } from '../state/openBoard.js';
import { nameOf } from '../state/people.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { client, currentUser } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { IconButton } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { Conflict, isOvertaken } from '../ui/form/Conflict.js';
import { Icon } from '../ui/Icon.js';
import { say } from '../words/catalogue.js';
import { commentKey, type ShownComment } from './cardComments.js';
import { CommentField } from './CommentField.js';
import { CommentFiles, FilePicker } from './CommentFiles.js';
import { focusInstead } from '../ui/keepFocus.js';

interface CommentRowProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly comment: ShownComment;
  readonly onEdit: (body: string, base: number | undefined) => void;
  /** Shows what the service has made of it. */
  readonly onMerged: (comment: Comment) => void;
}

export function CommentRow({ open, card, comment, onEdit, onMerged }: CommentRowProps) {
  const { id, author, author_name, body, created_at, version, base, isEdited, isWaiting } = comment;
  const key = commentKey(id);
  const draft = draftOf(key);
  const [isEditing, setEditing] = useState(draft !== null);
  const [isAsking, setAsking] = useState(false);
  const [showsVersions, setShowsVersions] = useState(false);
  const editButton = useRef<HTMLSpanElement>(null);
  const mayComment = open.mayComment.value;
  const isBehind = draft !== null && isOvertaken(draft, body);
  const keepMine = useRef<HTMLButtonElement>(null);
  const keep = (text: string, base: string): void =>
    keepDraft(
      key,
      text === base && base === body
        ? null
        : { text, base, version: base === body ? comment.version : draft?.version, boardId: open.id, cardId: card.id },
    );
  const isMine = author?.id === currentUser().id;
  /** Its versions; who may do that may also delete it and its files. */
  const mayRead = isMine || open.isOwner.value;
  const name = author === null ? author_name || say('comments.unknown') : nameOf(author);
  const leave = (): void => {
    setEditing(false);
    focusInstead(() => editButton.current?.querySelector('button'));
  };
  const discard = (): void => {
    keepDraft(key, null);
    leave();
  };
  const { isMerging, merge } = useMerging(key, leave);
  const attach = (files: readonly File[]): void => void uploadFiles(card, files, id);
  const mergeDraft = (text: string, base: number): void =>
    void merge(text, async () => onMerged(await client.comment.update({ comment_id: id }, { body: text, base })));
  // Who loses the right while writing finds the text in the list of what was not saved.
  useEffect(() => {
    if (mayComment) return;
    setEditing(false);
    if (draft === null || !open.isDemoted) return;
    keepDraft(key, null);
    onEdit(draft.text, draft.version);
  }, [mayComment]);
  return (
    <li class="comment">
      {author === null ? (
        <span class="comment-face">
          <Icon name="user" />
        </span>
      ) : (
        <Avatar id={author.id} user={author} isSmall />
      )}
      <div class="comment-text">
        <p class="comment-head">
          <strong dir="auto">{name}</strong>
          <span class="hint">
            {isWaiting ? (
              say('comments.waiting')
            ) : (
              <time dateTime={created_at} title={exactTime(created_at)}>
                {relativeTime(created_at)}
              </time>
            )}
            {isEdited && ` · ${say('comments.edited')}`}
          </span>
        </p>
        {isEditing ? (
          <CommentField
            open={open}
            text={draft?.text ?? body}
            label={say('comments.edit')}
            action={say('common.save')}
            takesFocus
            isHeld={isBehind}
            isBusy={isMerging}
            onText={(text) => keep(text, draft?.base ?? body)}
            onSend={(text) => {
              if (isBehind) return keepMine.current?.focus();
              discard();
              if (text !== body) onEdit(text, draft?.version ?? base);
            }}
            onDiscard={discard}
            onLeave={leave}
            onFiles={attach}
          >
            {isBehind && (
              <Conflict
                saved={body}
                text={draft.text}
                keepMine={keepMine}
                onChoose={({ text, base }) => keep(text, base)}
                onMerge={draft.version === undefined ? undefined : () => mergeDraft(draft.text, draft.version ?? 0)}
                isMerging={isMerging}
              >
                <Markdown text={body} attachments={card.attachments} />
              </Conflict>
            )}
          </CommentField>
        ) : (
          <Markdown text={body} attachments={card.attachments} />
        )}
        <CommentFiles open={open} card={card} commentId={id} mayDelete={mayComment && mayRead} />
      </div>
      {!isEditing && mayComment && (
        <div class="comment-tools">
          {isMine && (
            <>
              <FilePicker label={say('comments.attachTo', { name })} onFiles={attach} />
              <span ref={editButton}>
                <IconButton icon="pencil" label={say('comments.editIt', { name })} onClick={() => setEditing(true)} />
              </span>
            </>
          )}
          {mayRead && isEdited && version !== undefined && (
            <IconButton icon="clock" label={say('versions.ofComment', { name })} onClick={() => setShowsVersions(true)} />
          )}
          {mayRead && <IconButton icon="trash" label={say('comments.deleteIt', { name })} onClick={() => setAsking(true)} />}
        </div>
      )}
      {showsVersions && mayComment && version !== undefined && (
        <Versions
          title={say('versions.titleOfComment')}
          current={version}
          attachments={card.attachments}
          mayRestore={isMine}
          readPage={(query) => client.version.ofComment({ comment_id: id }, query)}
          onRestore={async (number) => onMerged(await client.version.restoreComment({ comment_id: id, number }))}
          onClose={() => setShowsVersions(false)}
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title={say('comments.deleteQuestion')}
          text={say('comments.deleteText')}
          action={say('comments.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            keepDraft(key, null);
            void open.change('comment.delete', { comment_id: id });
          }}
        />
      )}
    </li>
  );
}
