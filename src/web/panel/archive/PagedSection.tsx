/** A section of the panel with a list that is read page by page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { LiveList } from '../../page/liveList.js';
import { attempt } from '../../state/notices.js';
import { Button } from '../../ui/form/Button.js';
import { say } from '../../words/catalogue.js';

interface PagedSectionProps<T extends { readonly id: string }> {
  readonly id: string;
  readonly title: string;
  readonly list: LiveList<T>;
  /** Of the list, for those who hear it. */
  readonly label: string;
  readonly empty: string;
  readonly notRead: string;
  /** Above the list. */
  readonly tools?: ComponentChildren;
  readonly children: (thing: T) => ComponentChildren;
}

export function PagedSection<T extends { readonly id: string }>({ id, title, list, label, empty, notRead, tools, children }: PagedSectionProps<T>) {
  const [isReading, setReading] = useState(false);
  const things = list.things.value;
  const readOlder = async (): Promise<void> => {
    setReading(true);
    await attempt(notRead, () => list.readOlder());
    setReading(false);
  };
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {tools}
      {list.reading.value === 'failed' && (
        <p class="empty" role="status">
          {notRead}
        </p>
      )}
      {list.reading.value === 'ready' && things.length === 0 && (
        <p class="empty" role="status">
          {empty}
        </p>
      )}
      <ul class="rows" aria-label={label}>
        {things.map(children)}
      </ul>
      {list.older.value !== null && (
        <Button kind="quiet" disabled={isReading} onClick={() => void readOlder()}>
          {say('archive.older')}
        </Button>
      )}
    </section>
  );
}
