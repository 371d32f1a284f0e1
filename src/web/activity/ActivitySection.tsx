import type { SectionProps } from '../panel/sectionProps.js';
import { Section } from '../ui/Section.js';
import { say } from '../words/catalogue.js';
import { ActivityList } from './ActivityList.js';

export function ActivitySection({ open }: SectionProps) {
  return (
    <Section title={say('activity.title')} lead={say('activity.lead')}>
      <ActivityList open={open} cardId={null} />
    </Section>
  );
}
