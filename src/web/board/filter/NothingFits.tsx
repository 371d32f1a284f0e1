import type { Card, Column } from '../../../client/index.js';
import { EVERYTHING, isEverything } from '../../state/filter/filter.js';
import { Button } from '../../ui/form/Button.js';
import { focusInstead } from '../../ui/keepFocus.js';
import { say } from '../../words/catalogue.js';
import { useBoard } from '../boardContext.js';

interface NothingFitsProps {
  readonly columns: readonly Column[];
  readonly shown: (column: Column) => readonly Card[];
}

/** A board that is empty only because of its filter says so. */
export function NothingFits({ columns, shown }: NothingFitsProps) {
  const { open } = useBoard();
  const isEmpty =
    !isEverything(open.filter.value) && columns.some(({ cards }) => cards.length > 0) && columns.every((column) => shown(column).length === 0);
  return (
    <div role="status">
      {isEmpty && (
        <p class="nothing-fits">
          <span>{say('filter.nothingFits')}</span>
          <Button
            kind="quiet"
            onClick={() => {
              open.filter.value = EVERYTHING;
              focusInstead(() => document.querySelector<HTMLElement>('.filter input'));
            }}
          >
            {say('filter.showEverything')}
          </Button>
        </p>
      )}
    </div>
  );
}
