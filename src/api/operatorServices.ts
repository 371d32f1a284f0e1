/** What the operator of the machine may do to any user and board, without an account. */
import { operatorEntry } from '../domain/audit.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { bodyOf } from '../domain/ports/boardsPort.js';
import { exportStream } from '../transfer/exportStream.js';
import { requireOtherOwners } from './deleteUser.js';
import type { ByteStream, IncomingDocument, Services } from './operation.js';
import { importDocument, type ImportServices } from './operations/importDocument.js';

export type OperatorParts = ImportServices & Pick<Services, 'boards'>;

export function operatorServices(services: OperatorParts) {
  const { directory, boards, content, ids, now } = services;
  return {
    async deleteUser(id: Uuid, heirId: Uuid | null): Promise<void> {
      // Of a user who was deleted before, the boards are visited again.
      if (heirId === null && (await directory.ask('user.get', { id })) !== null) await requireOtherOwners(services, id);
      const at = now().toISOString();
      // Without the name, which is to be forgotten.
      const entry = operatorEntry('user.deleted', { at, id: ids.fresh() }, { id, username: null });
      await directory.ask('user.delete', { id, heir_id: heirId, now: at }, entry);
    },

    async exportBoard(target: Uuid): Promise<ByteStream> {
      const outcome = await boards.ask({ op: 'board.export', caller: 'system', target, input: {} });
      if (!outcome.ok) throw AppError.from(outcome.error);
      return exportStream(bodyOf(outcome) ?? '', content);
    },

    /** Resolves with the report as JSON. */
    async importBoard(ownerId: Uuid, document: IncomingDocument): Promise<string> {
      const importer = await directory.ask('user.get', { id: ownerId });
      if (importer === null) throw new AppError('not_found', 'User not found');
      if (!importer.is_active) throw new AppError('conflict', 'The owner of the board must be an active user');
      const { json } = await importDocument(services, { importer, boardId: ids.fresh(), key: null, document });
      return typeof json === 'string' ? json : Buffer.from(json ?? new Uint8Array()).toString();
    },
  };
}
