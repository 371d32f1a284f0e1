/** A few choices side by side, of which one holds. */
interface SegmentsProps<Id extends string> {
  readonly label: string;
  /** A name in another language than the page's says which. */
  readonly options: ReadonlyArray<readonly [id: Id, name: string, language?: string]>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

export function Segments<Id extends string>({ label, options, chosen, onChoose }: SegmentsProps<Id>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([id, name, language]) => (
        <button key={id} type="button" lang={language} translate={language === undefined} aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {name}
        </button>
      ))}
    </div>
  );
}
