import type { BoardSummary, NotificationSettings } from '../../client/index.js';
import { IconButton } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';
import { WishTable, type Wish } from './WishTable.js';

type Wishes = NotificationSettings['boards'];

interface BoardWishesProps {
  readonly boards: readonly BoardSummary[];
  readonly wishes: Wishes;
  readonly onChange: (wishes: Wishes) => void;
}

/** What a board that was just chosen begins with: it is muted, or the user would not have chosen it. */
const MUTED: Wish = { app: false, mail: 'off' };

export function BoardWishes({ boards, wishes, onChange }: BoardWishesProps) {
  const titles = new Map(boards.map(({ id, title }) => [id, title]));
  const rows = Object.entries(wishes).map(([id, wish]) => ({ id, name: titles.get(id) ?? id, wish }));
  const others = boards.filter(({ id }) => wishes[id] === undefined);
  const remove = (id: string): void => onChange(Object.fromEntries(Object.entries(wishes).filter(([each]) => each !== id)));
  return (
    <>
      {rows.length === 0 ? (
        <p class="hint">{say('notices.noBoards')}</p>
      ) : (
        <WishTable
          label={say('notices.boards')}
          column={say('thing.board')}
          rows={rows}
          onChange={(id, wish) => onChange({ ...wishes, [id]: wish })}
          after={({ id, name }) => <IconButton icon="close" label={say('notices.remove', { title: name })} onClick={() => remove(id)} />}
        />
      )}
      {others.length > 0 && (
        <label class="field">
          {say('notices.add')}
          <select
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') onChange({ ...wishes, [currentTarget.value]: MUTED });
            }}
          >
            <option value="">{say('notices.choose')}</option>
            {others.map(({ id, title }) => (
              <option key={id} value={id} dir="auto">
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
