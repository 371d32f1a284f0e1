/** Everything about a board that is not a card: members, labels, rules, export and deletion. */
import type { OpenBoard, PanelSection } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';
import { Tabs, type Tab } from '../ui/Tabs.js';
import { AboutSection } from './AboutSection.js';
import { LabelsSection } from './LabelsSection.js';
import { MembersSection } from './MembersSection.js';
import { RulesSection } from './RulesSection.js';
import { say } from '../words/catalogue.js';

interface BoardPanelProps {
  readonly open: OpenBoard;
  readonly section: PanelSection;
  readonly onClose: () => void;
}

const tabs = (): ReadonlyArray<Tab<PanelSection>> => [
  { id: 'members', icon: 'people', name: say('boardMenu.members') },
  { id: 'labels', icon: 'label', name: say('boardMenu.labels') },
  { id: 'rules', icon: 'rule', name: say('boardMenu.rules') },
  { id: 'about', icon: 'text', name: say('boardMenu.aboutShort') },
];

const SECTIONS = { members: MembersSection, labels: LabelsSection, rules: RulesSection, about: AboutSection } as const;

export function BoardPanel({ open, section, onClose }: BoardPanelProps) {
  const board = open.board.value;
  if (board === null) return null;
  const Section = SECTIONS[section];
  return (
    <Dialog title={<bdi>{board.title}</bdi>} size="large" onClose={onClose}>
      <Tabs label={say('boardMenu.sections')} tabs={tabs()} chosen={section} onChoose={(id) => (open.panel.value = id)}>
        <Section key={section} open={open} board={board} />
      </Tabs>
    </Dialog>
  );
}
