import { client } from '../state/session.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { relativeTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';

export function Overview() {
  const [stats] = useLoaded(() => client.admin.stats());
  const [cluster] = useLoaded(() => client.admin.cluster());
  return (
    <Section title="Service">
      <Loading state={stats}>
        {({ users, active_users, boards, memberships, sockets }) => (
          <dl class="figures">
            <Figure name="Users" value={users === active_users ? String(users) : `${active_users} of ${users} active`} />
            <Figure name="Boards" value={String(boards)} />
            <Figure name="Memberships" value={String(memberships)} />
            <Figure name="Open sockets" value={String(sockets)} />
          </dl>
        )}
      </Loading>
      <Loading state={cluster}>
        {({ instances }) => (
          <ul class="rows">
            {instances.map(({ id, host, version, started_at, owns, leaving, drained }) => (
              <li key={id} class="row-item">
                <div>
                  <p dir="auto">
                    {host}
                    {leaving && <span class="news">leaving</span>}
                    {drained && <span class="news">drained</span>}
                  </p>
                  <p class="hint">
                    version {version} · started {relativeTime(started_at)} · owns {owns.length} parts of the data
                  </p>
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
