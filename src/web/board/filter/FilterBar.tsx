import { DUE_STATES } from '../../dates/dates.js';
import { nameOf } from '../../state/people.js';
import { EVERYTHING, isEverything, toggled } from '../../state/filter/filter.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { Avatar } from '../../ui/Avatar.js';
import { Button } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { LabelChip } from '../../ui/LabelChip.js';
import { Popover } from '../../ui/Menu.js';
import { say } from '../../words/catalogue.js';

/** Narrows the board down by text, label and person. */
export function FilterBar({ open }: { readonly open: OpenBoard }) {
  const filter = open.filter.value;
  const board = open.board.value;
  if (board === null) return null;
  const chosen = filter.labelIds.size + filter.userIds.size + filter.due.size;
  return (
    <div class="filter" role="search">
      <label class="search">
        <Icon name="search" />
        <span class="only-spoken">{say('filter.byText')}</span>
        <input
          type="search"
          data-filter
          dir="auto"
          placeholder={say('filter.placeholder')}
          value={filter.text}
          onInput={(event) => (open.filter.value = { ...filter, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key !== 'Escape') return;
            open.filter.value = EVERYTHING;
            event.currentTarget.blur();
          }}
        />
      </label>
      <Popover icon="filter" label={say('filter.byLabel')} text={chosen === 0 ? say('filter.labelsPeople') : say('filter.chosen', { count: chosen })}>
        {() => (
          <div class="choices">
            <fieldset>
              <legend>{say('filter.labels')}</legend>
              {board.labels.length === 0 && <p class="hint">{say('filter.noLabels')}</p>}
              {board.labels.map((label) => (
                <label key={label.id} class="choice">
                  <input
                    type="checkbox"
                    checked={filter.labelIds.has(label.id)}
                    onChange={() => (open.filter.value = { ...filter, labelIds: toggled(filter.labelIds, label.id) })}
                  />
                  <LabelChip label={label} />
                </label>
              ))}
            </fieldset>
            <fieldset>
              <legend>{say('filter.people')}</legend>
              {board.members.map(({ user_id, user }) => (
                <label key={user_id} class="choice">
                  <input
                    type="checkbox"
                    checked={filter.userIds.has(user_id)}
                    onChange={() => (open.filter.value = { ...filter, userIds: toggled(filter.userIds, user_id) })}
                  />
                  <Avatar id={user_id} user={user} isSmall />
                  <span dir="auto">{nameOf(user)}</span>
                </label>
              ))}
            </fieldset>
            <fieldset>
              <legend>{say('filter.due')}</legend>
              {DUE_STATES.map((state) => (
                <label key={state} class="choice">
                  <input
                    type="checkbox"
                    checked={filter.due.has(state)}
                    onChange={() => (open.filter.value = { ...filter, due: toggled(filter.due, state) })}
                  />
                  {say(`filter.${state}`)}
                </label>
              ))}
            </fieldset>
          </div>
        )}
      </Popover>
      {!isEverything(filter) && (
        <Button kind="quiet" icon="close" onClick={() => (open.filter.value = EVERYTHING)}>
          {say('filter.showAll')}
        </Button>
      )}
    </div>
  );
}
