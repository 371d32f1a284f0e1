import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from '../Icon.js';

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}

export function Button({ kind = 'plain', icon, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} {...rest} class={`button is-${kind} ${String(rest.class ?? '')}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

interface IconButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'> {
  readonly icon: IconName;
  /** Says what it does: there is no visible text. */
  readonly label: string;
}

export function IconButton({ icon, label, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button type={type} {...rest} class={`icon-button ${String(rest.class ?? '')}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
