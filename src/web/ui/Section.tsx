import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface SectionProps {
  readonly title: string;
  /** What the section is about, if its title does not say it. */
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A titled part of a page. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section class="panel section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p class="hint">{lead}</p>}
      {children}
    </section>
  );
}
