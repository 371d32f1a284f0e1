/** The versions of a text, with the way back to each. */
import { useEffect, useState } from 'preact/hooks';
import type { Attachment } from '../../../client/index.js';
import { attempt } from '../../state/notices.js';
import { nameOf } from '../../state/people.js';
import { exactTime, relativeTime } from '../../state/relativeTime.js';
import type { client } from '../../state/session.js';
import { Button } from '../../ui/form/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { say } from '../../words/catalogue.js';
import { Markdown } from './Markdown.js';

type Page = Awaited<ReturnType<typeof client.version.ofCard>>;
type Version = Page['versions'][number];

interface VersionsProps {
  readonly title: string;
  /** The number of the text as it is now. */
  readonly current: number;
  readonly attachments: readonly Attachment[];
  readonly mayRestore: boolean;
  readonly readPage: (query: { readonly before?: number }) => Promise<Page>;
  readonly onRestore: (number: number) => Promise<unknown>;
  readonly onClose: () => void;
}

export function Versions({ title, current, attachments, mayRestore, readPage, onRestore, onClose }: VersionsProps) {
  const [versions, setVersions] = useState<readonly Version[]>([]);
  const [older, setOlder] = useState<number | null>(null);
  const read = (before?: number): Promise<boolean> =>
    attempt(say('versions.notRead'), async () => {
      const page = await readPage(before === undefined ? {} : { before });
      setVersions((known) => (before === undefined ? page.versions : [...known, ...page.versions]));
      setOlder(page.next);
    });
  // Also when somebody changes the text meanwhile.
  useEffect(() => void read(), [current]);
  const restore = async (number: number): Promise<void> => {
    if (await attempt(say('archive.notRestored'), () => onRestore(number))) onClose();
  };
  return (
    <Dialog title={title} size="large" onClose={onClose}>
      <ul class="comments" aria-label={title}>
        {versions.map((version) => (
          <li key={version.version} class="card-part">
            <div class="card-part-header">
              <h3>{say('versions.number', { number: version.version })}</h3>
              <span class="hint">
                <Written version={version} />
              </span>
              {mayRestore && version.version !== current && (
                <Button
                  kind="quiet"
                  aria-label={say('versions.restoreIt', { number: version.version })}
                  onClick={() => void restore(version.version)}
                >
                  {say('archive.restore')}
                </Button>
              )}
            </div>
            {version.text === null || version.text === '' ? (
              <p class="hint">{say('description.none')}</p>
            ) : (
              <Markdown text={version.text} attachments={attachments} />
            )}
          </li>
        ))}
      </ul>
      {older !== null && <Button onClick={() => void read(older)}>{say('archive.older')}</Button>}
    </Dialog>
  );
}

function Written({ version: { user, user_name, created_at } }: { readonly version: Version }) {
  const name = user === null ? user_name : nameOf(user);
  return (
    <>
      {name !== null && <bdi>{name}</bdi>}{' '}
      {created_at !== null && (
        <time dateTime={created_at} title={exactTime(created_at)}>
          {relativeTime(created_at)}
        </time>
      )}
    </>
  );
}
