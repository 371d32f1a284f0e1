import { accountLinkOperations } from './accountLinks.js';
import { adminOperations } from './admin.js';
import { attachmentOperations } from './attachments.js';
import { auditOperations } from './audit.js';
import { authOperations } from './auth.js';
import { automationOperations } from './automations.js';
import { boardOperations } from './boards.js';
import { cardOperations } from './cards.js';
import { checklistOperations } from './checklists.js';
import { columnOperations } from './columns.js';
import { documentOperations } from '../documents.js';
import { factorOperations } from './factors.js';
import { healthOperations } from './health.js';
import { inviteLinkOperations } from './inviteLinks.js';
import { keyOperations } from './keys.js';
import { labelOperations } from './labels.js';
import { memberOperations } from './members.js';
import type { Operation } from '../operation.js';
import { presenceOperations } from './presence.js';
import { sessionOperations } from './sessions.js';
import { ssoOperations } from './sso.js';
import { transferOperations } from './transfer.js';
import { userOperations } from './users.js';

/** Every operation of the service, in the order of the documentation. */
export const operations: readonly Operation[] = [
  ...authOperations,
  ...accountLinkOperations,
  ...sessionOperations,
  ...factorOperations,
  ...ssoOperations,
  ...keyOperations,
  ...userOperations,
  ...inviteLinkOperations,
  ...boardOperations,
  ...transferOperations,
  ...memberOperations,
  ...columnOperations,
  ...cardOperations,
  ...labelOperations,
  ...checklistOperations,
  ...attachmentOperations,
  ...automationOperations,
  ...presenceOperations,
  ...adminOperations,
  ...auditOperations,
  ...healthOperations,
  ...documentOperations,
];
