/** Sections of which one is shown. The arrow keys walk between their names. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './Icon.js';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly icon: IconName;
  readonly name: string;
}

interface TabsProps<Id extends string> {
  /** What the sections belong to. */
  readonly label: string;
  readonly tabs: ReadonlyArray<Tab<Id>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  /** The chosen section. */
  readonly children: ComponentChildren;
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

export function Tabs<Id extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Id>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // Another section begins at its top.
  useLayoutEffect(() => list.current?.closest('.dialog-body')?.scrollTo(0, 0), [chosen]);
  const walk = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const step = STEPS[event.key];
    const target =
      event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : step === undefined ? null : (at + step + tabs.length) % tabs.length;
    const tab = target === null ? undefined : tabs[target];
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-section`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            <Icon name={tab.icon} />
            <span>{tab.name}</span>
          </button>
        ))}
      </div>
      <div class="tab-section" role="tabpanel" id={`${id}-section`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
