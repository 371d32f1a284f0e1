import type { Label } from '../../client/index.js';

export function LabelChip({ label }: { readonly label: Pick<Label, 'name' | 'color'> }) {
  return (
    <span class="chip" dir="auto" title={label.name} style={{ '--label': label.color }}>
      {label.name}
    </span>
  );
}
