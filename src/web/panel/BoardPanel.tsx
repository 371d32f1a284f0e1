/** Everything about a board that is not a card: members, labels, rules, webhooks, activity, export and deletion. */
import type { OpenBoard, PanelSection } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';
import { Tabs, type Tab } from '../ui/Tabs.js';
import { ActivitySection } from '../activity/ActivitySection.js';
import { AboutSection } from './AboutSection.js';
import { ArchiveSection } from './archive/ArchiveSection.js';
import { LabelsSection } from './LabelsSection.js';
import { MembersSection } from './MembersSection.js';
import { RulesSection } from './RulesSection.js';
import { TrashSection } from './archive/TrashSection.js';
import { WebhooksSection } from './WebhooksSection.js';
import { say } from '../words/catalogue.js';

interface BoardPanelProps {
  readonly open: OpenBoard;
  readonly section: PanelSection;
  readonly onClose: () => void;
}

const tabs = (isOwner: boolean, mayChange: boolean): ReadonlyArray<Tab<PanelSection>> => [
  { id: 'members', icon: 'people', name: say('boardMenu.members') },
  { id: 'labels', icon: 'label', name: say('boardMenu.labels') },
  { id: 'rules', icon: 'rule', name: say('boardMenu.rules') },
  ...(isOwner ? [{ id: 'webhooks', icon: 'link', name: say('boardMenu.webhooks') } as const] : []),
  { id: 'archive', icon: 'archive', name: say('boardMenu.archive') },
  ...(mayChange ? [{ id: 'trash', icon: 'trash', name: say('boardMenu.trash') } as const] : []),
  { id: 'activity', icon: 'clock', name: say('boardMenu.activity') },
  { id: 'about', icon: 'text', name: say('boardMenu.aboutShort') },
];

const SECTIONS = {
  members: MembersSection,
  labels: LabelsSection,
  rules: RulesSection,
  webhooks: WebhooksSection,
  archive: ArchiveSection,
  trash: TrashSection,
  activity: ActivitySection,
  about: AboutSection,
} as const;

export function BoardPanel({ open, section, onClose }: BoardPanelProps) {
  const board = open.board.value;
  if (board === null) return null;
  const Section = SECTIONS[section];
  return (
    <Dialog title={<bdi>{board.title}</bdi>} size="large" onClose={onClose}>
      <Tabs
        label={say('boardMenu.sections')}
        tabs={tabs(open.isOwner.value, open.mayChange.value)}
        chosen={section}
        onChoose={(id) => (open.panel.value = id)}
      >
        <Section key={section} open={open} board={board} />
      </Tabs>
    </Dialog>
  );
}
