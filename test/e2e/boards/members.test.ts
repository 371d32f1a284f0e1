import t from 'tap';
import { randomUUID } from 'node:crypto';
import { recordBoard, nextEvent } from '../../support/realtime/boardRecorder.js';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, send } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { newUser, type TestUser } from '../../support/http/users.js';

const world = await enterWorld();
const { api, owner, member, helper, stranger } = world;

async function roleInList(user: TestUser, boardId: string): Promise<string | undefined> {
  const list = await send<Array<{ id: string; role: string }>>(world, user, 'GET /boards');
  return list.find(({ id }) => id === boardId)?.role;
}

t.test('MEMBER1 an invited user becomes a member, every member gets the event, and the board is on the list of the user', async (t) => {
  const { board, card } = await populate(world);
  const guest = await newUser(api);
  await board.play(t, {
    as: owner,
    request: `POST /boards/${board.id}/invite`,
    json: { user_id: guest.id.toUpperCase(), board_id: randomUUID() },
    status: 200,
    answer: { user_id: guest.id, role: 'member' },
    events: [emitted('board.member_added', owner, guest.id)],
  });
  t.equal(await roleInList(guest, board.id), 'member');
  t.equal((await board.do<CardJson>(guest, `GET /cards/${card.id}`)).id, card.id);
});

t.test('MEMBER1 an invitation names another role, and a role that is none is refused', async (t) => {
  const { board } = await populate(world);
  const request = `POST /boards/${board.id}/invite`;
  for (const role of ['owner', 'member', 'commenter', 'viewer']) {
    const guest = await newUser(api);
    const events = [emitted('board.member_added', owner, guest.id)];
    await board.play(t, { as: owner, request, json: { user_id: guest.id, role }, status: 200, answer: { user_id: guest.id, role }, events });
    t.equal(await roleInList(guest, board.id), role);
  }
  const { id: user_id } = await newUser(api);
  await board.refuse(
    t,
    [null, 'admin', ['viewer']].map((role) => ({ as: owner, request, json: { user_id, role }, status: 422, detail: /^role: / })),
  );
});

t.test('MEMBER5 roles of viewers and commenters are given and taken by owners, with their assignments', async (t) => {
  const { board, card } = await populate(world);
  const request = `PATCH /boards/${board.id}/members/${helper.id}`;
  await board.do(owner, request, { role: 'viewer' });
  t.strictSame((await board.card(card.id)).assignees, []);
  const assign = {
    as: member,
    request: `PUT /cards/${card.id}/assignees`,
    json: { user_ids: [helper.id] },
    status: 403,
    detail: /cannot be assigned/,
  };
  await board.refuse(t, [assign, { as: member, request, json: { role: 'member' }, status: 403, detail: /owner/ }]);
  await board.do(owner, request, { role: 'commenter' });
  await board.refuse(t, [
    { ...assign, as: owner },
    { as: helper, request: `PATCH /cards/${card.id}`, json: {}, status: 403, detail: /commenter/ },
  ]);
  await board.do(owner, request, { role: 'member' });
  await board.do(helper, `PUT /cards/${card.id}/assignees`, { user_ids: [helper.id] });
});

t.test('MEMBER1 inviting an unknown user or an existing member is refused', async (t) => {
  const { board } = await populate(world);
  const scene = { as: owner, request: `POST /boards/${board.id}/invite` };
  await board.refuse(t, [
    { ...scene, json: { user_id: randomUUID() }, status: 404, detail: /User/ },
    { ...scene, json: { user_id: board.id }, status: 404, detail: /User/ },
    { ...scene, json: { user_id: member.id }, status: 409 },
    { ...scene, json: { user_id: owner.id }, status: 409 },
    { ...scene, json: {}, status: 422, detail: /^user_id/ },
    ...[null, 'x', 7, [stranger.id], member.email].map((user_id): Scene => {
      return { ...scene, json: { user_id }, status: 422, detail: /^user_id/ };
    }),
  ]);
});

