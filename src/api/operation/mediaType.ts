/** The type of a file as it can be stored and sent back: a type such as `text/plain`, with or without parameters. */

const ESSENCE = String.raw`[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}`;
/** Only characters that are allowed in a header. */
const PARAMETERS = String.raw`[ \t]{0,8};[\t\x20-\x7e]{0,200}`;

export const MEDIA_TYPE = new RegExp(`^${ESSENCE}(?:${PARAMETERS})?$`);
