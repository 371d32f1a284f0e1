import { useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { exactTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';

type AuditPage = Awaited<ReturnType<typeof client.admin.audit>>;

const PAGE = 25;

export function AuditLog() {
  const [first] = useLoaded(() => client.admin.audit({ limit: PAGE }));
  return (
    <Section title="Audit log" lead="Who came in, and who changed rights: the latest first.">
      <Loading state={first}>{(page) => <Pages first={page} />}</Loading>
    </Section>
  );
}

function Pages({ first }: { readonly first: AuditPage }) {
  const [pages, setPages] = useState<readonly AuditPage[]>([first]);
  const next = pages.at(-1)?.next ?? null;
  const more = (before: string): void =>
    void attempt('Not read', async () => {
      const page = await client.admin.audit({ limit: PAGE, before });
      setPages((known) => [...known, page]);
    });
  return (
    <>
      <div class="table-place" tabIndex={0} role="group" aria-label="Audit log">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Who</th>
              <th scope="col">To what</th>
              <th scope="col">From where</th>
            </tr>
          </thead>
          <tbody>
            {pages
              .flatMap(({ entries }) => entries)
              .map(({ id, at, kind, username, subject, subject_id, address, details }) => (
                <tr key={id}>
                  <td>{exactTime(at)}</td>
                  <td class="is-word">{kind}</td>
                  <td dir="auto">{[username ?? '', details['key_id'] === undefined ? '' : `with the key ${details['key_id']}`].join(' ')}</td>
                  <td dir="auto">
                    {subject ?? subject_id ?? ''}
                    <Details of={details} />
                  </td>
                  <td>{address ?? ''}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {next !== null && <Button onClick={() => more(next)}>Older entries</Button>}
    </>
  );
}

/** Besides the key, which stands with the person. */
function Details({ of: details }: { readonly of: AuditPage['entries'][number]['details'] }) {
  const others = Object.entries(details).filter(([name]) => name !== 'key_id');
  if (others.length === 0) return null;
  return <div class="muted">{others.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`).join(', ')}</div>;
}
