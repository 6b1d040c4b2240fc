import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { addDays, type Day, faultOfDay, parseDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';

/**
 * The days in the first column of a CSV or TSV file, or with `-` of standard input, one a line; a first line that
 * begins with no digit is its head. A Problem names the line of any other text, and of a day on which nothing can be
 * known yet, because it is after `latest`.
 */
export async function readDays(
  file: string,
  stdin: AsyncIterable<Uint8Array>,
  latest: Day,
  knownBefore: boolean,
): Promise<readonly Day[]> {
  const path = file === '-' ? 'standard input' : file;
  const text =
    file === '-'
      ? await textOf(stdin)
      : await readFile(file, 'utf8').catch((cause) => {
          throw systemProblem('read', file, cause);
        });
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const days: Day[] = [];
  for (const [i, line] of lines.entries()) {
    const [cell = ''] = line.split(/[,;\t]/);
    const typed = cell.trim().replace(/^"(.*)"$/, '$1');
    const day = parseDay(typed);
    const refuse = (reason: string) =>
      new Problem('bad-input', `${path}, line ${i + 1}: ${JSON.stringify(typed)} ${reason}`);
    if (day === undefined) {
      if (typed === '' || (i === 0 && !/^\d/.test(typed))) continue;
      throw refuse(
        `is not a date: ${faultOfDay(typed) ?? 'use YYYY-MM-DD'}; the days are in the first column`,
      );
    }
    if ((knownBefore ? addDays(day, -1) : day) > latest)
      throw refuse('is in the future: nothing is known as of that date yet');
    days.push(day);
  }
  if (days.length === 0) throw new Problem('bad-input', `${path} has no dates in its first column`);
  return days;
}
