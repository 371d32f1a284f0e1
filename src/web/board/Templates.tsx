import { Button } from '../ui/form/Button.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { useBoard } from './boardContext.js';
import { focusInstead } from '../ui/keepFocus.js';

/** "Name: column, column". */
const TEMPLATES: readonly PlainKey[] = ['templates.simple', 'templates.development', 'templates.week'];

/** On a board without columns: a start for those who do not want to type one. */
export function Templates() {
  const { open } = useBoard();
  const start = (template: string): void => {
    const columns = template.slice(template.indexOf(':') + 1).split(',');
    columns.forEach((title) => open.addColumn(title.trim()));
    focusInstead(() => document.querySelector<HTMLElement>('.add-card'));
  };
  return (
    <section class="templates" aria-label={say('templates.label')}>
      <h2>{say('templates.orStart')}</h2>
      {TEMPLATES.map(say).map((template) => (
        <Button key={template} onClick={() => start(template)}>
          {template}
        </Button>
      ))}
    </section>
  );
}
