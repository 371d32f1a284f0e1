import { notify } from '../../state/notices.js';
import { Button } from './Button.js';

interface CopyButtonProps {
  readonly text: string;
  /** What it does, such as "Copy the link". */
  readonly children: string;
}

export function CopyButton({ text, children }: CopyButtonProps) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      notify('info', 'Copied.');
    } catch {
      // Browsers refuse it on pages without encryption.
      notify('failure', 'The browser did not allow copying. Select the text and copy it yourself.');
    }
  };
  return (
    <Button icon="copy" onClick={() => void copy()}>
      {children}
    </Button>
  );
}
