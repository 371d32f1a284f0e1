/** German: every key of `en.ts`, no other. */
import type { Words } from './text.js';

export const de: Words = {
  'mail.greeting': 'Hallo „{name}“,',

  'reset.subject': 'Ein neues Passwort setzen',
  'reset.text': 'für Ihr Konto auf {url} wurde ein neues Passwort angefordert. Mit diesem Link können Sie es innerhalb einer Stunde setzen:',
  'reset.note': 'Der Link gilt einmal. Haben Sie ihn nicht angefordert, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',

  'verification.subject': 'Bestätigen Sie Ihre E-Mail-Adresse',
  'verification.text':
    'Diese E-Mail-Adresse wurde auf {url} für das Konto „{name}“ angegeben. Waren Sie das, bestätigen Sie die Adresse innerhalb eines Tages:',
  'verification.note': 'Waren Sie es nicht, öffnen Sie den Link nicht.',

  'invitation.subject': 'Sie sind eingeladen',
  'invitation.text': '„{inviter}“ lädt Sie zu {url} ein. Mit diesem Link nehmen Sie an:',
  'invitation.toBoard': '„{inviter}“ lädt Sie zum Board „{board}“ auf {url} ein. Mit diesem Link nehmen Sie an:',
  'invitation.note': 'Wissen Sie nicht, wer Sie einlädt, ignorieren Sie diese E-Mail.',

  'address.subject': 'Ihre E-Mail-Adresse wurde geändert',
  'address.text': 'Ihr Konto auf {url} hat jetzt eine andere E-Mail-Adresse, und diese hier wird nicht mehr verwendet.',
  'address.note': 'Haben Sie sie nicht geändert, sagen Sie es sofort dem Betreiber des Dienstes.',

  'password.subject': 'Ihr Passwort wurde geändert',
  'password.text': 'das Passwort Ihres Kontos auf {url} wurde geändert.',
  'password.note': 'Haben Sie es nicht geändert, setzen Sie mit „Passwort vergessen?“ ein neues, und sagen Sie es dem Betreiber des Dienstes.',

  'notices.subject': 'Mitteilungen Ihrer Boards',
  'notices.count': { one: 'es gibt eine Mitteilung für Sie:', other: 'es gibt {count} Mitteilungen für Sie:' },
  'notices.more': 'Weitere stehen in Ihrer Liste der Mitteilungen.',
  'notices.chosen': 'Sie haben auf {url} gewählt, Mitteilungen per E-Mail zu bekommen. Mit diesem Link bekommen Sie keine mehr:',

  'notice.assigned': '„{title}“ wurde Ihnen zugewiesen.',
  'notice.assignedBy': '„{name}“ hat Ihnen „{title}“ zugewiesen.',
  'notice.mentioned': 'Sie wurden in einem Kommentar zu „{title}“ erwähnt.',
  'notice.mentionedBy': '„{name}“ hat Sie in einem Kommentar zu „{title}“ erwähnt.',
  'notice.commented': 'Es gibt einen neuen Kommentar zu „{title}“.',
  'notice.commentedBy': '„{name}“ hat „{title}“ kommentiert.',
  'notice.moved': '„{title}“ wurde verschoben.',
  'notice.movedBy': '„{name}“ hat „{title}“ verschoben.',
  'notice.due': '„{title}“ ist fällig.',
  'notice.dueAt': '„{title}“ ist fällig: {date}.',
  'notice.invited': 'Sie sind jetzt Mitglied eines weiteren Boards.',

  'unsubscribe.question': 'Keine Mitteilungen mehr per E-Mail?',
  'unsubscribe.lead': 'Ihre Liste der Mitteilungen auf der Seite bleibt, wie sie ist.',
  'unsubscribe.confirm': 'Mitteilungen per E-Mail abbestellen',
  'unsubscribe.done': 'Erledigt',
  'unsubscribe.told': 'Sie bekommen keine Mitteilungen mehr per E-Mail. In Ihren Einstellungen für Mitteilungen können Sie sie wieder einschalten.',
};
