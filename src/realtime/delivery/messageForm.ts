/**
 * How messages of a board look to a client: as in the contract, with numbers, with numbers and the board's id on a
 * socket for several boards, or as server-sent events. Each form of WebSockets has its own topic.
 */
export type MessageForm = 'plain' | 'numbered' | 'shared' | 'stream';
