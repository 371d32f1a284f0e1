import { hueOf, initialsOf, nameOf } from '../state/people.js';

interface AvatarProps {
  readonly id: string;
  readonly user: { readonly username: string; readonly firstname?: string | null; readonly lastname?: string | null };
  readonly isSmall?: boolean;
}

/** The initials of a person; the whole name for screen readers and as a tooltip. */
export function Avatar({ id, user, isSmall = false }: AvatarProps) {
  const name = nameOf(user);
  return (
    <span
      class={`avatar hue-${hueOf(id)}${isSmall ? ' is-small' : ''}`}
      role="img"
      aria-label={name}
      title={name}
      // A picture, not a text: a button with it is called what it does.
      data-initials={initialsOf(user)}
    />
  );
}
