/** A modal dialog on the browser's own element, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { addDialog, openDialogs } from '../state/dialogs.js';
import { say } from '../words/catalogue.js';
import { notify } from '../state/notices.js';
import { ConnectionBanner, WaitingHint } from './ConnectionBanner.js';
import { IconButton } from './form/Button.js';
import { keepFocusAfterRemoval } from './keepFocus.js';
import { Messages } from './Messages.js';

interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly size?: 'small' | 'large';
  /** Instead of the title, where that is no plain text. */
  readonly label?: string;
}

export function Dialog({ title, onClose, children, size = 'small', label }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const self = useMemo(() => Symbol('dialog'), []);
  /** The user was told what the next Escape does. */
  const isAsked = useRef(false);
  const latestClose = useRef(onClose);
  latestClose.current = onClose;
  const leave = (): void => {
    if (isAsked.current || !hasUnkept(dialog.current)) return onClose();
    isAsked.current = true;
    notify('info', say('dialog.escapeAgain'));
  };
  useEffect(() => addDialog(self), []);
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    // After a question a browser closes it at the next Escape by itself, without `cancel`.
    const closed = (): void => latestClose.current();
    element?.showModal();
    element?.addEventListener('close', closed);
    return () => {
      element?.removeEventListener('close', closed);
      element?.close();
      // The browser does so too, unless the element was already removed.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog is-${size}`}
      {...(label === undefined ? { 'aria-labelledby': titleId } : { 'aria-label': label })}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) leave();
      }}
      onInput={() => (isAsked.current = false)}
    >
      <header class="dialog-header">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label={say('common.close')} onClick={onClose} />
      </header>
      {openDialogs.value.at(-1) === self && (
        <>
          <ConnectionBanner />
          <WaitingHint />
        </>
      )}
      <div class="dialog-body">{children}</div>
      {openDialogs.value.at(-1) === self && <Messages />}
    </dialog>
  );
}

/** Whether something stands in a form that keeps no drafts, and says so by `data-unkept`; if it was refused, even as it was shown. */
function hasUnkept(dialog: HTMLDialogElement | null): boolean {
  if (dialog?.querySelector('form[data-unkept=refused]')) return true;
  const fields = dialog?.querySelectorAll<HTMLInputElement>('form[data-unkept] input') ?? [];
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue);
}

interface ConfirmProps {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose }: ConfirmProps) {
  // What was asked about goes: the focus goes to what stands in its place then.
  const opener = useMemo(() => document.activeElement, []);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <footer class="dialog-actions">
        <button type="button" class="button is-plain" onClick={onClose}>
          {say('common.cancel')}
        </button>
        <button
          type="button"
          class="button is-danger"
          onClick={() => {
            keepFocusAfterRemoval(opener);
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
