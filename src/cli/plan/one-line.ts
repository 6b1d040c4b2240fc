import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { problemOf } from '../terminal/messages.ts';

/** Parts of a message that stand before and after the failure itself. */
export type Around = { readonly before?: string; readonly after?: string };

/** The same failure with everything that is known of it in one line, for logs whose last line is what somebody reads. */
export function inOneLine(error: unknown, { before = '', after = '' }: Around): unknown {
  const problem = failureOf(error);
  if (problem === undefined) return error;
  const { kind, detail, hints, requestId, field, retryAfter } = problem;
  const known = [...hints, ...(requestId === undefined ? [] : [`request ${requestId}`])];
  const more = known.length === 0 ? '' : ` (${known.join('; ')})`;
  return new Problem(kind, `${before}${detail.replace(/:?\n\s*/g, '; ')}${more}${after}`, {
    cause: error,
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** The failure as a Problem; one of the system names the file that it is about. */
function failureOf(error: unknown): Problem | undefined {
  const { syscall, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return syscall === undefined || path === undefined
    ? problemOf(error)
    : systemProblem('write to', dest ?? path, error);
}
