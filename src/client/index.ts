/** A client of the service for browsers and Node, without dependencies. */
export { ApiError } from './apiError.js';
export type { BoardConnection } from './boardConnection.js';
export type { CallOptions, Upload } from './call.js';
export { createClient, type Client, type ClientEvents, type ClientOptions } from './client.js';
export type { Clock } from './clock.js';
export type { BoardChange, ConnectionEvents, ConnectionState, EndCause, RefusedChange } from './connectionState.js';
export type { ConnectOptions } from './connectOptions.js';
export type { BoardEvent, OnlineUser, PeerState, Signal } from './events.js';
export type { Feed, FeedEvents } from './feed.js';
export { createdId, newKey } from './idempotencyKey.js';
export type { Operations } from './operations.js';
export type { ChangeAnswer, ChangeArguments, ChangeName } from './predictions.js';
export type { OnProgress } from './progressFetch.js';
export type { OnReceived } from './receiveBlob.js';
export type * from './resources.js';
export type { RetryOptions } from './retry.js';
export type { Socket, SocketConstructor } from './socket.js';
export type { GetToken } from './tokens.js';
