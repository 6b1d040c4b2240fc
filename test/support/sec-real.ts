import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Filing } from '../../src/domain/insider/filing.ts';

/** The folder of the real ownership documents in a data folder. */
export function documentsIn(data: string): string {
  return join(data, 'sec/ownership-xml');
}

/** A record of a table, by column. */
export type Cells = Readonly<Record<string, string>>;

/** What the hand-made index says of each document. */
export function indexRows(data: string): readonly Cells[] {
  return parse(readFileSync(join(data, 'sec/ownership-xml-INDEX.csv')), { columns: true });
}

/** How many trades of each code there are, as the index writes it: `M:2 S:1`. */
export const codesOf = (filings: readonly Filing[]) => {
  const counts = new Map<string, number>();
  for (const { transactionCode } of filings) {
    const code = transactionCode ?? '';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts]
    .map(([code, count]) => `${code}:${count}`)
    .sort()
    .join(' ');
};
