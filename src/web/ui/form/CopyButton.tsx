import { notify } from '../../state/notices.js';
import { say } from '../../words/catalogue.js';
import { Button } from './Button.js';

interface CopyButtonProps {
  readonly text: string;
  /** What it does, such as "Copy the link". */
  readonly children: string;
  readonly kind?: 'plain' | 'quiet';
  readonly icon?: 'copy' | 'link';
}

export function CopyButton({ text, children, kind = 'plain', icon = 'copy' }: CopyButtonProps) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      notify('info', say('common.copied'));
    } catch {
      // Browsers refuse it on pages without encryption.
      notify('failure', say('common.copyRefused'));
    }
  };
  return (
    <Button kind={kind} icon={icon} onClick={() => void copy()}>
      {children}
    </Button>
  );
}
