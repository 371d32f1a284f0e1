/** What most resources have. */
import * as v from 'valibot';

export const id = () => v.pipe(v.string(), v.uuid());
/** The number of an event on its board. */
export const seq = () => v.pipe(v.number(), v.integer());
export const timestamp = () => v.pipe(v.string(), v.isoTimestamp());
