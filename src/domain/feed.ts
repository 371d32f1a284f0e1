/** The feed of a user: what happens to the list of their boards. Its messages have no numbers. */
import type { Uuid } from './ids.js';

export type FeedEvent =
  | { readonly type: 'user.board_added'; readonly board_id: Uuid }
  | { readonly type: 'user.board_removed'; readonly board_id: Uuid }
  | { readonly type: 'user.board_changed'; readonly board_id: Uuid; readonly title: string };

/** A message for the feeds of these users. */
export interface FeedMessage {
  readonly user_ids: readonly Uuid[];
  readonly event: FeedEvent;
}
