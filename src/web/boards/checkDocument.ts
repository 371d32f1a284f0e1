/** Explains what is wrong with a file before it is sent. */

/** A larger file is left to the service: reading it here would stop the page. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** Null if nothing speaks against sending it. */
export async function problemOf(file: File): Promise<string | null> {
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MAX_READ_BYTES) return null;
  let content: unknown;
  try {
    content = JSON.parse(await file.text());
  } catch (error) {
    if (!(error instanceof SyntaxError)) return 'The file cannot be read.';
    return 'The file is not JSON. In Trello, choose “Print, export and share”, then “Export as JSON”.';
  }
  if (!isRecord(content)) return 'The file has no board in it.';
  const isOurs = content['format'] === 'switchboard-board';
  const isTrello = Array.isArray(content['lists']) && Array.isArray(content['cards']);
  return isOurs || isTrello ? null : 'The file has no board in it: it is neither an export of Switchboard nor one of Trello.';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
