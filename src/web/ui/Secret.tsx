/** Something that is shown once, to be copied. */
import { useState } from 'preact/hooks';
import { notify } from '../state/notices.js';
import { Button } from './Button.js';

interface SecretProps {
  readonly label: string;
  readonly value: string;
}

export function Secret({ label, value }: SecretProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      // Without HTTPS, or without permission, there is no clipboard.
      notify('failure', 'Your browser does not allow copying here. Select the text and copy it yourself.');
    }
  };
  return (
    <div class="secret">
      <code class="secret-value" tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>{value}</code>
      <Button onClick={() => void copy()}>{isCopied ? 'Copied' : 'Copy'}</Button>
    </div>
  );
}
