import { MAX_ON_ONE } from '../../domain/limits.js';
import { LONG_TEXT_CHARACTERS, TITLE_CHARACTERS } from '../../domain/textLimits.js';

const inThousands = (number: number): string => number.toLocaleString('en-US');
const assignees = inThousands(MAX_ON_ONE.assignees);

/** The introduction of the API documentation. */
export const INTRODUCTION = `Shared task boards: boards hold ordered columns, columns hold ordered cards, and every change is pushed to every
client of the board over its WebSocket.

**Credentials.** Register, log in, and send the token as \`Authorization: Bearer …\` or in the cookie \`svc_auth\`. If a request has
both, the header takes precedence. For a page of another origin that \`CORS_ORIGINS\` does not name (\`*\` names none) the cookie
authenticates only reads, and the service sets no cookie. Press *Authorize* to try it here.

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
boards per day, by invitations and imports (429, with the seconds until the next day in \`Retry-After\`).

**Partial updates.** An absent field stays unchanged, \`null\` clears a nullable field, \`{}\` changes nothing.

**Ids** are UUIDs, **times** ISO 8601 in UTC. Titles and names are trimmed and have 1 to ${TITLE_CHARACTERS} characters; descriptions and contents have up to
${inThousands(LONG_TEXT_CHARACTERS)}.
`;
