import { useEffect, useRef, useState } from 'preact/hooks';
import { offerRestore } from './loadRestoring.js';
import { deleteBoard, renameBoard, starBoard, type ListedBoard } from '../state/boardList.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { boardPath } from '../state/route.js';
import { Avatar } from '../ui/Avatar.js';
import { BoardMark } from '../ui/BoardMark.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { IconButton } from '../ui/form/Button.js';
import { InlineText } from '../ui/form/InlineText.js';
import { lazy } from '../ui/Lazy.js';
import { MenuItem, Popover } from '../ui/Menu.js';
import { say, sayWith } from '../words/catalogue.js';

const BoardExport = lazy(() => import('../panel/BoardExport.js'), 'BoardExport');

const MAX_FACES = 5;

type Doing = 'renaming' | 'exporting' | 'asking';

export function BoardTile({ board }: { readonly board: ListedBoard }) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const { members, title, is_starred, last_activity_at } = board;
  const stop = (): void => setDoing(null);
  const link = useRef<HTMLAnchorElement>(null);
  const wasRenaming = useRef(false);
  useEffect(() => {
    if (wasRenaming.current && document.activeElement === document.body) link.current?.focus();
    wasRenaming.current = doing === 'renaming';
  }, [doing]);
  return (
    <li class="tile">
      <div class="tile-head">
        <BoardMark color={board.color} icon={board.icon} />
        {doing === 'renaming' ? (
          <InlineText
            class="tile-title"
            value={title}
            label={say('board.title')}
            isOpen
            onChange={(next, isOvertaken) => void renameBoard(board, next, isOvertaken)}
            onEnd={stop}
          />
        ) : (
          <a ref={link} class="tile-title" href={boardPath(board.id)} dir="auto">
            {title}
          </a>
        )}
      </div>
      {board.description !== null && (
        <p class="tile-text" dir="auto">
          {board.description}
        </p>
      )}
      <span role="status">
        {board.news !== null && (
          <span class="news" dir="auto">
            {board.news}
          </span>
        )}
      </span>
      <div class="tile-facts">
        <span class="faces" aria-label={say('boards.members', { count: members.length })} role="group">
          {members.slice(0, MAX_FACES).map(({ user_id, user }) => (
            <Avatar key={user_id} id={user_id} user={user} isSmall />
          ))}
          {members.length > MAX_FACES && <span class="fact">+{members.length - MAX_FACES}</span>}
        </span>
        <time class="hint" dateTime={last_activity_at} title={say('boards.lastActivity', { time: exactTime(last_activity_at) })}>
          {relativeTime(last_activity_at)}
        </time>
      </div>
      <div class="tile-menu">
        <IconButton
          class="star"
          icon="star"
          label={say(is_starred ? 'boards.unstar' : 'boards.star', { title })}
          aria-pressed={is_starred}
          onClick={() => void starBoard(board)}
        />
        <Popover icon="dots" label={say('boards.actions', { title })}>
          {(close) => {
            const begin = (what: Doing) => (): void => {
              close();
              setDoing(what);
            };
            return (
              <>
                {board.role === 'owner' && (
                  <MenuItem icon="pencil" onChoose={begin('renaming')}>
                    {say('boards.rename')}
                  </MenuItem>
                )}
                <MenuItem icon="download" onChoose={begin('exporting')}>
                  {say('boards.export')}
                </MenuItem>
                {board.role === 'owner' && (
                  <MenuItem icon="trash" isDanger onChoose={begin('asking')}>
                    {say('common.delete')}
                  </MenuItem>
                )}
              </>
            );
          }}
        </Popover>
      </div>
      {doing === 'exporting' && <BoardExport boardId={board.id} title={title} onClose={stop} />}
      {doing === 'asking' && (
        <ConfirmDialog
          title={say('boards.deleteQuestion')}
          text={sayWith('boards.deleteText', { title: <bdi>{title}</bdi>, count: members.length })}
          action={say('boards.deleteIt', { title })}
          onClose={stop}
          onConfirm={() => void remove(board)}
        />
      )}
    </li>
  );
}

async function remove(board: ListedBoard): Promise<void> {
  if (await deleteBoard(board)) offerRestore(board.id, board.title);
}
