import { attachmentHandlers } from './attachments.js';
import { batchHandler } from './batch.js';
import { boardHandlers } from './boards.js';
import { cardHandlers } from './cards.js';
import { checklistHandlers } from './checklists.js';
import { columnHandlers } from './columns.js';
import type { Handlers } from './handler.js';
import { itemHandlers } from './items.js';
import { labelHandlers } from './labels.js';
import { memberHandlers } from './members.js';
import { ruleHandlers } from './rules.js';

const ON_CONTENTS = {
  ...memberHandlers,
  ...columnHandlers,
  ...cardHandlers,
  ...labelHandlers,
  ...checklistHandlers,
  ...itemHandlers,
  ...attachmentHandlers,
  ...ruleHandlers,
};

/** The handler of each operation. The type ensures that none is missing. */
export const HANDLERS: Handlers = {
  ...boardHandlers,
  'board.batch': batchHandler(ON_CONTENTS),
  ...ON_CONTENTS,
};
