import { Dialog } from '../../ui/Dialog.js';

interface PictureDialogProps {
  readonly name: string;
  readonly address: string;
  readonly onClose: () => void;
}

export function PictureDialog({ name, address, onClose }: PictureDialogProps) {
  return (
    <Dialog title={<bdi>{name}</bdi>} size="large" onClose={onClose}>
      <div class="picture">
        <img src={address} alt={name} />
      </div>
    </Dialog>
  );
}
