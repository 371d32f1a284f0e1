import type { DirectoryWrite } from '../../domain/ports/directoryCommit.js';
import type { Journal } from '../sqlite/journal.js';

export type DirectoryJournal = Journal<DirectoryWrite>;
