/** What the thread of the colleagues is given, and what it reports. */
export interface DemoSettings {
  readonly url: string;
  /** Of the colleagues. */
  readonly password: string;
}

export interface DemoStarted {
  readonly boardId: string;
}
