/** Pictures of the card within its text, shown from memory like its other pictures. */
import type { Attachment } from '../../../client/index.js';
import { isPicture, loadPicture } from '../files/picture.js';
import { PICTURE_PATH } from './markdownHtml.js';

/** Puts each in the place of its link; what is no picture of this card stays a word. Returns a function that releases them. */
export function showPictures(element: HTMLElement, attachments: readonly Attachment[]): () => void {
  const controller = new AbortController();
  const addresses: string[] = [];
  for (const link of element.querySelectorAll<HTMLAnchorElement>(`a[href^="${PICTURE_PATH}"]`)) {
    const name = link.textContent;
    const attachment = attachments.find(({ id }) => id === link.getAttribute('href')?.slice(PICTURE_PATH.length));
    if (attachment === undefined || !isPicture(attachment)) {
      link.replaceWith(name);
      continue;
    }
    const picture = document.createElement('img');
    picture.className = 'picture-in-text';
    picture.alt = name;
    link.replaceWith(picture);
    loadPicture(attachment, controller.signal).then(
      (address) => {
        addresses.push(address);
        if (controller.signal.aborted) URL.revokeObjectURL(address);
        else picture.src = address;
      },
      // The list of files has it too, and says why it cannot be read when it is downloaded.
      () => picture.replaceWith(name),
    );
  }
  return () => {
    controller.abort();
    addresses.forEach((address) => URL.revokeObjectURL(address));
  };
}
