import { Button } from '../ui/form/Button.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { useBoard } from './boardContext.js';

/** "Name: column, column". */
const TEMPLATES: readonly PlainKey[] = ['templates.simple', 'templates.development', 'templates.week'];

/** On a board without columns: a start for those who do not want to type one. */
export function Templates() {
  const { open } = useBoard();
  const start = (template: string): void => {
    const columns = template.slice(template.indexOf(':') + 1).split(',');
    // What is typed next is a card.
    open.addingTo.value = columns.map((title) => open.addColumn(title.trim()))[0] ?? null;
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
