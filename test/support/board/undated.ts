/** The dates and counts of a card that has neither dates nor comments nor a number. */
export const UNDATED = {
  start_at: null,
  due_at: null,
  completed_at: null,
  reminder_minutes: null,
  number: null,
  cover: null,
  comment_count: 0,
  comment_bytes: 0,
  text_edits: 0,
} as const;
