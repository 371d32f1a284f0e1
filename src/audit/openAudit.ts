import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { IdSource } from '../domain/ids.js';
import { AuditFile } from './auditFile.js';
import { AuditLog } from './auditLog.js';
import { AuditPace } from './auditPace.js';
import { AuditQueue } from './auditQueue.js';

/** The audit log with its file in the data folder, unless that is off. */
export function openAudit(config: Config, directory: DirectoryPort, log: Logger): AuditLog {
  const queue = new AuditQueue({ directory, onError: (error) => log.error({ err: error }, 'audit entries were not stored') });
  const pace = new AuditPace({ boards: config.maxBoardsPerUser });
  return new AuditLog({ file: config.auditLog ? openFile(config, log) : null, queue, ids: new IdSource(), pace });
}

function openFile({ dataDir, auditLogBytes, auditLogFiles }: Config, log: Logger): AuditFile {
  const path = join(dataDir, 'audit', 'audit.log');
  return new AuditFile({
    path,
    maxBytes: auditLogBytes,
    maxFiles: auditLogFiles,
    onTrouble: (error) => log.error({ err: error, path }, 'the audit file cannot be written'),
    onRecovery: (lostLines) => log.info({ path, lostLines }, 'the audit file can be written again'),
  });
}
