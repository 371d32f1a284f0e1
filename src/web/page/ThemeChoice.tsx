import { prefer, preferences } from './preferences.js';
import { say } from '../words/catalogue.js';
import { Segments } from '../ui/form/Segments.js';

export function ThemeChoice() {
  return (
    <Segments
      label={say('theme.label')}
      chosen={preferences.value.theme}
      options={[
        ['system', say('theme.system')],
        ['light', say('theme.light')],
        ['dark', say('theme.dark')],
      ]}
      onChoose={(theme) => prefer({ theme })}
    />
  );
}
