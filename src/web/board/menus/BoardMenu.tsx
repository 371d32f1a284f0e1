/** The ways to everything about the board that is not a card. */
import { useState } from 'preact/hooks';
import type { OpenBoard, PanelSection } from '../../state/openBoard.js';
import { Button } from '../../ui/form/Button.js';
import { lazy } from '../../ui/Lazy.js';
import { MenuItem, Popover } from '../../ui/Menu.js';
import { say } from '../../words/catalogue.js';
import { BoardPanel, WatchItem } from '../boardParts.js';

const BoardExport = lazy(() => import('../../panel/BoardExport.js'), 'BoardExport');
const BoardCopy = lazy(() => import('../../copying/BoardCopy.js'), 'BoardCopy');

/** The first thing that a new board needs is people. */
export function ShareButton({ open }: { readonly open: OpenBoard }) {
  const isAlone = (open.board.value?.members.length ?? 0) < 2;
  return (
    <Button icon="people" kind={isAlone ? 'primary' : 'plain'} onClick={() => (open.panel.value = 'members')}>
      {open.isOwner.value ? say('boardMenu.share') : say('boardMenu.members')}
    </Button>
  );
}

export function BoardMenu({ open }: { readonly open: OpenBoard }) {
  const [isExporting, setExporting] = useState(false);
  const [isCopying, setCopying] = useState(false);
  const board = open.board.value;
  return (
    <>
      <Popover icon="gear" label={say('boardMenu.label')} text={say('boardMenu.text')}>
        {(close) => {
          const show = (section: PanelSection) => (): void => {
            close();
            open.panel.value = section;
          };
          return (
            <>
              <MenuItem icon="people" onChoose={show('members')}>
                {say('boardMenu.members')}
              </MenuItem>
              <MenuItem icon="label" onChoose={show('labels')}>
                {say('boardMenu.labels')}
              </MenuItem>
              <MenuItem icon="rule" onChoose={show('rules')}>
                {say('boardMenu.rules')}
              </MenuItem>
              {open.isOwner.value && (
                <MenuItem icon="link" onChoose={show('webhooks')}>
                  {say('boardMenu.webhooks')}
                </MenuItem>
              )}
              <MenuItem icon="archive" onChoose={show('archive')}>
                {say('boardMenu.archive')}
              </MenuItem>
              {open.mayChange.value && (
                <MenuItem icon="trash" onChoose={show('trash')}>
                  {say('boardMenu.trash')}
                </MenuItem>
              )}
              <MenuItem icon="clock" onChoose={show('activity')}>
                {say('boardMenu.activity')}
              </MenuItem>
              <MenuItem icon="text" onChoose={show('about')}>
                {say('boardMenu.about')}
              </MenuItem>
              <MenuItem
                icon="copy"
                onChoose={() => {
                  close();
                  setCopying(true);
                }}
              >
                {say('common.copy')}
              </MenuItem>
              <MenuItem
                icon="download"
                onChoose={() => {
                  close();
                  setExporting(true);
                }}
              >
                {say('boardMenu.export')}
              </MenuItem>
              {board !== null && <WatchItem kind="board" id={board.id} onChosen={close} />}
            </>
          );
        }}
      </Popover>
      {isCopying && board !== null && <BoardCopy boardId={board.id} title={board.title} onClose={() => setCopying(false)} />}
      {isExporting && board !== null && <BoardExport boardId={board.id} title={board.title} onClose={() => setExporting(false)} />}
    </>
  );
}

/** The panel itself, which belongs beside the board. */
export function OpenPanel({ open }: { readonly open: OpenBoard }) {
  const section = open.panel.value;
  if (section === null) return null;
  return <BoardPanel open={open} section={section} onClose={() => (open.panel.value = null)} />;
}
