/** Copies a card or a column. The copy comes back as an event, beside the original. */
import type { Card, Column } from '../../client/index.js';
import { attempt, notify } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { client } from '../state/session.js';
import { say } from '../words/catalogue.js';

async function copyCard(open: OpenBoard, { id, title, column_id }: Card): Promise<void> {
  // What the user has changed on it shortly before is part of it.
  await open.sent();
  const cards = open.board.value?.columns.find((column) => column.id === column_id)?.cards ?? [];
  const position = cards.findIndex((card) => card.id === id) + 1;
  await said(title, () => client.card.copy({ card_id: id }, { position, attachments: true }));
}

async function copyColumn(open: OpenBoard, { id, title }: Column): Promise<void> {
  await open.sent();
  const position = (open.board.value?.columns.findIndex((column) => column.id === id) ?? 0) + 1;
  await said(title, () => client.column.copy({ column_id: id }, { position }));
}

async function said(title: string, make: () => Promise<unknown>): Promise<void> {
  if (await attempt(say('copy.notCopied'), make)) notify('info', say('copy.copied', { title }));
}

/** Loaded as a whole when one of them is first needed. */
export const COPYING = { copyCard, copyColumn };
