import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const loader = fileURLToPath(new URL('compiled-code.cjs', import.meta.url));
const program = fileURLToPath(new URL('../dist/asof.cjs', import.meta.url));
const sample = fileURLToPath(new URL('../dist/sample.db', import.meta.url));

/** Plain lines, the most frequent first; what they do not call is compiled when it is called. */
const lines = [
  'observations GDP --as-of 2015-01-30 --csv',
  'check table.csv --on as_of --csv',
  'panel GDP DGS10 --as-of-each month-end --from 2015-01-01 --to 2015-12-31 --wide --csv',
  'join table.csv --on as_of UNRATE -o joined.parquet',
];

/** What was known at the ends of two months. */
const table = 'as_of,GDP,DGS10\n2015-01-31,17710.7,1.68\n2015-02-28,17701.3,2.00\n';

/** Compiles what plain lines load, and lets the built program use it. */
export async function buildCompiledCode() {
  const text = await readFile(loader, 'utf8');
  const compiling = `${text}\ncompileParts(${JSON.stringify(program)});`;
  const folder = await mkdtemp(join(tmpdir(), 'asof-compiled-'));
  try {
    await writeFile(join(folder, 'table.csv'), table);
    const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
    for (const line of lines) {
      const words = ['asof', ...line.split(' '), '--store', sample];
      await promisify(execFile)(process.execPath, ['-e', compiling, ...words], options);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const built = await readFile(program, 'utf8');
  const taking = built.replace(/^#!.*\n/, (shebang) => `${shebang}${text}takeCompiledCode();\n`);
  await writeFile(program, taking);
}
