/**
 * What an operation does to the data of its owner. Caching and repeating follow from it: a read changes nothing and
 * emits nothing; an idempotent operation is harmless when it is carried out twice; a write may do harm then. `keyed`: a
 * write whose repetition gets the answer that was kept.
 */
export type Effect = 'read' | 'idempotent' | 'write' | 'keyed';
