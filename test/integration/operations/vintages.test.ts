import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/operations/envelope.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';
import { folder } from '../../support/example-stores.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';
import { ask } from '../../support/service.ts';

/** A store of one series with ten vintages; each added a date and revised the one before. */
async function newPagedStore(): Promise<string> {
  const path = newStorePath(folder);
  const lines = Array.from({ length: 10 }, (_, i) => [
    `X 2020-01-${10 + i} 2020-02-${10 + i} ${i}`,
    `X 2020-01-${9 + i < 10 ? '09' : 9 + i} 2020-02-${10 + i} ${i}.5`,
  ]);
  await importFiles(path, { 'facts.csv': facts(...lines.flat()) });
  return path;
}

const x = ['id', 'X'] as const;

describe('the list of vintages', () => {
  it.each([1, 3, 9, 10, 1000])('is the same in pages of %i', async (size) => {
    const path = await newPagedStore();
    const found: Envelope[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? [] : [['cursor', cursor] as const];
      const page = await ask(path, vintages, [x, ['limit', String(size)], ...more]);
      found.push(page);
      cursor = page.next_cursor;
    } while (cursor !== undefined && found.length < 20);
    expect(found).toHaveLength(Math.ceil(10 / size));
    expect(found.flatMap(({ results }) => results)).toEqual(
      Array.from({ length: 10 }, (_, i) => ({
        as_of_date: `2020-02-${19 - i}`,
        added: i === 9 ? 2 : 1,
        revised: i === 9 ? 0 : 1,
        withdrawn: 0,
        vintage_kind: 'exact',
      })),
    );
  });

  it('is not continued when the series has changed since its first page', async () => {
    const path = await newPagedStore();
    const { next_cursor = '' } = await ask(path, vintages, [x, ['limit', '4']]);
    await importFiles(path, { 'more.csv': facts('X 2020-01-10 2020-03-01 7') });
    await expect(ask(path, vintages, [x, ['cursor', next_cursor]])).rejects.toMatchObject({
      kind: 'data-changed',
      field: 'cursor',
      detail: 'the data changed since the first page; start again',
    });
  });

  it('of a series that never had a value says so', async () => {
    const path = newStorePath(folder);
    await importFiles(path, { 'facts.csv': facts('X 2020-01-01 2020-02-01') });
    const { results, coverage } = await ask(path, vintages, [x]);
    expect(results).toEqual([
      { as_of_date: '2020-02-01', added: 0, revised: 0, withdrawn: 0, vintage_kind: 'exact' },
    ]);
    expect(coverage?.first_date).toBeNull();
  });
});
