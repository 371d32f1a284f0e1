/** The files of a comment, and the way to attach some. */
import { useRef } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { FileRow } from '../card/files/FileRow.js';
import { runningOn } from '../card/files/uploads.js';
import { UploadRow } from '../card/files/UploadRow.js';
import type { OpenBoard } from '../state/openBoard.js';
import { IconButton } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';

interface CommentFilesProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly commentId: string;
  readonly mayDelete: boolean;
}

export function CommentFiles({ open, card, commentId, mayDelete }: CommentFilesProps) {
  const attachments = card.attachments.filter(({ comment_id }) => comment_id === commentId);
  const running = runningOn(card, commentId);
  if (attachments.length + running.length === 0) return null;
  return (
    <ul class="files" aria-label={say('comments.files')}>
      {attachments.map((attachment) => (
        <FileRow key={attachment.id} open={open} attachment={attachment} mayDelete={mayDelete} />
      ))}
      {running.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </ul>
  );
}

interface FilePickerProps {
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => void;
}

export function FilePicker({ label, onFiles }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="clip" label={label} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

interface ChosenFilesProps {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

/** For a comment that is being written. */
export function ChosenFiles({ files, onRemove }: ChosenFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label={say('comments.files')}>
      {files.map((file, place) => (
        <li class="file" key={place}>
          <div class="file-text">
            <span class="file-name" dir="auto">
              {file.name}
            </span>
          </div>
          <IconButton icon="close" label={say('comments.leaveOut', { name: file.name })} onClick={() => onRemove(file)} />
        </li>
      ))}
    </ul>
  );
}
