import { seriesIds } from './arbitrary.ts';
import { asAsofCsv } from './encodings.ts';
import type { ModelStatement } from './knowledge.ts';
import { importFiles, newStorePath } from './scratch-store.ts';

/** The first statement of every series, before anything that `arbitrary.ts` says. */
export const begun: readonly ModelStatement[] = seriesIds.map((series) => ({
  series,
  date: '2019-11-01',
  asOf: '2019-12-01',
  value: '7.7',
}));

const metadata = `series_id,frequency,covered_to\n${seriesIds.map((id) => `${id},M,2025-12-31\n`).join('')}`;

/**
 * A new store of these statements. Every series has begun before anything is asked, and says how often it is observed
 * and to which day it is covered, so that stores differ in facts only.
 */
export async function begunStore(folder: string, said: readonly ModelStatement[]): Promise<string> {
  const path = newStorePath(folder);
  const files = { ...asAsofCsv([...begun, ...said])[0]?.files, 'metadata.csv': metadata };
  await importFiles(path, files, { projections: true });
  return path;
}
