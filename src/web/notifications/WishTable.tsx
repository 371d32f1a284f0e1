/** A row for each thing that notices come from: whether the list has them, and when they are mailed. */
import type { ComponentChildren } from 'preact';
import type { NotificationSettings } from '../../client/index.js';
import { say, type PlainKey } from '../words/catalogue.js';

export type Wish = NotificationSettings['boards'][string];
type Kind = keyof NotificationSettings['kinds'];

export const KIND_NAMES: ReadonlyArray<readonly [kind: Kind, words: PlainKey]> = [
  ['assigned', 'notices.assigned'],
  ['mentioned', 'notices.mentioned'],
  ['due', 'notices.due'],
  ['invited', 'notices.invited'],
  ['commented', 'notices.commented'],
  ['moved', 'notices.moved'],
];

const MAILS: ReadonlyArray<readonly [mail: Wish['mail'], words: PlainKey]> = [
  ['off', 'notices.off'],
  ['daily', 'notices.daily'],
  ['now', 'notices.now'],
];

interface WishTableProps {
  readonly label: string;
  /** What the rows are. */
  readonly column: string;
  readonly rows: ReadonlyArray<{ readonly id: string; readonly name: string; readonly wish: Wish }>;
  readonly onChange: (id: string, wish: Wish) => void;
  /** What else can be done with a row. */
  readonly after?: (row: { readonly id: string; readonly name: string }) => ComponentChildren;
}

export function WishTable({ label, column, rows, onChange, after }: WishTableProps) {
  return (
    <div class="table-place" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{column}</th>
            <th scope="col">{say('notices.app')}</th>
            <th scope="col">{say('notices.mail')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, wish }) => (
            <tr key={id}>
              <td class="is-name" dir="auto">
                {name} {after?.({ id, name })}
              </td>
              <td>
                <label class="switch">
                  <input
                    type="checkbox"
                    role="switch"
                    aria-label={say('notices.appOf', { what: name })}
                    checked={wish.app}
                    onChange={({ currentTarget }) => onChange(id, { ...wish, app: currentTarget.checked })}
                  />
                </label>
              </td>
              <td>
                <select
                  class="is-compact"
                  aria-label={say('notices.mailOf', { what: name })}
                  value={wish.mail}
                  onChange={({ currentTarget }) => onChange(id, { ...wish, mail: mailOf(currentTarget.value) })}
                >
                  {MAILS.map(([mail, words]) => (
                    <option key={mail} value={mail}>
                      {say(words)}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function mailOf(value: string): Wish['mail'] {
  return MAILS.find(([mail]) => mail === value)?.[0] ?? 'off';
}
