import { archiveCard } from '../../activity/loadUndoing.js';
import type { Card } from '../../../client/index.js';
import { cardPath, navigate } from '../../state/route.js';
import { keepFocusAfterRemoval } from '../../ui/keepFocus.js';
import { MenuItem, Popover } from '../../ui/Menu.js';
import { say } from '../../words/catalogue.js';
import { useBoard, type CardQuestion } from '../boardContext.js';
import { copy } from '../../copying/loadCopying.js';

export function CardMenu({ card }: { readonly card: Card }) {
  const { open, ask } = useBoard();
  return (
    <div class="card-menu" data-no-drag>
      <Popover icon="dots" label={say('card.actions', { title: card.title })}>
        {(close) => {
          const choose = (act: () => void) => (): void => {
            close();
            act();
          };
          const askAbout = (kind: CardQuestion['kind']) => choose(() => ask({ kind, cardId: card.id }));
          return (
            <>
              <MenuItem icon="text" onChoose={() => navigate(cardPath(card.board_id, card.id))}>
                {say('card.open')}
              </MenuItem>
              <MenuItem icon="pencil" onChoose={choose(() => (open.renaming.value = card.id))}>
                {say('card.rename')}
              </MenuItem>
              <MenuItem icon="user" onChoose={choose(() => open.toggleMe(card))}>
                {open.isMine(card) ? say('card.takeMeOff') : say('card.assignMe')}
              </MenuItem>
              <MenuItem icon="label" onChoose={askAbout('labels')}>
                {say('card.chooseLabels')}
              </MenuItem>
              <MenuItem icon="move" onChoose={askAbout('move')}>
                {say('card.moveTo')}
              </MenuItem>
              <MenuItem icon="board" onChoose={askAbout('otherBoard')}>
                {say('card.moveToBoard')}
              </MenuItem>
              <MenuItem icon="copy" onChoose={choose(() => copy(async ({ copyCard }) => copyCard(open, card)))}>
                {say('common.copy')}
              </MenuItem>
              <MenuItem
                icon="archive"
                onChoose={choose(() => {
                  keepFocusAfterRemoval(document.querySelector(`.column [data-card-id="${card.id}"]`));
                  archiveCard(open, card);
                })}
              >
                {say('common.archive')}
              </MenuItem>
              <MenuItem icon="trash" isDanger onChoose={askAbout('delete')}>
                {say('common.delete')}
              </MenuItem>
            </>
          );
        }}
      </Popover>
    </div>
  );
}
