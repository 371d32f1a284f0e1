/** What file systems refuse, control characters, and marks of direction, which can hide the true ending of a name. */
const UNFIT = /[\\/:*?"<>|\u0000-\u001f\u007f\p{Bidi_Control}]+/gu;
/** Marks of direction alone. */
const MARKS = /\p{Bidi_Control}/gu;
const MAX_CHARACTERS = 80;

/** A name for a file, from a title that anybody may have written. */
export function fileNameOf(title: string, ending: string): string {
  const clean = title
    .replace(UNFIT, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return `${[...clean].slice(0, MAX_CHARACTERS).join('').trim() || 'board'}.${ending}`;
}

/** The name of an attached file as it ends: `invoice\u202efdp.exe` must not look like a PDF. */
export function honestName(name: string): string {
  return name.replace(MARKS, '');
}
