import type { ImportedBoard } from '../../client/index.js';
import { boardPath, navigate } from '../state/route.js';
import { Button } from '../ui/form/Button.js';
import { say, sayWith } from '../words/catalogue.js';

interface ImportReportProps {
  readonly result: ImportedBoard;
  readonly onClose: () => void;
}

type Counts = ImportedBoard['imported'];

const FIELDS = ['columns', 'cards', 'checklists', 'items', 'labels', 'members', 'attachments', 'rules'] as const satisfies ReadonlyArray<
  keyof Counts
>;

/** What the board has now, and what did not fit. */
export function ImportReport({ result: { board, source, imported, left_out }, onClose }: ImportReportProps) {
  return (
    <>
      <p>{sayWith(source === 'trello' ? 'import.cameFromTrello' : 'import.isHere', { title: <bdi>{board.title}</bdi> })}</p>
      <ul class="counts" aria-label={say('import.imported')}>
        {FIELDS.filter((field) => imported[field] > 0).map((field) => (
          <li key={field}>{say(`imported.${field}`, { count: imported[field] })}</li>
        ))}
      </ul>
      {left_out.length === 0 ? (
        <p class="muted">{say('import.nothingLeftOut')}</p>
      ) : (
        <section class="left-out" aria-labelledby="left-out">
          <h3 id="left-out">{say('import.didNotFit')}</h3>
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
        <Button onClick={onClose}>{say('common.close')}</Button>
        <Button kind="primary" autofocus onClick={() => navigate(boardPath(board.id))}>
          {say('import.openBoard')}
        </Button>
      </footer>
    </>
  );
}
