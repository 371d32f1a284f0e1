/** Asks before a logout that would leave changes unsent. */
import { useEffect, useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { client, logOut } from '../state/session.js';
import { refused, waiting, writtenOut } from '../state/unsaved.js';
import { Dialog } from '../ui/Dialog.js';
import { Button } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';

export function LogOutDialog({ onClose }: { readonly onClose: () => void }) {
  const [isSending, setSending] = useState(false);
  const unsent = [...waiting.value, ...refused.value];
  const leave = (): void => {
    onClose();
    void attempt(say('header.notLoggedOut'), logOut);
  };
  const isSent = isSending && waiting.value.length === 0;
  useEffect(() => {
    if (isSent && refused.value.length === 0) leave();
  }, [isSent]);
  return (
    <Dialog title={say('logOut.question')} onClose={onClose}>
      <p>{say('logOut.unsent', { count: unsent.length })}</p>
      {isSending && <p role="status">{isSent ? say('logOut.refused') : say('logOut.waiting')}</p>}
      <footer class="dialog-actions">
        <Button onClick={() => download(writtenOut(unsent))}>{say('logOut.saveFile')}</Button>
        <Button
          kind="danger"
          onClick={() => {
            client.unsent.discardAll();
            leave();
          }}
        >
          {say('logOut.discard')}
        </Button>
        <Button kind="primary" disabled={isSending || waiting.value.length === 0} onClick={() => setSending(true)}>
          {say('logOut.send')}
        </Button>
      </footer>
    </Dialog>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'switchboard-not-saved.txt' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}
