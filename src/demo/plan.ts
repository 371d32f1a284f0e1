/** The board of the demonstration, and who is busy on it. */
export interface PlannedCard {
  readonly title: string;
  readonly description?: string;
  readonly labels?: readonly string[];
  readonly people?: readonly string[];
  readonly items?: readonly string[];
  /** How many of the items are done. */
  readonly done?: number;
}

export const VISITOR = { username: 'demo', firstname: 'You', lastname: null, password: 'demo' } as const;

export const COLLEAGUES = [
  { username: 'mira', firstname: 'Mira', lastname: 'Okafor' },
  { username: 'jonas', firstname: 'Jonas', lastname: 'Weber' },
  { username: 'aiko', firstname: 'Aiko', lastname: 'Tanaka' },
] as const;

export const TITLE = 'Spring launch';

export const LABELS: Readonly<Record<string, string>> = {
  design: '#8250df',
  copy: '#2f6feb',
  web: '#0f9f96',
  urgent: '#c93c37',
  print: '#d9730d',
};

export const COLUMNS: ReadonlyArray<{
  readonly title: string;
  readonly color: string;
  readonly isDone?: true;
  readonly cards: readonly PlannedCard[];
}> = [
  {
    title: 'Ideas',
    color: '#6b7280',
    cards: [
      { title: 'A film of ten seconds for the shop window', labels: ['design'] },
      { title: 'Ask the regulars which colours they miss', people: ['mira'] },
      { title: 'Postcards in every parcel', labels: ['print', 'copy'] },
      { title: 'Open the studio on a Saturday' },
    ],
  },
  {
    title: 'To do',
    color: '#2f6feb',
    cards: [
      {
        title: 'Write the texts for the catalogue',
        description:
          'One page for each product:\n\n- **what** it is\n- *who* made it\n- how to care for it\n\nAt most 80 words. Last year’s texts are a good start.',
        labels: ['copy'],
        people: ['jonas'],
        items: ['Shirts', 'Jackets', 'Bags', 'Shoes'],
        done: 1,
      },
      { title: 'Book the photographer for the roof', labels: ['urgent'], people: ['mira', 'aiko'] },
      { title: 'Prices for Switzerland and Norway', items: ['Customs', 'Rounding', 'Approval'] },
      { title: 'Order 200 sample cards', labels: ['print'] },
    ],
  },
  {
    title: 'Doing',
    color: '#e3b341',
    cards: [
      {
        title: 'New front page',
        description: '## Three parts\n\n1. The picture from the roof\n2. The four favourites\n3. `Find a shop`',
        labels: ['web', 'design'],
        people: ['aiko'],
        items: ['Sketch', 'Texts', 'Phone layout', 'Contrast', 'Speed'],
        done: 3,
      },
      { title: 'Invitations for the evening', labels: ['copy', 'print'], people: ['jonas'] },
    ],
  },
  {
    title: 'Done',
    color: '#2da44e',
    isDone: true,
    cards: [
      { title: 'Date fixed: the twelfth of March', items: ['Room', 'Music'], done: 2 },
      { title: 'Budget approved', people: ['mira'] },
    ],
  },
];

/** What colleagues think of while the demonstration runs. */
export const THOUGHTS = [
  'Call the printer about the paper',
  'A bench in front of the shop',
  'Check the contrast of the red on pink',
  'Thank-you note for the models',
  'Parking for the suppliers',
  'Which song for the film?',
  'Size table in three languages',
  'Flowers, but not lilies',
] as const;
