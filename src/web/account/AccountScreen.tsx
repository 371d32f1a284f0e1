/** Everything about the user's own account. */
import { useEffect } from 'preact/hooks';
import { NOTICES_PATH } from '../state/route.js';
import { currentUser } from '../state/session.js';
import { Keys } from './Keys.js';
import { LoginNames } from './LoginNames.js';
import { Password } from './Password.js';
import { Profile } from './Profile.js';
import { SecondFactor } from './SecondFactor.js';
import { Sessions } from './Sessions.js';
import { say } from '../words/catalogue.js';

export function AccountScreen() {
  const user = currentUser();
  useEffect(() => {
    document.title = `${say('account.title')} · Switchboard`;
  }, []);
  return (
    <main class="page is-narrow">
      <h1>{say('account.title')}</h1>
      <p class="muted">
        <bdi>{user.username}</bdi> · <bdi>{user.email}</bdi>
      </p>
      <p>
        <a class="lone-link" href={NOTICES_PATH}>
          {say('notices.title')}
        </a>
      </p>
      <Profile user={user} />
      <LoginNames user={user} />
      <Password />
      <SecondFactor />
      <Sessions />
      <Keys />
    </main>
  );
}
