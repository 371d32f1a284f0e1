/** For superusers: how the service is doing, its users, invitations and the audit log. */
import { useEffect } from 'preact/hooks';
import { currentUser } from '../state/session.js';
import { AuditLog } from './AuditLog.js';
import { Invitations } from './Invitations.js';
import { Overview } from './Overview.js';
import { Users } from './Users.js';
import { say } from '../words/catalogue.js';

export function AdminScreen() {
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
      <Overview />
      <Users />
      <Invitations />
      <AuditLog />
    </main>
  );
}
