/** The feed of a user: what happens to the list of their boards, and what concerns them. Its messages have no numbers. */
import type { Uuid } from './ids.js';
import type { Notification } from './account/notification.js';

export type FeedEvent =
  | { readonly type: 'user.board_added'; readonly board_id: Uuid }
  | { readonly type: 'user.board_removed'; readonly board_id: Uuid }
  | { readonly type: 'user.board_changed'; readonly board_id: Uuid; readonly title: string }
  | { readonly type: 'user.notification'; readonly board_id: Uuid; readonly notification: Notification };

/** A message for the feeds of these users. */
export interface FeedMessage {
  readonly user_ids: readonly Uuid[];
  readonly event: FeedEvent;
}
