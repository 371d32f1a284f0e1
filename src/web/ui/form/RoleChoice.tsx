/** The roles on a board: to choose one, to name one, and what each may do. */
import type { Role } from '../../state/people.js';
import { say, type PlainKey } from '../../words/catalogue.js';

/** From the most rights to the fewest. */
const ROLES: ReadonlyArray<{ readonly role: Role; readonly name: PlainKey; readonly rights: PlainKey }> = [
  { role: 'owner', name: 'member.owner', rights: 'role.owner' },
  { role: 'member', name: 'member.member', rights: 'role.member' },
  { role: 'commenter', name: 'member.commenter', rights: 'role.commenter' },
  { role: 'viewer', name: 'member.viewer', rights: 'role.viewer' },
];

interface RoleChoiceProps {
  readonly label: string;
  readonly value: Role;
  readonly class?: string;
  /** Called before the choice is shown: returns whether to show it. */
  readonly onChange: (role: Role) => boolean;
}

export function RoleChoice({ label, value, class: extra = 'is-compact', onChange }: RoleChoiceProps) {
  return (
    <select
      class={extra}
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = ROLES.find(({ role }) => role === event.currentTarget.value);
        if (chosen === undefined || !onChange(chosen.role)) event.currentTarget.value = value;
      }}
    >
      {ROLES.map(({ role, name, rights }) => (
        <option key={role} value={role} title={say(rights)}>
          {say(name)}
        </option>
      ))}
    </select>
  );
}

export function RoleName({ role, title }: { readonly role: Role; readonly title?: string | undefined }) {
  // A newer service may have others.
  const named = ROLES.find((each) => each.role === role);
  return (
    <span class="muted" {...(title === undefined ? {} : { title })}>
      {named === undefined ? role : say(named.name)}
    </span>
  );
}

/** What each role may do. */
export function RoleRights() {
  return (
    <dl class="role-rights">
      {ROLES.map(({ role, name, rights }) => (
        <div key={role}>
          <dt>{say(name)}</dt>
          <dd class="hint">{say(rights)}</dd>
        </div>
      ))}
    </dl>
  );
}
