import { MAX_ON_ONE } from '../../domain/limits.js';
import { LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../domain/textLimits.js';

const inThousands = (number: number): string => number.toLocaleString('en-US');
const assignees = inThousands(MAX_ON_ONE.assignees);

/** The introduction of the API documentation. */
export const INTRODUCTION = `Shared task boards: boards hold ordered columns, columns hold ordered cards, and every change is pushed to every
client of the board over its WebSocket.

**Credentials.** Register, log in, and send the token as \`Authorization: Bearer …\` or in the cookie \`svc_auth\`; when both are sent
the header counts. From a page of another origin that is not named in \`CORS_ORIGINS\` (\`*\` names none) the cookie is good for
reading alone, and none is set. Press *Authorize* to try it here.

**Paths.** Every path is also served below \`/api\`.

**Errors** are JSON with one string, \`detail\`. Checks run in this order: the credential (401), the form of the ids in the path
(422), the existence of the resource (404), membership of its board (403), the role (403), and only then the body (400, 413, 415,
422). A JSON body has at most 1 MiB. A body that comes at less than 16 KiB a second is given up after some seconds (408). Unknown
fields are ignored. 405 comes with \`Allow\`; 429 and 503 with \`Retry-After\`. A user may have so many uploads, imports, exports and
searches for users under way at once (429 beyond it).

**Large events.** The event of a column carries its cards. One of 1 MiB or more reaches clients of the WebSocket that count events
(\`since\`) as a \`resync\`: they read the board anew. A client that reads more slowly than its board changes is disconnected.

**Limits.** A board has a largest size: in bytes of its JSON, cards, columns, labels, members, automation rules, items (with checklists
and attachments), and bytes of attachments. These are settings (\`MAX_BOARD_…\`). A card has at most ${MAX_ON_ONE.labels} labels, ${assignees} assignees, ${MAX_ON_ONE.checklists}
checklists and ${MAX_ON_ONE.attachments} attachments; a checklist has at most ${inThousands(MAX_ON_ONE.items)} items, an item ${assignees} assignees. A request that would exceed one of them
changes nothing and is answered with 409; \`detail\` names the limit and its value. A board that is larger already can be read, changed
and shrunk. A user creates at most \`MAX_BOARDS_PER_USER\` boards (409), and adds at most \`MAX_INVITES_PER_DAY\` members to boards in a
day, by invitations and imports (429, with the seconds to the next day in \`Retry-After\`).

**Partial updates.** An absent field stays as it is, \`null\` clears a field that can be empty, \`{}\` changes nothing.

**Ids** are UUIDs, **times** ISO 8601 in UTC. Titles and names are trimmed and have 1 to ${TITLE_CHARACTERS} characters; descriptions and contents have up to
${inThousands(LONG_TEXT_CHARACTERS)}.
`;
