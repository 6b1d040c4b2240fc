import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';

const folder = newFolder();

/** The heap in MB: enough for everything that the import needs at one time, but not also for the text of its file. */
const heap = 88;

it('an import of a file of 65 MB does not keep its text in memory, even if each line begins with a long id', () => {
  const path = folder.path('long.csv');
  const file = openSync(path, 'w');
  writeSync(file, 'series_id,date,as_of_date,value\n');
  for (let series = 0; series < 1200; series += 1) {
    const id = `LONG${String(series).padStart(76, '0')}`;
    const lines = Array.from({ length: 500 }, (_, i) => {
      const day = new Date(Date.UTC(1950, 0, 1 + i)).toISOString().slice(0, 10);
      return `${id},${day},2020-01-01,${i}.5\n`;
    });
    writeSync(file, lines.join(''));
  }
  closeSync(file);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${heap}`, builtProgram, 'import', path, '--store', folder.path('long.db')],
    { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: folder.path('.') } },
  );
  expect(stdout + stderr).toContain('600,000 new statements');
  expect(status).toBe(0);
});
