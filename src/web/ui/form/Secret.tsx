/** Something that is shown once, to be copied. */
import { CopyButton } from './CopyButton.js';
import { say } from '../../words/catalogue.js';

interface SecretProps {
  readonly label: string;
  readonly value: string;
}

export function Secret({ label, value }: SecretProps) {
  return (
    <div class="secret">
      <code class="secret-value" tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>
        {value}
      </code>
      <CopyButton text={value}>{say('common.copy')}</CopyButton>
    </div>
  );
}
