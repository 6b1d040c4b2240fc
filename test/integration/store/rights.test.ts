import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { asof, type Ended } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { withoutRights } from '../../support/rights.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const gdp = facts('GDP 2014-10-01 2015-01-30 17710.7');

async function newStore(): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, { 'facts.csv': gdp });
  return path;
}

/** Runs a command on a store that every user may read but no user may write; the same holds for its folders. */
async function onReadOnly(path: string, line: readonly string[]): Promise<Ended> {
  const command = [...line, '--store', path];
  // Loads the modules of the command first, because the other user may not be allowed to read them.
  await asof(line[0] === 'import' ? [...command, '--dry-run'] : command);
  for (const place of [folder, dirname(path)]) chmodSync(place, 0o555);
  chmodSync(path, 0o444);
  try {
    return await withoutRights(() => asof(command));
  } finally {
    for (const place of [folder, dirname(path)]) chmodSync(place, 0o755);
  }
}

describe('a store that cannot be written', () => {
  it.each(
    [
      ['observations', 'GDP', '--csv'],
      ['facts', 'GDP'],
    ].map((line) => [line]),
  )('answers after an import: asof %j', async (line) => {
    const { code, out, err } = await onReadOnly(await newStore(), line);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('17710.7');
  });

  it('answers queries without a write-ahead log, and refuses imports', async () => {
    const path = await newStore();
    const db = openDatabase(path);
    db.pragma('journal_mode = delete');
    db.close();
    const { code, out, err } = await onReadOnly(path, ['series', 'show', 'GDP', '--csv']);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')[1]).toMatch(/^GDP,/);
    const file = join(folder, 'more.csv');
    writeFileSync(file, facts('GDP 2014-10-01 2015-02-27 17701.3'));
    expect((await onReadOnly(path, ['import', file])).code).toBe(10);
  });
});
