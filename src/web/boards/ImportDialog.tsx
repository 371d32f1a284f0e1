/** Makes a board of a file: an export of this service, or of Trello. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImportedBoard } from '../../client/index.js';
import { formatSize } from '../card/formats.js';
import { announce, reasonOf } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { Icon } from '../ui/Icon.js';
import { ProgressBar } from '../ui/ProgressBar.js';
import { Refusal } from '../ui/form/Refusal.js';
import { problemOf } from './checkDocument.js';
import { ImportReport } from './ImportReport.js';
import { useFileDrop } from './useFileDrop.js';
import { say, sayWith } from '../words/catalogue.js';

interface ImportDialogProps {
  /** Dropped on the page, so that nothing is left to choose. */
  readonly file: File | null;
  readonly onClose: () => void;
}

type Import =
  | { readonly kind: 'choosing'; readonly refusal: string | null }
  | { readonly kind: 'sending'; readonly file: File; readonly sent: number }
  | { readonly kind: 'done'; readonly result: ImportedBoard };

export function ImportDialog({ file, onClose }: ImportDialogProps) {
  const [state, setState] = useState<Import>({ kind: 'choosing', refusal: null });
  const controller = useRef(new AbortController());
  const send = async (chosen: File): Promise<void> => {
    const { signal } = controller.current;
    setState({ kind: 'sending', file: chosen, sent: 0 });
    const end = (next: Import): void => {
      if (!signal.aborted) setState(next);
    };
    const problem = await problemOf(chosen);
    if (problem !== null) return end({ kind: 'choosing', refusal: say('import.problem', { name: chosen.name, problem }) });
    try {
      const result = await client.importFile(chosen, { signal, onProgress: (sent) => end({ kind: 'sending', file: chosen, sent }) });
      end({ kind: 'done', result });
      announce(say('import.done'));
    } catch (error) {
      end({ kind: 'choosing', refusal: say('import.problem', { name: chosen.name, problem: reasonOf(error) }) });
    }
  };
  useEffect(() => {
    if (file !== null) void send(file);
    return () => controller.current.abort();
  }, []);
  const isOver = useFileDrop(state.kind === 'choosing', (dropped) => void send(dropped));
  return (
    <Dialog title={state.kind === 'done' ? say('import.imported') : say('import.title')} onClose={onClose}>
      {state.kind === 'choosing' && <ChooseFile refusal={state.refusal} isOver={isOver} onFile={(chosen) => void send(chosen)} />}
      {state.kind === 'sending' && <Sending file={state.file} sent={state.sent} onCancel={onClose} />}
      {state.kind === 'done' && <ImportReport result={state.result} onClose={onClose} />}
    </Dialog>
  );
}

interface ChooseFileProps {
  readonly refusal: string | null;
  readonly isOver: boolean;
  readonly onFile: (file: File) => void;
}

function ChooseFile({ refusal, isOver, onFile }: ChooseFileProps) {
  return (
    <>
      <Refusal reason={refusal} />
      <label class={`drop-zone${isOver ? ' is-over' : ''}`}>
        <Icon name="upload" />
        <span class="drop-words">
          <strong>{say('import.chooseFile')}</strong> <span class="for-mouse">{say('import.orDrop')}</span>
        </span>
        <span class="hint">{say('import.hint')}</span>
        <input
          class="only-spoken"
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file !== undefined) onFile(file);
          }}
          // It also closes the dialog, because it bubbles.
          onCancel={(event) => event.stopPropagation()}
        />
      </label>
    </>
  );
}

interface SendingProps {
  readonly file: File;
  readonly sent: number;
  readonly onCancel: () => void;
}

function Sending({ file, sent, onCancel }: SendingProps) {
  const isSent = sent >= 1;
  const text = isSent ? say('import.making') : say('import.progress', { done: formatSize(file.size * sent), total: formatSize(file.size) });
  return (
    <>
      <p role="status">{sayWith(isSent ? 'import.makingOf' : 'import.sending', { name: <bdi>{file.name}</bdi> })}</p>
      <ProgressBar label={say('import.label')} value={isSent ? null : sent} text={text} />
      <footer class="dialog-actions">
        <Button onClick={onCancel}>{say('common.cancel')}</Button>
      </footer>
    </>
  );
}
