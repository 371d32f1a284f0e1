import type { Attachment } from '../../../client/index.js';
import { honestName } from '../../state/fileName.js';
import { client } from '../../state/session.js';

/** The browser reads the address after the click. */
const RELEASE_AFTER_MS = 60_000;

/** As a file on the user's device. The type is none that a browser would show in this origin. */
export async function downloadFile({ id, name }: Attachment): Promise<void> {
  const content = await client.attachment.get({ attachment_id: id });
  const address = URL.createObjectURL(content.slice(0, content.size, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = address;
  link.download = honestName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_AFTER_MS);
}