t.test('BOARD3 members are listed in order of joining, with their public profiles', async (t) => {
  const { board } = await populate(world);
  const members = await board.do<BoardJson['members']>(member, `GET /boards/${board.id}/members`);
  t.strictSame(members, (await board.look()).board.members);
  t.strictSame(
    members.map(({ user_id, role }) => [user_id, role]),
    [
      [owner.id, 'owner'],
      [member.id, 'member'],
      [helper.id, 'member'],
    ],
  );
  const { body: account } = await api.request<object>('GET', '/auth/me', { token: member.token });
  t.strictSame(members[1]?.user, publicPart(account));
});

t.test('MEMBER4 removing a member first removes the assignments, one event each, then the member', async (t) => {
  const { board, card, plainCard, lastItem, item, rule } = await populate(world);
  await board.do(owner, `PATCH /automations/${rule.id}`, { is_enabled: true });
  await board.do(owner, `PUT /cards/${plainCard.id}/assignees`, { user_ids: [member.id, helper.id] });
  await board.do(owner, `PUT /items/${lastItem.id}/assignees`, { user_ids: [helper.id] });
  const recording = recordBoard(world, board.id);
  const { after } = await board.play(t, {
    as: owner,
    request: `DELETE /boards/${board.id}/members/${helper.id}`,
    status: 204,
    events: [
      { ...emitted('card.unassigned', owner, card.id), passing: { assignees: [] } },
      emitted('checklist_item.unassigned', owner, item.id),
      emitted('checklist_item.unassigned', owner, lastItem.id),
      emitted('card.unassigned', owner, plainCard.id),
      emitted('board.member_removed', owner, helper.id),
    ],
  });
  recording.stop();
  t.match(recording.messages.at(-1), { kind: 'left', user_ids: [helper.id] }, 'their sockets can be closed');
  t.match(after?.rules, [{ id: rule.id, action_user_id: null, is_enabled: false }]);
  t.equal(await roleInList(helper, board.id), undefined);
  await board.refuse(t, [{ as: helper, request: `GET /boards/${board.id}`, status: 403 }]);
});

t.test('MEMBER5 a member can leave but not remove others', async (t) => {
  const { board, card, item } = await populate(world);
  await board.refuse(t, [
    { as: member, request: `DELETE /boards/${board.id}/members/${helper.id}`, status: 403 },
    { as: member, request: `DELETE /boards/${board.id}/members/${owner.id}`, status: 403 },
    { as: stranger, request: `DELETE /boards/${board.id}/members/${helper.id}`, status: 403 },
    { as: stranger, request: `DELETE /boards/${board.id}/members/${stranger.id}`, status: 404 },
  ]);
  await board.play(t, {
    as: helper,
    request: `DELETE /boards/${board.id}/members/${helper.id}`,
    status: 204,
    events: [
      { ...emitted('card.unassigned', helper, card.id), passing: { assignees: [] } },
      emitted('checklist_item.unassigned', helper, item.id),
      emitted('board.member_removed', helper, helper.id),
    ],
  });
  await board.refuse(t, [{ as: helper, request: `DELETE /boards/${board.id}/members/${helper.id}`, status: 404 }]);
});

t.test('MEMBER5 a user who is not a member can be neither removed nor given a role', async (t) => {
  const { board } = await populate(world);
  const scenes = [stranger.id, randomUUID(), board.id].flatMap((id): Scene[] => [
    { as: owner, request: `DELETE /boards/${board.id}/members/${id}`, status: 404 },
    { as: owner, request: `PATCH /boards/${board.id}/members/${id}`, json: { role: 'owner' }, status: 404 },
  ]);
  await board.refuse(t, scenes);
});

t.test('MEMBER5 the last owner cannot leave; with a second owner the first can', async (t) => {
  const { board } = await populate(world);
  const ofOwner = `/boards/${board.id}/members/${owner.id}`;
  await board.refuse(t, [
    { as: owner, request: `DELETE ${ofOwner}`, status: 409 },
    { as: owner, request: `PATCH ${ofOwner}`, json: { role: 'member' }, status: 409 },
  ]);
  await promote(board, member);
  board.witness = member;
  await board.play(t, {
    as: owner,
    request: `DELETE ${ofOwner}`,
    status: 204,
    events: [emitted('board.member_removed', owner, owner.id)],
  });
  t.equal(await roleInList(owner, board.id), undefined);
  await board.refuse(t, [{ as: member, request: `DELETE /boards/${board.id}/members/${member.id}`, status: 409 }]);
});

