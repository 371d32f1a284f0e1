/** The directory's file that follows a replicated log. */
import { join } from 'node:path';
import type { DirectoryWrite } from '../../domain/directory/tables.js';
import type { LogIdentity } from '../../domain/ports/partitionLog.js';
import { DIRECTORY_FILE } from '../folder/dataFolder.js';
import { PartitionCopy } from '../transactions/partitionCopy.js';
import { Directory } from './directory.js';
import { decodeDirectoryCommit, encodeDirectoryCommit, type SecretSeal } from './directoryCommitCodec.js';

export interface DirectoryCopyOptions {
  readonly dataDir: string;
  /** The id of the folder, which the file must carry. */
  readonly folder: string;
  readonly identity: LogIdentity;
  readonly seal: SecretSeal;
  readonly onError: (error: unknown) => void;
}

export type DirectoryCopy = PartitionCopy<DirectoryWrite, Directory>;

export function openDirectoryCopy({ dataDir, folder, identity, seal, onError }: DirectoryCopyOptions): DirectoryCopy {
  return PartitionCopy.open<DirectoryWrite, Directory>({
    file: join(dataDir, DIRECTORY_FILE),
    kind: 'directory',
    name: `the data folder ${dataDir}`,
    folder,
    identity,
    codec: { encode: (commit) => encodeDirectoryCommit(commit, seal), decode: (content) => decodeDirectoryCommit(content, seal) },
    openStore: (db, lock, transactions) => new Directory(db, lock, { onError, isLent: true, transactions }),
  });
}
