/** The webhooks of the board, for its owners. */
import { say } from '../words/catalogue.js';
import { WebhookList } from '../webhooks/WebhookList.js';
import { webhooksOf } from '../webhooks/webhookCalls.js';
import type { SectionProps } from './sectionProps.js';

export function WebhooksSection({ board }: SectionProps) {
  return <WebhookList calls={webhooksOf(board.id)} lead={say('hook.lead')} />;
}
