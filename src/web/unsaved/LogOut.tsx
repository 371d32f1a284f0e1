/** Asks before a logout that would leave changes unsent. */
import { useEffect, useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { discardEverywhere, NOTHING_ELSEWHERE, useElsewhere, type Elsewhere } from './elsewhere.js';
import { filesOnTheirWay, isNothingLeft, refusedCount, refusedFiles } from './files.js';
import { logOut } from '../state/session.js';
import { refused, waiting } from '../state/unsaved.js';
import { Dialog } from '../ui/Dialog.js';
import { Button } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';
import { writtenOut } from './writtenOut.js';

interface LogOutDialogProps {
  readonly userId: string;
  readonly onClose: () => void;
}

export function LogOutDialog({ userId, onClose }: LogOutDialogProps) {
  const [isSending, setSending] = useState(false);
  const read = useElsewhere(userId);
  const elsewhere = read ?? NOTHING_ELSEWHERE;
  const own = [...waiting.value, ...refused.value];
  const unsent = [...own, ...elsewhere.changes];
  const files = filesOnTheirWay.value.length + refusedFiles.value.length + elsewhere.files.length;
  const isSent = isNothingLeft.value && read !== null && !isAnyWaiting(read);
  const isAnyRefused = refusedCount.value + elsewhere.changes.length + elsewhere.files.length > 0;
  // What other windows have stays in the browser, but only the user can say whether that is enough.
  const isLeftToUser = elsewhere.isUnread && isSent && !isAnyRefused;
  const leave = (work: () => Promise<void>): void => {
    onClose();
    void attempt(say('header.notLoggedOut'), work);
  };
  useEffect(() => {
    if (isSending && isSent && !isAnyRefused && !isLeftToUser) leave(logOut);
  }, [isSending, isSent, isAnyRefused, isLeftToUser]);
  return (
    <Dialog title={say('logOut.question')} onClose={onClose}>
      {own.length > 0 && <p>{say('logOut.unsent', { count: own.length })}</p>}
      {elsewhere.changes.length > 0 && <p>{say('logOut.elsewhere', { count: elsewhere.changes.length })}</p>}
      {elsewhere.isUnread && <p role="alert">{say('logOut.unread')}</p>}
      {files > 0 && <p>{say('logOut.files', { count: files })}</p>}
      {isSending && !isLeftToUser && <p role="status">{isSent ? say('logOut.refused') : say('logOut.waiting')}</p>}
      <footer class="dialog-actions">
        {unsent.length > 0 && <Button onClick={() => download(writtenOut(unsent))}>{say('logOut.saveFile')}</Button>}
        <Button
          kind="danger"
          onClick={() =>
            leave(async () => {
              await discardEverywhere(userId);
              await logOut();
            })
          }
        >
          {say('logOut.discard')}
        </Button>
        {isLeftToUser ? (
          <Button kind="primary" onClick={() => leave(logOut)}>
            {say('header.logOut')}
          </Button>
        ) : (
          <Button kind="primary" disabled={isSending || (isSent && isAnyRefused)} onClick={() => setSending(true)}>
            {say('logOut.send')}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

/** Rather than refused. */
function isAnyWaiting({ changes, files }: Elsewhere): boolean {
  return changes.some(({ refusal }) => refusal === null) || files.some(({ refusal }) => refusal === undefined);
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'switchboard-not-saved.txt' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}
