import { archiveHandlers } from './archive/archive.js';
import { activityHandlers } from './activity.js';
import { attachmentHandlers, commentFileHandlers } from './attachments.js';
import { batchHandler } from './batch.js';
import { boardHandlers } from './boards.js';
import { cardHandlers } from './cards.js';
import { checklistHandlers } from './checklists.js';
import { columnHandlers } from './columns.js';
import { commentHandlers } from './comments.js';
import type { Handlers } from './handler.js';
import { itemHandlers } from './items.js';
import { labelHandlers } from './labels.js';
import { moveHandlers } from './moving/moves.js';
import { memberHandlers } from './members.js';
import { ruleHandlers } from './rules.js';
import { trashHandlers } from './archive/trash.js';
import { versionHandlers } from './versions.js';
import { undoHandler } from './undo/undo.js';
import { watchHandlers } from './watching/watch.js';

const ON_CONTENTS = {
  ...memberHandlers,
  ...columnHandlers,
  ...cardHandlers,
  ...moveHandlers,
  ...labelHandlers,
  ...checklistHandlers,
  ...itemHandlers,
  ...attachmentHandlers,
  ...commentFileHandlers,
  ...ruleHandlers,
  ...commentHandlers,
  ...versionHandlers,
  ...archiveHandlers,
  ...trashHandlers,
  ...activityHandlers,
  ...watchHandlers,
};

/** The handler of each operation. The type ensures that none is missing. */
export const HANDLERS: Handlers = {
  ...boardHandlers,
  'board.batch': batchHandler(ON_CONTENTS),
  'board.undo': undoHandler({ ...ON_CONTENTS, ...boardHandlers }),
  ...ON_CONTENTS,
};
