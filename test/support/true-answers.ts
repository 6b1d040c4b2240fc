import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
