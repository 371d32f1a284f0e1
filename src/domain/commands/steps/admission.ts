/** What stands between a command and its handler: the target exists, the caller has access, the input is valid. In this order. */
import type { Draft } from '../../board/draft.js';
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Kind } from '../../model.js';
import { notFound } from '../../refusals.js';
import type { Access, Caller, RefusedInput } from '../commands.js';
import { authorise, type HandlerAnswer, type PathId, type TargetKind, type Targets } from '../handler.js';
import type { Effect } from './effect.js';

/** The operation selects the handler at run time, so the types of both are erased here. */
export interface ErasedHandler {
  readonly target: TargetKind;
  readonly access: Access;
  readonly effect: Effect;
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[TargetKind], input: object): HandlerAnswer;
}

/** The target of a command whose caller has access. */
export function admit(draft: Draft, caller: Caller, handler: ErasedHandler, id: Uuid, input: object): Targets[TargetKind] {
  const target = findTarget(draft, handler.target, id);
  requireOnBoard(draft, handler.path ?? {}, isRefused(input) ? input.path : input);
  authorise(draft, caller, handler.access, input);
  return target;
}

/** Throws the error of an input that was refused before. */
export function validInput(input: object): object {
  if (isRefused(input)) throw AppError.from(input.refused);
  return input;
}

function findTarget(draft: Draft, kind: TargetKind, id: Uuid): Targets[TargetKind] {
  if (kind === 'nothing') {
    if (draft.get('board', draft.id) !== undefined) throw new AppError('conflict', 'The board already exists');
    return undefined;
  }
  const target = draft.get(kind, id);
  if (target === undefined) throw notFound(kind);
  return target;
}

function requireOnBoard(draft: Draft, path: Readonly<Partial<Record<string, Kind>>>, ids: object): void {
  for (const [name, id] of Object.entries(ids)) {
    const kind = path[name];
    if (kind !== undefined && draft.get(kind, String(id)) === undefined) throw notFound(kind);
  }
}

function isRefused(input: object): input is RefusedInput {
  return 'refused' in input;
}
