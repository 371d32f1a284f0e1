/** The picture that a card shows on the board. Its place has one height, so that nothing moves when it has arrived. */
import type { Attachment } from '../../client/index.js';
import { isPicture, usePicture } from './files/picture.js';

export function CardCover({ attachment }: { readonly attachment: Attachment }) {
  return isPicture(attachment) ? <Picture attachment={attachment} /> : null;
}

function Picture({ attachment }: { readonly attachment: Attachment }) {
  const { address, isBroken, place, onBroken } = usePicture<HTMLDivElement>(attachment);
  return <div ref={place}>{address !== null && !isBroken && <img src={address} alt="" draggable={false} onError={onBroken} />}</div>;
}
