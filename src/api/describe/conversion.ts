/** How Valibot's schemas become JSON Schemas, in every document. */
import type { ConversionConfig } from '@valibot/to-json-schema';

export const CONVERSION: ConversionConfig = {
  // The surrounding types describe the effect of these; a transform changes the internal value, not the wire.
  ignoreActions: ['trim', 'transform', 'to_lower_case', 'to_upper_case'],
  overrideAction: ({ valibotAction, jsonSchema }) =>
    'jsonSchema' in valibotAction ? { ...jsonSchema, ...(valibotAction.jsonSchema as object) } : undefined,
};
