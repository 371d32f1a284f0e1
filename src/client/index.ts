/** A client of the service for browsers and Node, without dependencies. */
export { ApiError } from './apiError.js';
export { BoardConnection, type BoardSource } from './boardConnection.js';
export type { CallOptions, Upload } from './call.js';
export { createClient, type Client, type ClientOptions } from './client.js';
export type { Clock } from './clock.js';
export type { BoardChange, ConnectionEvents, ConnectionState, EndCause } from './connectionState.js';
export type { ConnectOptions, Timers } from './connectOptions.js';
export type { BoardEvent, OnlineUser } from './events.js';
export { createdId, newKey } from './idempotencyKey.js';
export type { Operations } from './operations.js';
export type * from './resources.js';
export type { RetryOptions } from './retry.js';
export type { Socket, SocketConstructor } from './socket.js';
export type { GetToken } from './tokens.js';
