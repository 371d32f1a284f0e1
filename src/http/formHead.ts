/**
 * The beginning of a form, kept until its file begins: busboy tells the type of a file without the parameters, and they
 * can say how to read it (`text/plain; charset=iso-8859-1`).
 */

/** A form that has more before its file keeps the type alone. */
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

  /** What the first file says of its type, as it was sent; empty when it says nothing. */
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
