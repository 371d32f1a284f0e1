import type { Config } from '../settings/config.js';
import { CommandFailure, EX_TEMPFAIL } from './outcome.js';

/** The answer of the instance on this machine. The other end of the socket is this same program. */
export function requireAnswer<Answer>(answer: unknown, { dataDir }: Config): Answer {
  if (answer === undefined) throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers.`);
  return answer as Answer;
}
