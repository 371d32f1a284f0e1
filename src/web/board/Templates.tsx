import { Button } from '../ui/form/Button.js';
import { useBoard } from './boardContext.js';

const TEMPLATES: ReadonlyArray<{ readonly name: string; readonly columns: readonly string[] }> = [
  { name: 'Simple', columns: ['To do', 'Doing', 'Done'] },
  { name: 'Development', columns: ['Ideas', 'Next', 'In progress', 'Review', 'Done'] },
  { name: 'Week', columns: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Later'] },
];

/** On a board without columns: a start for those who do not want to type one. */
export function Templates() {
  const { open } = useBoard();
  return (
    <section class="templates" aria-label="Templates">
      <h2>Or start with</h2>
      {TEMPLATES.map(({ name, columns }) => (
        <Button
          key={name}
          onClick={() => {
            columns.forEach((title) => open.addColumn(title));
            requestAnimationFrame(() => document.querySelector<HTMLElement>('.add-card')?.focus());
          }}
        >
          {`${name}: ${columns.join(', ')}`}
        </Button>
      ))}
    </section>
  );
}
