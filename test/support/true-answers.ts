import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Statement } from '../../src/domain/series/revision-history.ts';
import { testData } from './repository.ts';

/** The rows of a file of true answers in test/data/facts, by column name. */
export function trueAnswers(name: string): readonly Readonly<Record<string, string>>[] {
  const [header = '', ...rows] = readFileSync(join(testData, 'facts', name), 'utf8')
    .trimEnd()
    .split('\n');
  const names = header.split('\t');
  return rows.map((row) => {
    const cells = row.split('\t');
    return Object.fromEntries(names.map((column, index) => [column, cells[index] ?? '']));
  });
}

/** The value of a date as of a day (empty if there is none), and the first day of that value. */
type AsOf = { readonly value: string; readonly since: string };

/** The value of a date as of a day, found by reading every statement that was known by then. */
export function naiveAsOf(statements: readonly Statement[], date: string, asOf: string): AsOf {
  const known = statements.filter((statement) => statement.date === date && statement.asOf <= asOf);
  known.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  let answer: AsOf = { value: '', since: '' };
  for (const { asOf: day, value } of known) {
    if (value === null) answer = { value: '', since: '' };
    else answer = { value, since: Number(value) === Number(answer.value || Number.NaN) ? answer.since : day };
  }
  return answer;
}
