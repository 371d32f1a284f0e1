/** How the page looks and behaves for this user. Every choice holds at once. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { prefer, preferences } from './preferences.js';
import { say } from '../words/catalogue.js';
import { Dialog } from '../ui/Dialog.js';
import { Segments } from '../ui/form/Segments.js';
import { ThemeChoice } from './ThemeChoice.js';

export function PreferencesDialog({ onClose }: { readonly onClose: () => void }) {
  const { density, announcesOthers, hasLetterKeys } = preferences.value;
  return (
    <Dialog title={say('header.preferences')} onClose={onClose}>
      <div class="preferences">
        <Preference name={say('theme.label')}>
          <ThemeChoice />
        </Preference>
        <Preference name={say('preferences.density')} hint={say('preferences.densityHint')}>
          <Segments
            label={say('preferences.density')}
            chosen={density}
            options={[
              ['comfortable', say('preferences.comfortable')],
              ['compact', say('preferences.compact')],
            ]}
            onChoose={(chosen) => prefer({ density: chosen })}
          />
        </Preference>
        <Switch
          name={say('preferences.announces')}
          hint={say('preferences.announcesHint')}
          isOn={announcesOthers}
          onChange={(isOn) => prefer({ announcesOthers: isOn })}
        />
        <Switch
          name={say('preferences.letterKeys')}
          hint={say('preferences.letterKeysHint')}
          isOn={hasLetterKeys}
          onChange={(isOn) => prefer({ hasLetterKeys: isOn })}
        />
        <p class="hint">{say('preferences.note')}</p>
      </div>
    </Dialog>
  );
}

interface PreferenceProps {
  readonly name: string;
  readonly hint?: string;
  readonly hintId?: string;
  readonly children: ComponentChildren;
}

function Preference({ name, hint, hintId, children }: PreferenceProps) {
  return (
    <div class="preference">
      <div>
        <p>{name}</p>
        {hint !== undefined && (
          <p class="hint" id={hintId}>
            {hint}
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Switch({ name, hint, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <Preference name={name} hint={hint} hintId={id}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          aria-label={name}
          aria-describedby={id}
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </label>
    </Preference>
  );
}
