/** What the operator of the machine may do to any user and board, without an account. */
import { AUDIT_BATCH, operatorEntry, type AuditEntry } from '../domain/audit.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { bodyOf } from '../domain/ports/boardsPort.js';
import { exportStream } from '../transfer/exportStream.js';
import { requireOtherOwners } from './accounts/deleteUser.js';
import type { ByteStream, IncomingDocument, Services } from './operation/operation.js';
import { importDocument, type ImportServices } from './operations/transfer/importDocument.js';

/** Read at a time. */
const PIECE_BYTES = 768 * 1024;

export interface OperatorParts extends ImportServices, Pick<Services, 'boards'> {
  /** For the entries that the directory has stored. */
  readonly writeToFile: (entry: AuditEntry) => void;
}

export function operatorServices(services: OperatorParts) {
  const { directory, boards, content, ids, now, report, writeToFile } = services;
  return {
    async deleteUser(id: Uuid, heirId: Uuid | null): Promise<void> {
      // Of a user who was deleted before, the boards are visited again.
      if (heirId === null && (await directory.ask('user.get', { id })) !== null) await requireOtherOwners(services, id);
      const at = now().toISOString();
      // Without the name, which is to be forgotten.
      const details = heirId === null ? {} : { heir_id: heirId };
      const entry = operatorEntry('user.deleted', { at, id: ids.fresh() }, { id, username: null }, details);
      await directory.ask('user.delete', { id, heir_id: heirId, now: at }, entry);
      writeToFile(entry);
    },

    async exportBoard(target: Uuid): Promise<{ readonly size: number; pieces(): AsyncIterable<Uint8Array> }> {
      const outcome = await boards.ask({ op: 'board.export', caller: 'system', target, input: {} });
      if (!outcome.ok) throw AppError.from(outcome.error);
      const document = await exportStream(bodyOf(outcome) ?? '', content);
      return { size: document.size, pieces: () => piecesOf(document) };
    },

    /** Resolves with the report as JSON. */
    async importBoard(ownerId: Uuid, document: IncomingDocument): Promise<string> {
      const importer = await directory.ask('user.get', { id: ownerId });
      if (importer === null) throw new AppError('not_found', 'User not found');
      if (!importer.is_active) throw new AppError('conflict', 'The owner of the board must be an active user');
      const boardId = ids.fresh();
      const entries: AuditEntry[] = [];
      const { json } = await importDocument(services, {
        importer,
        boardId,
        key: null,
        document,
        onMembers: (details) => {
          const position = { at: now().toISOString(), id: ids.fresh() };
          entries.push(operatorEntry('board.imported', position, { id: boardId, username: null }, { owner_id: ownerId, ...details }));
        },
      });
      // The board exists, so entries that cannot be stored now are no failure of the import.
      const stored = directory.ask('audit.add', { entries: entries.slice(0, AUDIT_BATCH) });
      await stored.catch((error: unknown) => report(error, 'the audit entries of an import were not stored'));
      for (const entry of entries) writeToFile(entry);
      return typeof json === 'string' ? json : Buffer.from(json ?? new Uint8Array()).toString();
    },
  };
}

async function* piecesOf({ size, read }: ByteStream): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < size; from += PIECE_BYTES) yield await read(from, Math.min(from + PIECE_BYTES, size));
}
