import { accountLinkOperations } from './accounts/accountLinks.js';
import { activityOperations } from './activity.js';
import { adminOperations } from './service/admin.js';
import { archiveOperations } from './archive.js';
import { attachmentOperations } from './attachments.js';
import { auditOperations } from './service/audit.js';
import { authOperations } from './accounts/auth.js';
import { automationOperations } from './automations.js';
import { batchOperations } from './batch.js';
import { boardOperations } from './boards/boards.js';
import { deletedBoardOperations } from './boards/deletedBoards.js';
import { cardOperations } from './cards.js';
import { checklistOperations } from './checklists.js';
import { columnOperations } from './columns.js';
import { myCardOperations } from './myCards.js';
import { commentOperations } from './texts/comments.js';
import { versionOperations } from './texts/versions.js';
import { copyOperations } from './transfer/copies.js';
import { documentOperations } from '../documents.js';
import { factorOperations } from './accounts/factors.js';
import { healthOperations } from './service/health.js';
import { inviteLinkOperations } from './accounts/inviteLinks.js';
import { keyOperations } from './accounts/keys.js';
import { labelOperations } from './labels.js';
import { nameOperations } from './accounts/names.js';
import { memberOperations } from './members.js';
import { notificationOperations } from './notices/notifications.js';
import { notificationSettingsOperations } from './notices/notificationSettings.js';
import type { Operation } from '../operation/operation.js';
import { presenceOperations } from './presence.js';
import { setupOperations } from './accounts/setup.js';
import { sessionOperations } from './accounts/sessions.js';
import { ssoOperations } from './accounts/sso.js';
import { transferOperations } from './transfer/transfer.js';
import { trashOperations } from './trash.js';
import { unsubscribeOperations } from './notices/unsubscribe.js';
import { userOperations } from './accounts/users.js';
import { watchOperations } from './notices/watching.js';
import { adminWebhookOperations, webhookOperations } from './webhooks.js';

/** Every operation of the service, in the order of the documentation. */
export const operations: readonly Operation[] = [
  ...authOperations,
  ...setupOperations,
  ...nameOperations,
  ...accountLinkOperations,
  ...sessionOperations,
  ...factorOperations,
  ...ssoOperations,
  ...keyOperations,
  ...userOperations,
  ...inviteLinkOperations,
  ...boardOperations,
  ...batchOperations,
  ...transferOperations,
  ...memberOperations,
  ...columnOperations,
  ...cardOperations,
  ...labelOperations,
  ...checklistOperations,
  ...attachmentOperations,
  ...copyOperations,
  ...myCardOperations,
  ...notificationOperations,
  ...notificationSettingsOperations,
  ...unsubscribeOperations,
  ...watchOperations,
  ...commentOperations,
  ...versionOperations,
  ...archiveOperations,
  ...trashOperations,
  ...deletedBoardOperations,
  ...activityOperations,
  ...automationOperations,
  ...webhookOperations,
  ...presenceOperations,
  ...adminOperations,
  ...adminWebhookOperations,
  ...auditOperations,
  ...healthOperations,
  ...documentOperations,
];
