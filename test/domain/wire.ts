/** Resources as tests read them: the contract's fields, written down independently of the code that renders them. */
import type { Uuid } from '../../src/domain/ids.js';

export interface WireUser {
  id: Uuid;
  username: string;
}

/** Any resource: the common fields, and all others without a type. */
export interface WireResource {
  id: Uuid;
  rank: number;
  title: string;
  created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

export interface WireItem extends WireResource {
  checklist_id: Uuid;
  assignees: WireUser[];
}

export interface WireChecklist extends WireResource {
  card_id: Uuid;
  items: WireItem[];
}

export interface WireAttachment extends WireResource {
  card_id: Uuid;
}

export interface WireCard extends WireResource {
  column_id: Uuid;
  labels: WireResource[];
  assignees: WireUser[];
  checklists: WireChecklist[];
  attachments: WireAttachment[];
  comment_count: number;
}

export interface WireComment extends WireResource {
  card_id: Uuid;
}

export interface WireColumn extends WireResource {
  cards: WireCard[];
}

export interface WireMember {
  user_id: Uuid;
  role: string;
  user: WireUser;
  created_at: string;
}

export interface WireBoard extends WireResource {
  columns: WireColumn[];
  labels: WireResource[];
  members: WireMember[];
}

export interface WireEvent {
  type: string;
  data: WireResource;
  user_id: Uuid | null;
  timestamp: string;
  version: string;
}
