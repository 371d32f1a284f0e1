import { client } from '../state/session.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { relativeTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say } from '../words/catalogue.js';

export function Overview() {
  const [stats] = useLoaded(() => client.admin.stats());
  const [cluster] = useLoaded(() => client.admin.cluster());
  return (
    <Section title={say('overview.title')}>
      <Loading state={stats}>
        {({ users, active_users, boards, memberships, sockets }) => (
          <dl class="figures">
            <Figure
              name={say('overview.users')}
              value={users === active_users ? String(users) : say('overview.active', { active: active_users, total: users })}
            />
            <Figure name={say('overview.boards')} value={String(boards)} />
            <Figure name={say('overview.memberships')} value={String(memberships)} />
            <Figure name={say('overview.sockets')} value={String(sockets)} />
          </dl>
        )}
      </Loading>
      <Loading state={cluster}>
        {({ instances }) => (
          <ul class="rows">
            {instances.map(({ id, host, version, started_at, owns, leaving, drained }) => (
              <li key={id} class="row-item">
                <div class="row-main">
                  <p>
                    <bdi>{host}</bdi>
                    {leaving && <span class="news">{say('overview.leaving')}</span>}
                    {drained && <span class="news">{say('overview.drained')}</span>}
                  </p>
                  <p class="hint">{say('overview.instance', { version, time: relativeTime(started_at), count: owns.length })}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </Section>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
