import type { Config } from '../settings/config.js';
import type { BoardLimits } from '../domain/limits.js';

/** The settings that bound a board. */
export type LimitSettings = Pick<
  Config,
  | 'maxBoardBytes'
  | 'maxBoardCards'
  | 'maxBoardColumns'
  | 'maxBoardLabels'
  | 'maxBoardMembers'
  | 'maxBoardRules'
  | 'maxBoardItems'
  | 'maxBoardAttachmentBytes'
  | 'maxBoardCommentBytes'
>;

export function boardLimits(settings: LimitSettings): BoardLimits {
  return {
    bytes: settings.maxBoardBytes,
    cards: settings.maxBoardCards,
    columns: settings.maxBoardColumns,
    labels: settings.maxBoardLabels,
    members: settings.maxBoardMembers,
    rules: settings.maxBoardRules,
    items: settings.maxBoardItems,
    attachmentBytes: settings.maxBoardAttachmentBytes,
    commentBytes: settings.maxBoardCommentBytes,
  };
}
