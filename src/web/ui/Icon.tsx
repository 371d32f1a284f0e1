/** A handful of own icons, drawn on a grid of 16 with lines of 1.5. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  board: 'M3 3h3v10H3zM7.5 3h3v6h-3zM12 3h1.5v8H12z',
  check: 'M3.5 8.5l3 3 6-7',
  checklist: 'M2.5 4.5l1 1 2-2M2.5 10.5l1 1 2-2M8 4.5h5.5M8 10.5h5.5',
  clip: 'M12.5 7.5l-5 5a3 3 0 01-4.2-4.2l5.5-5.5a2 2 0 012.8 2.8L6.3 11',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.500 4.500L2 8l3.500 3.500M10.500 4.500L14 8l-3.500 3.500',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  download: 'M8 3v7M5 7.5L8 10.5l3-3M3 13h10',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6.200a1.800 1.800 0 100 3.600 1.800 1.800 0 000-3.600z',
  gear: 'M8 5.7a2.3 2.3 0 100 4.6 2.3 2.3 0 000-4.6zM8 2v1.6M8 12.4V14M2 8h1.6M12.4 8H14M3.8 3.8l1.1 1.1M11.1 11.1l1.1 1.1M12.2 3.8l-1.1 1.1M4.9 11.1l-1.1 1.1',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  help: 'M6 6a2 2 0 113 1.7c-.7.5-1 .8-1 1.6M8 12h.01',
  key: 'M6 10a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM8.3 7.5H14v2M11.5 7.5v1.7',
  keyboard: 'M2 4.500h12v7H2zM4.500 7h.010M7 7h.010M9.500 7h.010M11.500 7h.010M5 9.500h6',
  label: 'M2.5 3.5h5l6 6-4.5 4.5-6.5-6zM5 6h.01',
  leave: 'M6.5 3h-4v10h4M6 8h7.5M11 5.500L13.500 8 11 10.500',
  left: 'M10 3L5 8l5 5',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a2.8 2.8 0 014 4l-1 1M9 11.5l-1 1a2.8 2.8 0 01-4-4l1-1',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.5a2.5 2.5 0 015 0v2',
  move: 'M3 8h9M9 5l3 3-3 3',
  pencil: 'M3 13l.6-2.6L10.8 3.200l2 2L5.600 12.400z',
  people:
    'M6 7.500a2.200 2.200 0 100-4.400 2.200 2.200 0 000 4.400zM2 13c0-2.200 1.800-3.500 4-3.500s4 1.300 4 3.500M10.500 3.500a2 2 0 010 3.800M11.500 9.700c1.500.300 2.500 1.500 2.500 3.300',
  right: 'M6 3l5 5-5 5',
  rule: 'M9 2L4 9h4l-1 5 5-7H8z',
  search: 'M7 11.500a4.500 4.500 0 100-9 4.500 4.500 0 000 9zM10.500 10.500l3 3',
  trash: 'M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.500 8.500h6l.500-8.500',
  sliders: 'M2.500 5h6M11.500 5h2M2.500 11h2M7.500 11h6M10 3.500v3M6 9.500v3',
  text: 'M3 4.500h10M3 8h10M3 11.500h6',
  upload: 'M8 10.500V3.500M5 6l3-3 3 3M3 13h10',
  user: 'M8 8a2.500 2.500 0 100-5 2.500 2.500 0 000 5zM3 13.500c0-2.500 2.200-4 5-4s5 1.500 5 4',
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
