/** Rows of SQLite, and the resources made from them. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly hashed_password: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly is_active: number;
  readonly is_verified: number;
  readonly is_superuser: number;
}

interface Times {
  readonly created_at: string;
  readonly updated_at: string;
}

interface Authors {
  readonly created_by: string | null;
  readonly updated_by: string | null;
}

export interface BoardRow extends Times, Authors {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly version: number;
}

export interface ColumnRow extends Times, Authors {
  readonly id: string;
  readonly board_id: string;
  readonly title: string;
  readonly rank: number;
  readonly color: string;
  readonly is_done_column: number;
}

export interface CardRow extends Times, Authors {
  readonly id: string;
  readonly board_id: string;
  readonly column_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly rank: number;
}

export interface LabelRow extends Times {
  readonly id: string;
  readonly board_id: string;
  readonly name: string;
  readonly color: string;
}

export interface MemberRow extends Times {
  readonly board_id: string;
  readonly user_id: string;
  readonly role: string;
}

export interface ChecklistRow extends Times {
  readonly id: string;
  readonly card_id: string;
  readonly title: string;
  readonly rank: number;
}

export interface AttachmentRow extends Times {
  readonly id: string;
  readonly card_id: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size: number;
}

/** A row of a query over all cards of a board, with the card that it belongs to. */
export type OfCard<Row> = Row & { readonly of_card: string };

export interface CardResource extends CardRow {
  readonly labels: readonly LabelRow[];
  readonly assignees: readonly UserResource[];
  readonly checklists: ReadonlyArray<ChecklistRow & { readonly items: readonly unknown[] }>;
  readonly attachments: readonly AttachmentRow[];
}

export type UserResource = ReturnType<typeof toUser>;

export function toUser({ hashed_password: _secret, ...row }: UserRow) {
  return {
    ...row,
    is_active: row.is_active === 1,
    is_verified: row.is_verified === 1,
    is_superuser: row.is_superuser === 1,
  };
}

export function byCard<Row>(rows: readonly OfCard<Row>[]): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const own = grouped.get(row.of_card);
    if (own === undefined) grouped.set(row.of_card, [row]);
    else own.push(row);
  }
  return grouped;
}
