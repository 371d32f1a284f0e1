/** A longer name would be a message of its own. */
const MAX_NAME_CHARACTERS = 40;

/**
 * A name that a user chose, which must not pass for a part of our text. Mail programs make links of plain text, so
 * characters that a web or mail address needs are replaced, and those that end a quotation.
 */
export function plainName(name: string): string {
  // First, because it makes ordinary dots and slashes of those that look alike.
  const plain = name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const short = [...plain].slice(0, MAX_NAME_CHARACTERS);
  const isWhole = short.length === [...plain].length;
  const unlinked = short.join('').replace(/[/\\:@#?=&%“”„"<>]|[.。](?=\S)/gu, '·');
  return `${unlinked}${isWhole ? '' : '…'}`;
}
