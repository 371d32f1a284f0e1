/**
 * How messages of a board look to a client: as in the contract, with numbers, or with numbers and the board's id on a
 * socket for several boards. Each form has its own topic.
 */
export type MessageForm = 'plain' | 'numbered' | 'shared';
