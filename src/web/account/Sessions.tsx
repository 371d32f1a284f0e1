import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';
import { deviceName } from './deviceName.js';
import { say } from '../words/catalogue.js';

export function Sessions() {
  const [sessions, read] = useLoaded(() => client.auth.listSessions());
  const end = (what: () => Promise<void>): void => void attempt(say('sessions.notEnded'), what).then(read);
  return (
    <Section title={say('sessions.title')} lead={say('sessions.lead')}>
      <Loading state={sessions}>
        {(list) => (
          <>
            <ul class="rows">
              {list.map(({ id, device, address, last_seen, current }) => (
                <li key={id} class="row-item">
                  <div class="row-main">
                    <p title={device}>
                      <bdi>{deviceName(device)}</bdi>
                      {current && <span class="news">{say('sessions.thisOne')}</span>}
                    </p>
                    <p class="hint">
                      {address} ·{' '}
                      <time dateTime={last_seen} title={exactTime(last_seen)}>
                        {say('sessions.seen', { time: relativeTime(last_seen) })}
                      </time>
                    </p>
                  </div>
                  {!current && (
                    <Button
                      aria-label={say('sessions.endIt', { device: deviceName(device) })}
                      onClick={() => end(() => client.auth.endSession({ session_id: id }))}
                    >
                      {say('sessions.end')}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {list.length > 1 && (
              <Button kind="danger" onClick={() => end(() => client.auth.endOtherSessions())}>
                {say('sessions.endOthers')}
              </Button>
            )}
          </>
        )}
      </Loading>
    </Section>
  );
}
