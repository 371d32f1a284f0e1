import type { ImportedBoard } from '../../client/index.js';
import { boardPath, navigate } from '../state/route.js';
import { Button } from '../ui/form/Button.js';

interface ImportReportProps {
  readonly result: ImportedBoard;
  readonly onClose: () => void;
}

type Counts = ImportedBoard['imported'];

const NAMES: ReadonlyArray<readonly [field: keyof Counts, one: string, many: string]> = [
  ['columns', 'column', 'columns'],
  ['cards', 'card', 'cards'],
  ['checklists', 'checklist', 'checklists'],
  ['items', 'item', 'items'],
  ['labels', 'label', 'labels'],
  ['members', 'member', 'members'],
  ['attachments', 'file', 'files'],
  ['rules', 'rule', 'rules'],
];

/** What the board has now, and what did not fit. */
export function ImportReport({ result: { board, source, imported, left_out }, onClose }: ImportReportProps) {
  return (
    <>
      <p>
        “<bdi>{board.title}</bdi>” {source === 'trello' ? 'came from Trello' : 'is here'} with:
      </p>
      <ul class="counts" aria-label="Imported">
        {NAMES.filter(([field]) => imported[field] > 0).map(([field, one, many]) => (
          <li key={field}>
            <strong>{imported[field]}</strong> {imported[field] === 1 ? one : many}
          </li>
        ))}
      </ul>
      {left_out.length === 0 ? (
        <p class="muted">Nothing was left out.</p>
      ) : (
        <section class="left-out" aria-labelledby="left-out">
          <h3 id="left-out">What did not fit</h3>
          {/* By position: two sentences may be the same. */}
          <ul tabIndex={0} aria-labelledby="left-out">
            {left_out.map((sentence, index) => (
              <li key={index} dir="auto">
                {sentence}
              </li>
            ))}
          </ul>
        </section>
      )}
      <footer class="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" autofocus onClick={() => navigate(boardPath(board.id))}>
          Open the board
        </Button>
      </footer>
    </>
  );
}
