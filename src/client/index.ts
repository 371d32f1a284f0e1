/** A client of the service for browsers and Node, without dependencies. */
export { ApiError } from './apiError.js';
export type { BoardConnection } from './board/boardConnection.js';
export type { CallOptions, Upload } from './calls/call.js';
export { createClient, type Client, type ClientEvents, type ClientOptions } from './client.js';
export type { Clock } from './clock.js';
export type { BoardChange, ConnectionEvents, ConnectionState, EndCause, RefusedChange } from './board/connectionState.js';
export type { ConnectOptions } from './socket/connectOptions.js';
export type { BoardEvent, OnlineUser, PeerState, Signal } from './events.js';
export type { Feed, FeedEvents } from './socket/feed.js';
export { createdId, newKey } from './calls/idempotencyKey.js';
export type { Operations } from './operations.js';
export type { ChangeAnswer, ChangeArguments, ChangeName } from './board/predictions.js';
export type { OnProgress } from './calls/progressFetch.js';
export type { OnReceived } from './calls/receiveBlob.js';
export type * from './resources.js';
export type { RetryOptions } from './calls/retry.js';
export type { Socket, SocketConstructor } from './socket/socket.js';
export type { GetToken } from './calls/tokens.js';
