/** For superusers: how the service is doing, its users, invitations and the audit log. */
import { useEffect } from 'preact/hooks';
import { currentUser } from '../state/session.js';
import { AuditLog } from './AuditLog.js';
import { Invitations } from './Invitations.js';
import { Overview } from './Overview.js';
import { Users } from './Users.js';

export function AdminScreen() {
  useEffect(() => {
    document.title = 'Administration · Switchboard';
  }, []);
  if (!currentUser().is_superuser) {
    return (
      <main class="page is-narrow">
        <h1>Administration</h1>
        <p>Only superusers can see this page.</p>
        <p>
          <a class="button is-primary" href="/">
            All boards
          </a>
        </p>
      </main>
    );
  }
  return (
    <main class="page is-narrow">
      <h1>Administration</h1>
      <Overview />
      <Users />
      <Invitations />
      <AuditLog />
    </main>
  );
}
