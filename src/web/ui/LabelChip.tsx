import type { Label } from '../../client/index.js';
import { textOn } from './color.js';

export function LabelChip({ label }: { readonly label: Pick<Label, 'name' | 'color'> }) {
  return (
    <span class="chip" dir="auto" style={{ backgroundColor: label.color, color: textOn(label.color) }}>
      {label.name}
    </span>
  );
}
