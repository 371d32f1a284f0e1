/** A value that may be there already. Cached reads are most of the load, and a promise for each layer cost a third of one. */
export type Answer<Value> = Value | Promise<Value>;
