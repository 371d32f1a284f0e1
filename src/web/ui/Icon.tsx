/** A handful of own icons, drawn on a grid of 16 with lines of 1.5. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 9h3',
  bell: 'M8 2.5a3.7 3.7 0 00-3.7 3.7c0 3.3-1.3 4.6-1.3 4.6h10s-1.3-1.3-1.3-4.6A3.7 3.7 0 008 2.5zM6.7 12.8a1.4 1.4 0 002.6 0',
  board: 'M3 3h3v10H3zM7.5 3h3v6h-3zM12 3h1.5v8H12z',
  check: 'M3.5 8.5l3 3 6-7',
  checklist: 'M2.5 4.5l1 1 2-2M2.5 10.5l1 1 2-2M8 4.5h5.5M8 10.5h5.5',
  clip: 'M12.5 7.5l-5 5a3 3 0 01-4.2-4.2l5.5-5.5a2 2 0 012.8 2.8L6.3 11',
  clock: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 5v3.2l2 1.3',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  comment: 'M2.5 3h11v7.5H7.5L4.5 13v-2.5h-2z',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  download: 'M8 3v7M5 7.5L8 10.5l3-3M3 13h10',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6z',
  gear: 'M8 5.7a2.3 2.3 0 100 4.6 2.3 2.3 0 000-4.6zM8 2v1.6M8 12.4V14M2 8h1.6M12.4 8H14M3.8 3.8l1.1 1.1M11.1 11.1l1.1 1.1M12.2 3.8l-1.1 1.1M4.9 11.1l-1.1 1.1',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  help: 'M6 6a2 2 0 113 1.7c-.7.5-1 .8-1 1.6M8 12h.01',
  key: 'M6 10a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM8.3 7.5H14v2M11.5 7.5v1.7',
  keyboard: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M11.5 7h.01M5 9.5h6',
  label: 'M2.5 3.5h5l6 6-4.5 4.5-6.5-6zM5 6h.01',
  leave: 'M6.5 3h-4v10h4M6 8h7.5M11 5.5L13.5 8 11 10.5',
  left: 'M10 3L5 8l5 5',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a2.8 2.8 0 014 4l-1 1M9 11.5l-1 1a2.8 2.8 0 01-4-4l1-1',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.5a2.5 2.5 0 015 0v2',
  move: 'M3 8h9M9 5l3 3-3 3',
  pencil: 'M3 13l.6-2.6L10.8 3.2l2 2L5.6 12.4z',
  people: 'M6 7.5a2.2 2.2 0 100-4.4 2.2 2.2 0 000 4.4zM2 13c0-2.2 1.8-3.5 4-3.5s4 1.3 4 3.5M10.5 3.5a2 2 0 010 3.8M11.5 9.7c1.5.3 2.5 1.5 2.5 3.3',
  right: 'M6 3l5 5-5 5',
  rule: 'M9 2L4 9h4l-1 5 5-7H8z',
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.5 10.5l3 3',
  star: 'M8 2.2l1.75 3.65 4 .55-2.9 2.8.7 4L8 11.3l-3.55 1.9.7-4-2.9-2.8 4-.55z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5',
  sliders: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  text: 'M3 4.5h10M3 8h10M3 11.5h6',
  picture: 'M3 3.5h10a.5.5 0 0 1 .5.5v8a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V4a.5.5 0 0 1 .5-.5zM2.5 11 6 7.5l3 3 1.5-1.5 3 3',
  upload: 'M8 10.5V3.5M5 6l3-3 3 3M3 13h10',
  user: 'M8 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM3 13.5c0-2.5 2.2-4 5-4s5 1.5 5 4',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the text or label beside it has the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
