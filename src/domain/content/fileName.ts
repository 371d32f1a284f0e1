/** Names of attached files, whichever way a file came: browsers and programs use them as names on a disk. */
import { TITLE_CHARACTERS } from '../textLimits.js';

const DEFAULT_NAME = 'file';
/** Control characters and line breaks; and marks of direction: `invoice\u202efdp.exe` would look like a PDF. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The last part of a path, without unfit characters. Never empty, `.` or `..`. */
export function cleanFileName(name: string): string {
  // The path is cut last: without an unfit character between them, two dots become a path.
  const last = name.toWellFormed().replace(UNFIT, '').split(/[\\/]/).at(-1)?.trim() ?? '';
  const cut = [...last].slice(0, TITLE_CHARACTERS).join('').trim();
  return cut === '' || cut === '.' || cut === '..' ? DEFAULT_NAME : cut;
}
