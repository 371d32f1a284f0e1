/** A button that opens a list of actions or other content below it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.js';

type PopoverProps = PopoverContent & ({ readonly icon: IconName } | { readonly face: ComponentChildren });

interface PopoverContent {
  readonly label: string;
  /** Shown beside the icon. */
  readonly text?: string;
  readonly class?: string;
  /** `close` gives the focus back to the button. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, text, children, class: extra = '', ...look }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>('[data-first], .menu-item, input, select, button:not([aria-expanded])')?.focus();
    const leave = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  return (
    <div
      class="popover-root"
      ref={root}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          close();
        } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          if (moveFocus(event.currentTarget, event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <button
        ref={button}
        type="button"
        class={`${'face' in look ? 'icon-button is-face' : text === undefined ? 'icon-button' : 'button is-quiet'} ${extra}`}
        aria-label={text === undefined ? label : `${label}: ${text}`}
        title={label}
        aria-haspopup="true"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {'face' in look ? look.face : <Icon name={look.icon} />}
        {text !== undefined && <span>{text}</span>}
      </button>
      {isOpen && <Opened>{children(close)}</Opened>}
    </div>
  );
}

/** In pixels, from the edges of the window or dialog. */
const MARGIN = 8;

/** Below the button, moved as far as it takes to be in the window, or in the dialog, which would cut it off. */
function Opened({ children }: { readonly children: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const own = element.getBoundingClientRect();
    const room = (element.closest('dialog') ?? document.documentElement).getBoundingClientRect();
    const x = Math.max(room.left + MARGIN - own.left, Math.min(0, room.right - MARGIN - own.right));
    const y = Math.max(Math.min(0, Math.min(room.bottom, innerHeight) - MARGIN - own.bottom), Math.min(0, room.top + MARGIN - own.top));
    element.style.translate = `${x}px ${y}px`;
  }, []);
  return (
    <div class="popover" ref={root}>
      {children}
    </div>
  );
}

function moveFocus(root: HTMLElement, step: number): boolean {
  const items = [...root.querySelectorAll<HTMLElement>('.menu-item')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (items.length === 0 || at < 0) return false;
  items[(at + step + items.length) % items.length]?.focus();
  return true;
}

interface MenuItemProps {
  readonly icon: IconName;
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

export function MenuItem({ icon, isDanger = false, onChoose, children }: MenuItemProps) {
  return (
    <button type="button" class={`menu-item${isDanger ? ' is-danger' : ''}`} onClick={onChoose}>
      <Icon name={icon} />
      <span>{children}</span>
    </button>
  );
}

interface MenuLinkProps {
  readonly icon: IconName;
  readonly href: string;
  readonly children: ComponentChildren;
}

/** Out of the application. */
export function MenuLink({ icon, href, children }: MenuLinkProps) {
  return (
    <a class="menu-item" href={href}>
      <Icon name={icon} />
      <span>{children}</span>
    </a>
  );
}
