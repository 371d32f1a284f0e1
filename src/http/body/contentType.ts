/** The content types that bodies must have. */
import { AppError } from '../../domain/errors.js';

/** `application/json` and types such as `application/geo+json`. */
export function isJson(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type === 'application/json' || /^application\/[\w.+-]+\+json$/.test(type);
}

export function requireJson(contentType: string): void {
  if (!isJson(contentType)) throw wrongType('application/json');
}

export function requireForm(contentType: string): void {
  const expected = 'application/x-www-form-urlencoded';
  if (mediaTypeOf(contentType) !== expected) throw wrongType(expected);
}

export function requireMultipart(contentType: string): void {
  if (!/^multipart\/form-data\b/i.test(contentType)) throw wrongType('multipart/form-data');
}

/** Without parameters such as the character set. */
function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function wrongType(expected: string): AppError {
  return new AppError('wrong_type', `The content type must be ${expected}`);
}
