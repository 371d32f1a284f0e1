/**
 * Keeps the beginning of a form until its file begins: busboy reports the type of a file without its parameters, which
 * may be needed to read it (`text/plain; charset=iso-8859-1`).
 */

/** If a form has more before its file, the file keeps its type without parameters. */
const MAX_BYTES = 64 * 1024;

export class FormHead {
  readonly #delimiter: string;
  #text = '';

  constructor(contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
    this.#delimiter = `--${quoted ?? plain ?? ''}\r\n`;
  }

  take(bytes: Buffer): void {
    this.#text += bytes.toString('latin1', 0, MAX_BYTES - this.#text.length);
  }

  /** The type of the first file as sent; empty if there is none. */
  typeOfFile(): string {
    for (const part of this.#text.split(this.#delimiter).slice(1)) {
      const [head = ''] = part.split('\r\n\r\n', 1);
      if (/^content-disposition:.*;\s*filename\*?=/im.test(head)) {
        return /^content-type:(.*)$/im.exec(head)?.[1]?.trim() ?? '';
      }
    }
    return '';
  }
}
