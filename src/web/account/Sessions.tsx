import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';
import { deviceName } from './deviceName.js';

export function Sessions() {
  const [sessions, read] = useLoaded(() => client.auth.listSessions());
  const end = (what: () => Promise<void>): void => void attempt('The session was not ended', what).then(read);
  return (
    <Section title="Sessions" lead="Where you are logged in. End what you do not recognise, and change your password.">
      <Loading state={sessions}>
        {(list) => (
          <>
            <ul class="rows">
              {list.map(({ id, device, address, last_seen, current }) => (
                <li key={id} class="row-item">
                  <div>
                    <p dir="auto" title={device}>
                      {deviceName(device)}
                      {current && <span class="news">this one</span>}
                    </p>
                    <p class="hint">
                      {address} ·{' '}
                      <time dateTime={last_seen} title={exactTime(last_seen)}>
                        seen {relativeTime(last_seen)}
                      </time>
                    </p>
                  </div>
                  {!current && (
                    <Button
                      aria-label={`End the session of ${deviceName(device)}`}
                      onClick={() => end(() => client.auth.endSession({ session_id: id }))}
                    >
                      End
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {list.length > 1 && (
              <Button kind="danger" onClick={() => end(() => client.auth.endOtherSessions())}>
                End all others
              </Button>
            )}
          </>
        )}
      </Loading>
    </Section>
  );
}
