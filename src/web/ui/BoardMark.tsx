import { Icon } from './Icon.js';

interface BoardMarkProps {
  readonly color: string | null;
  readonly icon: string | null;
}

/** By this a board is recognised among others. Decoration: the title beside it has the meaning. */
export function BoardMark({ color, icon }: BoardMarkProps) {
  return (
    <span class={`board-mark${color === null ? '' : ' is-tinted'}`} style={color === null ? {} : { '--mark': color }} aria-hidden="true">
      {icon ?? <Icon name="board" />}
    </span>
  );
}
