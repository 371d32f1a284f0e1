import type { SectionProps } from '../panel/sectionProps.js';
import { say } from '../words/catalogue.js';
import { ActivityList } from './ActivityList.js';

export function ActivitySection({ open }: SectionProps) {
  return (
    <section aria-labelledby="panel-activity">
      <h3 id="panel-activity">{say('activity.title')}</h3>
      <p class="hint">{say('activity.lead')}</p>
      <ActivityList open={open} cardId={null} />
    </section>
  );
}
