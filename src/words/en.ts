/**
 * English: the types of the keys and of what is filled in come from here. Apart from `{url}`, `{date}` and `{count}` all that is
 * filled in was written by users, and stands in quotation marks.
 */
export const en = {
  'mail.greeting': 'Hello “{name}”,',

  'reset.subject': 'Set a new password',
  'reset.text': 'a new password was asked for, for your account at {url}. With this link you can set it within an hour:',
  'reset.note': 'The link works once. If you did not ask for it, ignore this mail: your password stays as it is.',

  'verification.subject': 'Confirm your e-mail address',
  'verification.text': 'This e-mail address was given at {url} for the account “{name}”. If this was you, confirm the address within a day:',
  'verification.note': 'If it was not you, do not open the link.',

  'invitation.subject': 'You are invited',
  'invitation.text': '“{inviter}” invites you at {url}. With this link you can accept:',
  'invitation.toBoard': '“{inviter}” invites you to the board “{board}” at {url}. With this link you can accept:',
  'invitation.note': 'If you do not know who invites you, ignore this mail.',

  'address.subject': 'Your e-mail address was changed',
  'address.text': 'your account at {url} has another e-mail address now, and this one is no longer used.',
  'address.note': 'If you did not change it, tell the operator of the service at once.',

  'password.subject': 'Your password was changed',
  'password.text': 'the password of your account at {url} was changed.',
  'password.note': 'If you did not change it, set a new one with “Forgotten password”, and tell the operator of the service.',

  'notices.subject': 'Notices of your boards',
  'notices.count': { one: 'there is one notice for you:', other: 'there are {count} notices for you:' },
  'notices.more': 'There is more in your list of notices.',
  'notices.chosen': 'You chose at {url} to get notices by mail. With this link you get none any more:',

  'notice.assigned': 'You were assigned to “{title}”.',
  'notice.assignedBy': '“{name}” assigned you to “{title}”.',
  'notice.mentioned': 'You were mentioned in a comment on “{title}”.',
  'notice.mentionedBy': '“{name}” mentioned you in a comment on “{title}”.',
  'notice.commented': 'There is a new comment on “{title}”.',
  'notice.commentedBy': '“{name}” commented on “{title}”.',
  'notice.moved': '“{title}” was moved.',
  'notice.movedBy': '“{name}” moved “{title}”.',
  'notice.due': '“{title}” is due.',
  'notice.dueAt': '“{title}” is due: {date}.',
  'notice.invited': 'You are a member of another board now.',

  'unsubscribe.question': 'No more notices by mail?',
  'unsubscribe.lead': 'Your list of notices on the page stays as it is.',
  'unsubscribe.confirm': 'Send me no notices by mail',
  'unsubscribe.done': 'Done',
  'unsubscribe.told': 'You get no notices by mail any more. In your notification settings you can turn them on again.',
} as const;
