/** How the user wants the page. Kept in this browser. */
import { effect, signal } from '@preact/signals';

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'comfortable' | 'compact';
  /** Screen readers hear what others change on the open board. */
  readonly announcesOthers: boolean;
  /** Keys without Ctrl or Alt start something. A user who dictates would press them by accident. */
  readonly hasLetterKeys: boolean;
}

const STORED_AS = 'switchboard preferences';
const USUAL: Preferences = { theme: 'system', density: 'comfortable', announcesOthers: true, hasLetterKeys: true };
/** Of the header, for the bar of a phone's browser. */
const THEME_COLORS = { light: '#ffffff', dark: '#1c2029' } as const;

export const preferences = signal<Preferences>(stored());

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(preferences.value));
  } catch {
    // A browser that keeps nothing: the choice holds as long as the page.
  }
}

/** The style sheets read attributes of the page. */
export function applyPreferences(): void {
  effect(() => {
    const { theme, density } = preferences.value;
    const { dataset } = document.documentElement;
    dataset['theme'] = theme;
    dataset['density'] = density;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
      meta.content = THEME_COLORS[theme === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : theme];
    }
  });
}

/** Anything may stand there: an older page wrote it, or a user. */
function stored(): Preferences {
  let found: unknown;
  try {
    found = JSON.parse(localStorage.getItem(STORED_AS) ?? '{}');
  } catch {
    return USUAL;
  }
  if (typeof found !== 'object' || found === null) return USUAL;
  const { theme, density, announcesOthers, hasLetterKeys } = found as Readonly<Record<string, unknown>>;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : USUAL.theme,
    density: density === 'compact' ? density : USUAL.density,
    announcesOthers: announcesOthers !== false,
    hasLetterKeys: hasLetterKeys !== false,
  };
}