t.test('MEMBER5 a new role emits board.updated, and the answer is the member', async (t) => {
  const { board } = await populate(world);
  const request = `PATCH /boards/${board.id}/members/${member.id}`;
  const events = [emitted('board.updated', owner, board.id)];
  const toOwner = { as: owner, request, json: { role: 'owner', user_id: stranger.id }, status: 200, events };
  await board.play(t, { ...toOwner, answer: { user_id: member.id, role: 'owner' } });
  t.equal(await roleInList(member, board.id), 'owner');
  const asOwner = { as: member, request: `PATCH /boards/${board.id}`, json: { title: 'Ours' }, status: 200 };
  await board.play(t, { ...asOwner, events: [emitted('board.updated', member)] });
  const toMember = { as: member, request, json: { role: 'member' }, status: 200 };
  await board.play(t, { ...toMember, answer: { role: 'member' }, events: [emitted('board.updated', member, board.id)] });
  t.equal(await roleInList(member, board.id), 'member');
  const bad = [{}, { role: null }, { role: 'admin' }, { role: 'superuser' }, { role: ['owner'] }, { role: 1 }];
  await board.refuse(t, [{ ...asOwner, status: 403 }, ...bad.map((json): Scene => ({ as: owner, request, json, status: 422, detail: /^role/ }))]);
});

t.test('MEMBER9 a changed profile is on every board of the user when the change is answered', async (t) => {
  const guest = await newUser(api);
  const boards = await Promise.all(Array.from({ length: 3 }, () => send<BoardJson>(world, guest, 'POST /boards', { title: 'Their own' })));
  for (const firstname of ['Zoë', 'Zora']) {
    await api.request('PATCH', '/auth/me', { token: guest.token, json: { firstname } });
    const shown = await Promise.all(boards.map(({ id }) => send<BoardJson>(world, guest, `GET /boards/${id}`)));
    t.strictSame(new Set(shown.map(({ members }) => members[0]?.user.firstname)), new Set([firstname]));
  }
});

t.test('MEMBER9 a changed profile reaches every board of the user', async (t) => {
  const { board, card, item } = await populate(world);
  const guest = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: guest.id });
  await board.do(owner, `PUT /cards/${card.id}/assignees`, { user_ids: [guest.id] });
  await board.do(owner, `PUT /items/${item.id}/assignees`, { user_ids: [guest.id] });
  const own = await send<BoardJson>(world, guest, 'POST /boards', { title: 'Their own' });
  const updates = Promise.all([nextEvent(world, board.id, 'board.updated'), nextEvent(world, own.id, 'board.updated')]);
  const { body: account } = await api.request<object>('PATCH', '/auth/me', { token: guest.token, json: { firstname: 'Zoë' } });
  const profile = publicPart(account);
  t.match(profile, { firstname: 'Zoë' });
  for (const { data, user_id } of await updates) {
    t.equal(user_id, guest.id);
    const { members } = data as unknown as BoardJson;
    t.strictSame(members.find((each) => each.user_id === guest.id)?.user, profile);
  }
  const shown = await board.card(card.id);
  t.strictSame(shown.assignees.at(-1), profile);
  t.strictSame(shown.checklists[0]?.items[0]?.assignees.at(-1), profile);
});

/** Without what others do not see. */
function publicPart(account: object): object {
  return Object.fromEntries(Object.entries(account).filter(([name]) => name !== 'language' && name !== 'time_zone'));
}

async function promote(board: PopulatedBoard['board'], user: TestUser): Promise<void> {
  await board.do(owner, `PATCH /boards/${board.id}/members/${user.id}`, { role: 'owner' });
}
