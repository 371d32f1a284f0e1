import { HOUR_MS } from '../../domain/content/time.js';
import { ANSWER_LIFETIME_MS, LEFT_KEPT, MAX_KEPT_CHARACTERS, MAX_KEY_CHARACTERS } from '../../domain/idempotency.js';
import { MAX_ON_ONE } from '../../domain/limits.js';
import { CARD_TEXT_CHARACTERS, LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../domain/textLimits.js';

const MIB = 1024 * 1024;
const hours = ANSWER_LIFETIME_MS / HOUR_MS;
const inThousands = (number: number): string => number.toLocaleString('en-US');
const assignees = inThousands(MAX_ON_ONE.assignees);

/** The introduction of the API documentation. */
export const INTRODUCTION = `Shared task boards: boards hold ordered columns, columns hold ordered cards, and every change is pushed to every
client of the board over its WebSocket.

**Credentials.** Register, log in, and send the token as \`Authorization: Bearer …\` or in the cookie \`svc_auth\`. If a request has
both, the header takes precedence. For a page of another origin that \`CORS_ORIGINS\` does not name (\`*\` names none) the cookie
authenticates only reads, and the service sets no cookie. A request with the header \`Expected-User\` and the id of a user is refused with 401 if it
is that of another, unless the operation is public: a browser has one cookie for all its windows. Press *Authorize* to try it here.

**Sessions.** A login begins a session. Its access token is valid for an hour by default; before that, exchange the refresh token of
the login at \`POST /auth/refresh\` for a new pair. A session lasts \`SESSION_LIFETIME_DAYS\` from its login. Logout, a new password,
deactivation and demotion end sessions at once, with their sockets and streams; a client whose refresh is answered with 401 must
log in again. With single sign-on (OpenID Connect, if configured: \`GET /auth/methods\`) a browser begins its session at
\`GET /auth/sso/login\`.

**API keys.** A program uses a key (\`swb_…\`, from \`POST /auth/keys\`) wherever a token is used: in the header, as the parameter
\`token\` or the subprotocol of a socket, and in \`auth\`. It acts as its user, with the scopes that it was given: \`read\` for \`GET\`,
sockets and streams; \`write\` for everything else, and it includes \`read\`; \`admin\` besides one of these for what only superusers
may do, as long as the user is one. Without the scope the answer is 403, and \`detail\` names it. A key of some boards acts as if its
user were on these alone: elsewhere it gets 403 whether the resource exists or not, lists show no other boards, and operations that
are about no board are refused, except \`GET /auth/me\`, \`/users\` and invitations to its boards. Under \`/auth\` a key gets 403
except for \`GET /auth/me\`. Revocation and deactivation of its user stop a key at once, with its sockets and streams; a new password
does not.

**Roles.** On a board, an \`owner\` may do everything; a \`member\` changes what is on it; a \`commenter\` reads it and comments; a
\`viewer\` reads it. Each may do what those after it may; all of them follow the board, appear in its presence, export it and leave it.
Only owners and members can be assigned, and send signals. A client that meets another role treats it like a viewer. A new role holds at
once, for open sockets and API keys too.

**Deleted users.** An administrator can delete a user. The boards stay as they are, without the user among members and assignees; \`created_by\`,
\`updated_by\` and \`user_id\` keep the id, which then belongs to nobody: \`GET /users/{user_id}\` answers 404, and a client shows *a deleted user*.
Where a user object is shown all the same, as in the last events, it has the id and the username \`deleted user\`. A client that was away
meanwhile gets \`resync\`.

**Paths.** Every path is also served under \`/api\`.

**Errors** are JSON with one string, \`detail\`. Checks run in this order: the credential (401), the format of the ids in the path
(422), the existence of the resource (404), membership of its board (403), the role (403), and only then the body (400, 413, 415,
422). A JSON body has at most 1 MiB. A body that arrives at less than 16 KiB per second is refused after some seconds (408). Unknown
fields are ignored. 405 has the header \`Allow\`; 429 and 503 have \`Retry-After\`. The uploads, imports, exports and user searches
that a user runs at the same time are limited (429).

**Large events.** The event of a column contains its cards. If it has 1 MiB or more, a WebSocket client that connected with \`since\`
gets \`resync\` instead and must read the board again. A client that reads more slowly than its board changes is disconnected.

**Limits.** A board has a maximum size: in bytes of its JSON, cards, columns, labels, members, automation rules, items (with checklists
and attachments), and bytes of attachments. These are settings (\`MAX_BOARD_…\`). A card has at most ${MAX_ON_ONE.labels} labels, ${assignees} assignees, ${MAX_ON_ONE.checklists}
checklists and ${MAX_ON_ONE.attachments} attachments; a checklist has at most ${inThousands(MAX_ON_ONE.items)} items, an item ${assignees} assignees. A request that would exceed one of them
changes nothing and gets 409; \`detail\` names the limit and its value. A board that is already larger can be read, changed
and made smaller. A user creates at most \`MAX_BOARDS_PER_USER\` boards (409), and adds at most \`MAX_INVITES_PER_DAY\` members to
boards per day, by invitations and imports (429, with the seconds until the next day in \`Retry-After\`). A user changes their names
at most \`MAX_PROFILE_CHANGES_PER_MINUTE\` times a minute (429).

**Safe retries.** A request that changes something may carry the header \`Idempotency-Key\`: 1 to ${MAX_KEY_CHARACTERS} visible characters, a new one for each
change, best a random UUID. If no answer came, send the same request with the same key again. It is carried out once: its first
success is kept for ${hours} hours in the same commit as the change, and a repetition gets the same answer with \`Idempotency-Replayed:
true\`, also after a restart and through another instance. If the first request is still under way, the second waits for it. A
refusal is not kept: the request may be repeated. Keys belong to the caller. The same key with another method, path or body is
refused (422) where its first use is known: on the same board, and for users. The caller's access is checked first: who has left
a board gets 403, not the kept answer. A repeated \`DELETE\` is answered 204 again although the thing, or its board, is gone. An
answer of more than ${inThousands(MAX_KEPT_CHARACTERS)} characters is not kept as text: its repetition shows the resource as it is now. Of one caller at least
the latest ${LEFT_KEPT.answers} answers, or ${LEFT_KEPT.bytes / MIB} MiB of them, are kept in each part of the data. Answers with a secret, such as that of a login, are never kept.
If the key is a version 4 UUID, the first thing that the request creates on a board (a column, card, label, checklist, item, rule,
comment or attachment) gets the first 48 bits of the board's id followed by the last 80 bits of the key as its id. So it is not created twice
although its answer is no longer kept: its creator, who may still create it, gets it as it is now (200, \`Idempotency-Replayed: true\`), on the
board or in the archive, for the same kind in the same parent. A key whose id something else has is refused (422), and one whose id something had that
was deleted (409), as long as the events, the trash or the history of the board name it. A board is created once with each key of a user. Every answer to a change of a board has the board's position after the change in \`Board-Position\`: an event with this
number or a higher one shows that the change has arrived.

**Partial updates.** An absent field stays unchanged, \`null\` clears a nullable field, \`{}\` changes nothing.

**Ids** are UUIDs, **times** ISO 8601 in UTC. Titles and names are trimmed and have 1 to ${TITLE_CHARACTERS} characters; descriptions of cards and comments
have up to ${inThousands(CARD_TEXT_CHARACTERS)}, descriptions of boards and contents of items up to ${inThousands(LONG_TEXT_CHARACTERS)}.
`;
