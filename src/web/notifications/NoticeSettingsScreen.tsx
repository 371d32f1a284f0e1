/** What the user hears of: by kind, and from which boards less. */
import { useEffect, useState } from 'preact/hooks';
import type { BoardSummary, NotificationSettings } from '../../client/index.js';
import { OwnReminderChoice } from '../dates/ReminderChoice.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { loadMethods } from '../state/methods.js';
import { notify } from '../state/notices.js';
import { client, currentUser } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Section } from '../ui/Section.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say } from '../words/catalogue.js';
import { BoardWishes } from './BoardWishes.js';
import { KIND_NAMES, WishTable } from './WishTable.js';

interface Given {
  readonly settings: NotificationSettings;
  readonly boards: readonly BoardSummary[];
  readonly isMailing: boolean;
}

async function load(): Promise<Given> {
  const [settings, boards, methods] = await Promise.all([client.notification.settings(), client.board.list(), loadMethods()]);
  return { settings, boards, isMailing: methods.mail };
}

export function NoticeSettingsScreen() {
  const [given] = useLoaded(load);
  useEffect(() => {
    document.title = `${say('notices.title')} · Switchboard`;
  }, []);
  return (
    <main class="page is-narrow">
      <h1>{say('notices.title')}</h1>
      <p class="hint">{say('notices.lead')}</p>
      {given.kind === 'loading' && (
        <p class="loading" role="status">
          {say('common.loading')}
        </p>
      )}
      {given.kind === 'failed' && <p role="alert">{say('notices.notRead')}</p>}
      {given.kind === 'ready' && <Settings given={given.value} />}
    </main>
  );
}

function Settings({ given: { settings: before, boards, isMailing } }: { readonly given: Given }) {
  const [settings, setSettings] = useState(before);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    setSettings(await client.notification.setSettings(settings));
    notify('info', say('notices.saved'));
  });
  return (
    <form class="preferences" onSubmit={submit}>
      <Section title={say('notices.kinds')} lead={<MailHint isMailing={isMailing} />}>
        <WishTable
          label={say('notices.kinds')}
          column={say('notices.kind')}
          rows={KIND_NAMES.map(([kind, words]) => ({ id: kind, name: say(words), wish: settings.kinds[kind] }))}
          onChange={(kind, wish) => setSettings({ ...settings, kinds: { ...settings.kinds, [kind]: wish } })}
        />
        <OwnReminderChoice value={settings.reminder_minutes} onChange={(reminder_minutes) => setSettings({ ...settings, reminder_minutes })} />
      </Section>
      <Section title={say('notices.boards')} lead={say('notices.boardsLead')}>
        <BoardWishes boards={boards} wishes={settings.boards} onChange={(wishes) => setSettings({ ...settings, boards: wishes })} />
      </Section>
      <Refusal reason={refusal} />
      <div>
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('common.save')}
        </Button>
      </div>
    </form>
  );
}

function MailHint({ isMailing }: { readonly isMailing: boolean }) {
  if (!isMailing) return <>{say('notices.noMail')}</>;
  return <>{currentUser().is_verified ? say('notices.mailHint') : say('notices.notConfirmed')}</>;
}
