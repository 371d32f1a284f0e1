/** Explains what is wrong with a file before it is sent. */
import { say } from '../words/catalogue.js';

/** A larger file is left to the service: reading it here would stop the page. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** Null if nothing speaks against sending it. */
export async function problemOf(file: File): Promise<string | null> {
  if (file.size === 0) return say('import.empty');
  if (file.size > MAX_READ_BYTES) return null;
  let content: unknown;
  try {
    content = JSON.parse(await file.text());
  } catch (error) {
    if (!(error instanceof SyntaxError)) return say('import.unreadable');
    return say('import.notJson');
  }
  if (!isRecord(content)) return say('import.noBoard');
  const isOurs = content['format'] === 'switchboard-board';
  const isTrello = Array.isArray(content['lists']) && Array.isArray(content['cards']);
  return isOurs || isTrello ? null : say('import.neither');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
