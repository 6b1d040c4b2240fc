import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const loader = fileURLToPath(new URL('compiled-code.cjs', import.meta.url));
const [program, part, sample] = ['asof.cjs', 'parts/query.cjs', 'sample.db'].map((name) =>
  fileURLToPath(new URL(`../dist/${name}`, import.meta.url)),
);

/** A plain query; what it does not call is compiled when it is called. */
const line = ['observations', 'GDP', '--as-of', '2015-01-30', '--csv', '--store', sample];

/** Compiles what a query loads, and lets the built program use it. */
export async function buildCompiledCode() {
  const text = await readFile(loader, 'utf8');
  const compiling = `${text}\ncompileFor(${JSON.stringify(part)}, ${JSON.stringify(program)});`;
  await promisify(execFile)(process.execPath, ['-e', compiling, 'asof', ...line]);
  const taking = `${text}takeCompiledCode(require('node:path').join(__dirname, 'parts', 'query.cjs'));\n`;
  const built = await readFile(program, 'utf8');
  await writeFile(
    program,
    built.replace(/^#!.*\n/, (shebang) => shebang + taking),
  );
}
