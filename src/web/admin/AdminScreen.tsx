/** For superusers: how the service is doing, its users, invitations and the audit log; and the webhooks over all boards. */
import { useEffect } from 'preact/hooks';
import { currentUser } from '../state/session.js';
import { AuditLog } from './AuditLog.js';
import { Invitations } from './Invitations.js';
import { Overview } from './Overview.js';
import { Users } from './Users.js';
import { Section } from '../ui/Section.js';
import { WebhookList } from '../webhooks/WebhookList.js';
import { webhooksOverAll } from '../webhooks/webhookCalls.js';
import { say, type PlainKey } from '../words/catalogue.js';

interface AdminScreenProps {
  readonly part: 'service' | 'webhooks';
}

const PARTS: ReadonlyArray<readonly [part: AdminScreenProps['part'], path: string, name: PlainKey]> = [
  ['service', '/app/admin', 'admin.service'],
  ['webhooks', '/app/admin/webhooks', 'admin.webhooks'],
];

export function AdminScreen({ part }: AdminScreenProps) {
  useEffect(() => {
    document.title = `${say('admin.title')} · Switchboard`;
  }, []);
  if (!currentUser().is_superuser) {
    return (
      <main class="page is-narrow">
        <h1>{say('admin.title')}</h1>
        <p>{say('admin.onlySuperusers')}</p>
        <p>
          <a class="button is-primary" href="/">
            {say('header.allBoards')}
          </a>
        </p>
      </main>
    );
  }
  return (
    <main class="page is-narrow is-wide">
      <h1>{say('admin.title')}</h1>
      <nav class="row is-wrapping" aria-label={say('admin.title')}>
        {PARTS.map(([each, path, name]) => (
          <a
            key={each}
            class={`button ${each === part ? 'is-primary' : 'is-quiet'}`}
            href={path}
            {...(each === part ? { 'aria-current': 'page' } : {})}
          >
            {say(name)}
          </a>
        ))}
      </nav>
      {part === 'service' ? (
        <>
          <Overview />
          <Users />
          <Invitations />
          <AuditLog />
        </>
      ) : (
        <Section title={say('admin.webhooks')}>
          <WebhookList calls={webhooksOverAll()} lead={say('hook.leadOverAll')} />
        </Section>
      )}
    </main>
  );
}
