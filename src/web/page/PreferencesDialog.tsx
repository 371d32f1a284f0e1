/** How the page looks and behaves for this user. Every choice holds at once. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { prefer, preferences } from './preferences.js';
import { attempt } from '../state/notices.js';
import { client, currentUser, updateUser } from '../state/session.js';
import { say } from '../words/catalogue.js';
import { LANGUAGE_NAMES } from '../words/language.js';
import { Dialog } from '../ui/Dialog.js';
import { Segments } from '../ui/form/Segments.js';
import { ThemeChoice } from './ThemeChoice.js';

/** No language tag and no zone looks like this. */
const BROWSERS = '';

async function save(locale: { language?: string | null; time_zone?: string | null }): Promise<void> {
  await attempt(say('preferences.notSaved'), async () => updateUser(await client.auth.updateMe(locale)));
}

/** The time zones of this browser, and the chosen one, which it may not know. */
function zonesWith(chosen: string | null): readonly string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  return chosen === null || zones.includes(chosen) ? zones : [chosen, ...zones];
}

export function PreferencesDialog({ onClose }: { readonly onClose: () => void }) {
  const { density, announcesOthers, hasLetterKeys } = preferences.value;
  const { language, time_zone } = currentUser();
  return (
    <Dialog title={say('header.preferences')} onClose={onClose}>
      <div class="preferences">
        <Preference name={say('theme.label')}>
          <ThemeChoice />
        </Preference>
        <Preference name={say('preferences.language')}>
          <Segments
            label={say('preferences.language')}
            chosen={language ?? BROWSERS}
            options={[[BROWSERS, say('preferences.browsers')], ...LANGUAGE_NAMES]}
            onChoose={(chosen) => void save({ language: chosen === BROWSERS ? null : chosen })}
          />
        </Preference>
        <Preference name={say('preferences.timeZone')} hint={say('preferences.timeZoneHint')}>
          <select
            translate={false}
            aria-label={say('preferences.timeZone')}
            value={time_zone ?? BROWSERS}
            onChange={({ currentTarget: { value } }) => void save({ time_zone: value === BROWSERS ? null : value })}
          >
            <option value={BROWSERS}>{say('preferences.browsers')}</option>
            {zonesWith(time_zone).map((zone) => (
              <option key={zone} value={zone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
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
