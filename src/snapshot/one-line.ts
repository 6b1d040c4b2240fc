import { Problem } from '../errors/problem.ts';
import { isSystemError, problemOf, systemProblem } from '../errors/system-errors.ts';

/** The same failure with everything that is known of it in one line, between two texts; for logs that are read by their last line. */
export function inOneLine(
  error: unknown,
  { before = '', after = '' }: { readonly before?: string; readonly after?: string },
): unknown {
  const problem = fileProblem(error) ?? problemOf(error);
  if (problem === undefined) return error;
  const { detail, hints, requestId } = problem;
  const known = [...hints, ...(requestId === undefined ? [] : [`request ${requestId}`])];
  const more = known.length === 0 ? '' : ` (${known.join('; ')})`;
  const { kind, field, retryAfter } = problem;
  return new Problem(kind, `${before}${detail.replace(/:?\n\s*/g, '; ')}${more}${after}`, {
    cause: error,
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** The Problem of a refusal of the operating system that names a file. */
function fileProblem(error: unknown): Problem | undefined {
  if (!isSystemError(error)) return undefined;
  const { path, dest }: NodeJS.ErrnoException & { readonly dest?: string } = error;
  return path === undefined ? undefined : systemProblem('write to', dest ?? path, error);
}
