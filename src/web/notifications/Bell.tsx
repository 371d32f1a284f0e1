/** The bell of the header: how many notices are unread, and the latest ones. */
import { useEffect } from 'preact/hooks';
import { Icon } from '../ui/Icon.js';
import { lazy } from '../ui/Lazy.js';
import { Popover } from '../ui/Menu.js';
import { say } from '../words/catalogue.js';
import { followNotifications, unreadCount } from './notifications.js';

const NotificationList = lazy(() => import('./NotificationList.js'), 'NotificationList');

/** More are not told apart at a glance. */
const MAX_SHOWN = 99;

export function Bell() {
  useEffect(followNotifications, []);
  const count = unreadCount.value;
  const face = (
    <>
      <Icon name="bell" />
      {count > 0 && (
        <span class="bell-count" aria-hidden="true">
          {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
        </span>
      )}
    </>
  );
  return (
    <Popover face={face} label={count === 0 ? say('bell.title') : say('bell.unread', { count })} class="bell">
      {(close) => <NotificationList onLeave={close} />}
    </Popover>
  );
}
