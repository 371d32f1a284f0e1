/** Validates every field of socket messages against the AsyncAPI document. */
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { asyncApiDocument } from '../../../src/api/describe/asyncapi.js';
import { SERVER_MESSAGES } from '../../../src/api/schemas/messages.js';
import { SHARED_SERVER_MESSAGES } from '../../../src/api/schemas/sharedMessages.js';
import { VERSION } from '../../../src/version.js';
import { QUICK_TO_COMPILE } from '../schemaOptions.js';

export interface SocketMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

const DOCUMENT_ID = 'asyncapi';

export class MessageChecker {
  readonly #ajv = new Ajv(QUICK_TO_COMPILE);
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: object = asyncApiDocument(VERSION)) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(closeObjects(document), DOCUMENT_ID);
  }

  /** Parses a message; throws if it does not match the document. `shared`: of a socket for several boards. */
  read(text: string, kind: 'board' | 'shared' = 'board'): SocketMessage {
    const message = JSON.parse(text) as SocketMessage;
    const { type } = message;
    const known = kind === 'board' ? SERVER_MESSAGES : SHARED_SERVER_MESSAGES;
    if (!(type in known)) throw new Error(`the server sent a message without a known type: ${text}`);
    const validate = this.#validatorFor(kind === 'board' ? type : `shared.${type}`);
    if (validate(message)) return message;
    throw new Error(`${this.#ajv.errorsText(validate.errors, { dataVar: type })} in ${text}`);
  }

  #validatorFor(type: string): ValidateFunction {
    const known = this.#validators.get(type);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile({ $ref: `${DOCUMENT_ID}#/components/schemas/${type}` });
    this.#validators.set(type, validate);
    return validate;
  }
}

/** Clients must tolerate future fields; every field that is sent today must nevertheless be documented. */
function closeObjects(document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    const isObjectSchema = typeof value === 'object' && value !== null && 'properties' in value;
    return isObjectSchema ? { ...value, additionalProperties: false } : value;
  }) as object;
}
