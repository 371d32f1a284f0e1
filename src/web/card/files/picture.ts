/** Previews of attached pictures, from memory. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Attachment } from '../../../client/index.js';
import { client } from '../../state/session.js';

/** Pixels only. SVG is a document: it is never shown, only downloaded. */
const PICTURE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
/** In bytes. Larger ones would take long for a small preview. */
const MAX_SIZE = 25_000_000;

export function isPicture({ mime_type, size }: Attachment): boolean {
  return PICTURE_TYPES.has(typeOf(mime_type)) && size <= MAX_SIZE;
}

interface Picture<Place extends HTMLElement> {
  /** Null until it is loaded. */
  readonly address: string | null;
  readonly isBroken: boolean;
  /** Loading begins when this is first visible. */
  readonly place: RefObject<Place | null>;
  readonly onBroken: () => void;
}

/** The address of a picture in memory. The caller releases it. */
export async function loadPicture({ id, mime_type }: Attachment, signal: AbortSignal): Promise<string> {
  const content = await client.attachment.get({ attachment_id: id }, { signal });
  // With a type of our list, whatever the uploader named it.
  return URL.createObjectURL(content.slice(0, content.size, typeOf(mime_type)));
}

export function usePicture<Place extends HTMLElement>(attachment: Attachment): Picture<Place> {
  const place = useRef<Place>(null);
  const [address, setAddress] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const controller = new AbortController();
    let made: string | null = null;
    const load = async (): Promise<void> => {
      try {
        made = await loadPicture(attachment, controller.signal);
        if (controller.signal.aborted) URL.revokeObjectURL(made);
        else setAddress(made);
      } catch {
        // The icon stays; downloading the file reports the reason.
        if (!controller.signal.aborted) setBroken(true);
      }
    };
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void load();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      controller.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [attachment.id]);
  return { address, isBroken, place, onBroken: () => setBroken(true) };
}

function typeOf(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase();
}
