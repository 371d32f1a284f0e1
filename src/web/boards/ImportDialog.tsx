import { Dialog } from '../ui/Dialog.js';

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  return <Dialog title="Import a board" onClose={onClose}><p>…</p></Dialog>;
}
