import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keepCopy, removeCopy } from './boardCopies.js';
import type { OpenBoard } from '../state/openBoard.js';
import { currentUser } from '../state/session.js';

/** Changes of a busy board are kept together. */
const PAUSE_MS = 2_000;

/** Keeps a copy of the board as the service has it, and drops it when the board is lost. */
export function useCopyOf(open: OpenBoard): void {
  useEffect(() => {
    const user = currentUser();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isKept = false;
    const keep = (): void => {
      timer = null;
      isKept = true;
      const board = open.confirmed();
      if (board !== null) void keepCopy(user, board);
    };
    const stop = effect(() => {
      const [state, board] = [open.state.value, open.board.value];
      if (state.kind === 'closed' && state.cause !== 'left') void removeCopy(open.id);
      if (state.kind === 'live' && board !== null && timer === null) timer = setTimeout(keep, isKept ? PAUSE_MS : 0);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [open]);
}
