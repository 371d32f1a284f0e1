/** Saves a board as a file. A window with the progress opens only if it takes a while. */
import { useEffect, useState } from 'preact/hooks';
import { fileNameOf } from '../state/fileName.js';
import { formatSize } from '../card/formats.js';
import { notify, reasonOf } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { ProgressBar } from '../ui/ProgressBar.js';
import { say, sayWith } from '../words/catalogue.js';

interface BoardExportProps {
  readonly boardId: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** What is done before this needs no window. */
const PATIENCE_MS = 400;
/** The browser must have begun to save before the address of the file is gone. */
const KEPT_MS = 60_000;

export function BoardExport({ boardId, title, onClose }: BoardExportProps) {
  const [isSlow, setSlow] = useState(false);
  const [bytes, setBytes] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    const run = async (): Promise<void> => {
      try {
        const file = await client.exportFile({ board_id: boardId }, { signal, onReceived: setBytes });
        if (signal.aborted) return;
        const name = fileNameOf(title, 'json');
        save(file, name);
        notify('info', say('export.savedAs', { name }));
      } catch (error) {
        if (signal.aborted) return;
        notify('failure', say('export.failed', { reason: reasonOf(error) }));
      }
      onClose();
    };
    void run();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, []);
  if (!isSlow) return null;
  return (
    <Dialog title={<>{sayWith('export.title', { title: <bdi>{title}</bdi> })}</>} onClose={onClose}>
      <ProgressBar label={say('export.label')} value={null} text={say('export.soFar', { size: formatSize(bytes) })} />
      <footer class="dialog-actions">
        <Button onClick={onClose}>{say('common.cancel')}</Button>
      </footer>
    </Dialog>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
