/** The tables of the directory, and how a write of a commit reaches them. */
import type { Database } from 'better-sqlite3';
import type { DirectoryWrite } from '../../../domain/ports/directoryCommit.js';
import { unknownWrite } from '../../sqlite/journal.js';
import { AnswerTable } from '../../sqlite/answerTable.js';
import { AuditTable } from './audit.js';
import { ApiKeyTable } from './apiKeys.js';
import { DeletedUsers } from './deletedUsers.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { FactorTable } from './factors.js';
import { IdentityTable } from './identities.js';
import { InvitationTable } from './invitations.js';
import { MembershipTable } from './memberships.js';
import { PendingProfiles } from './pendingProfiles.js';
import { Quotas } from './quotas.js';
import { SessionTable } from './sessions.js';
import { SpentTokens } from './spentTokens.js';
import { UserTable } from './users.js';

export class DirectoryTables {
  readonly users: UserTable;
  readonly memberships: MembershipTable;
  readonly pending: PendingProfiles;
  readonly quotas: Quotas;
  readonly invitations: InvitationTable;
  readonly answers: AnswerTable;
  readonly sessions: SessionTable;
  readonly spent: SpentTokens;
  readonly factors: FactorTable;
  readonly audit: AuditTable;
  readonly identities: IdentityTable;
  readonly keys: ApiKeyTable;
  readonly deleted: DeletedUsers;

  constructor(db: Database, journal: DirectoryJournal) {
    this.users = new UserTable(db, journal);
    this.memberships = new MembershipTable(db, journal);
    this.pending = new PendingProfiles(db, journal);
    this.quotas = new Quotas(db, journal);
    this.invitations = new InvitationTable(db, journal);
    this.answers = new AnswerTable(db, journal);
    this.sessions = new SessionTable(db, journal);
    this.spent = new SpentTokens(db, journal);
    this.factors = new FactorTable(db, journal);
    this.identities = new IdentityTable(db, journal);
    this.keys = new ApiKeyTable(db, journal);
    this.deleted = new DeletedUsers(db, journal);
    this.audit = new AuditTable(db, journal, (id) => this.deleted.get(id) !== null);
  }

  execute(write: DirectoryWrite): void {
    switch (write.op) {
      case 'user.insert':
        return this.users.insert(write.user, write.email_key, write.username_key);
      case 'user.update':
        return this.users.replace(write.user);
      case 'user.remove':
        return this.users.remove(write.id);
      case 'deleted.put':
        return this.deleted.put(write.deleted);
      case 'session.put':
        return this.sessions.put(write.session);
      case 'session.remove':
        return this.sessions.removeAll(write.ids);
      case 'session.seen':
        return this.sessions.setSeen(write.ids, write.at);
      case 'token.put':
        return this.spent.put(write.hash, write.expires_at);
      case 'token.remove':
        return this.spent.removeAll(write.hashes);
      case 'factor.put':
        return this.factors.put(write.factor);
      case 'factor.remove':
        return this.factors.remove(write.user_id);
      case 'audit.add':
        return this.audit.insert(write.entries);
      case 'audit.remove':
        return this.audit.removeAll(write.entries);
      case 'audit.forget':
        return this.audit.forget(write.user_id);
      case 'identity.put':
        return this.identities.put(write.identity);
      case 'identity.remove':
        return this.identities.removeOf(write.user_id);
      case 'key.put':
        return this.keys.put(write.key);
      case 'key.remove':
        return this.keys.removeAll(write.ids);
      case 'key.used':
        return this.keys.setUsed(write.ids, write.at);
      case 'membership.put':
        return this.memberships.put(write.membership);
      case 'board.delete':
        return this.memberships.removeBoard(write.board_id);
      case 'created.add':
        return this.quotas.addBoard(write.board_id, write.user_id, write.at);
      case 'created.remove':
        return this.quotas.releaseBoard(write.board_id);
      case 'granted.set':
        return this.quotas.setGranted(write.user_id, write.day, write.count);
      case 'pending.add':
        return this.pending.insert(write.id, write.user_id);
      case 'pending.remove':
        return this.pending.remove(write.id);
      case 'invitation.put':
        return this.invitations.put(write.invitation);
      case 'invitation.remove':
        return this.invitations.remove(write.id);
      case 'answer.add':
      case 'answer.remove':
        return this.answers.execute(write);
      default:
        return unknownWrite(write);
    }
  }
}
