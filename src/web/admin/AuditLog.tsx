import { useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Loading } from '../ui/Loading.js';
import { Section } from '../ui/Section.js';
import { exactTime, shortTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';
import { catalogue, say, type PlainKey } from '../words/catalogue.js';

type AuditPage = Awaited<ReturnType<typeof client.admin.audit>>;

const PAGE = 25;

export function AuditLog() {
  const [first] = useLoaded(() => client.admin.audit({ limit: PAGE }));
  return (
    <Section title={say('audit.title')} lead={say('audit.lead')}>
      <Loading state={first}>{(page) => <Pages first={page} />}</Loading>
    </Section>
  );
}

function Pages({ first }: { readonly first: AuditPage }) {
  const [pages, setPages] = useState<readonly AuditPage[]>([first]);
  const next = pages.at(-1)?.next ?? null;
  const more = (before: string): void =>
    void attempt(say('audit.notRead'), async () => {
      const page = await client.admin.audit({ limit: PAGE, before });
      setPages((known) => [...known, page]);
    });
  return (
    <>
      <div class="table-place" tabIndex={0} role="group" aria-label={say('audit.title')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say('audit.when')}</th>
              <th scope="col">{say('audit.what')}</th>
              <th scope="col">{say('audit.who')}</th>
              <th scope="col">{say('audit.toWhat')}</th>
              <th scope="col">{say('audit.fromWhere')}</th>
            </tr>
          </thead>
          <tbody>
            {pages
              .flatMap(({ entries }) => entries)
              .map(({ id, at, kind, username, subject, subject_id, address, details }) => (
                <tr key={id}>
                  <td>
                    <time dateTime={at} title={exactTime(at)}>
                      {shortTime(at)}
                    </time>
                  </td>
                  <td>{kindOf(kind)}</td>
                  <td>
                    <bdi>{username ?? '–'}</bdi>
                    {details['key_id'] !== undefined && <div class="muted">{say('audit.withKey', { key: String(details['key_id']) })}</div>}
                  </td>
                  <td class="is-wide" translate={false}>
                    <bdi>{subject ?? subject_id ?? (Object.keys(details).length === 0 ? '–' : '')}</bdi>
                    <Details of={details} />
                  </td>
                  <td class="is-word">{address ?? '–'}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {next !== null && <Button onClick={() => more(next)}>{say('audit.older')}</Button>}
    </>
  );
}

/** In words. A page that is older than the service lacks the words of newer kinds. */
function kindOf(kind: AuditPage['entries'][number]['kind']): string {
  const key = `audit.kind.${kind}`;
  return isKnown(key) ? say(key) : kind;
}

function isKnown(key: string): key is PlainKey {
  return key in catalogue.value.words;
}

/** Besides the key, which stands with the person. */
function Details({ of: details }: { readonly of: AuditPage['entries'][number]['details'] }) {
  const others = Object.entries(details).filter(([name]) => name !== 'key_id');
  if (others.length === 0) return null;
  return <div class="muted">{others.map(([name, value]) => `${nameOf(name)}: ${valueOf(name, value)}`).join(', ')}</div>;
}

/** In words. Settings, and what an older page does not know, have their own name. */
function nameOf(detail: string): string {
  const key = `audit.detail.${detail}`;
  return isKnown(key) ? say(key) : detail;
}

/** Where the service has words of its own and not those of users. */
function valueOf(detail: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? say('audit.yes') : say('audit.no');
  const key = detail === 'role' ? `member.${String(value)}` : `audit.value.${detail}.${String(value)}`;
  return isKnown(key) ? say(key) : String(value);
}
