import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { manifest, root } from './repository.ts';

/** A TypeScript block of a page as a whole module, and the output that a `text` block right after it shows. */
export type Program = { readonly source: string; readonly shown: string | undefined };

const blocks = /^```ts\n([\s\S]*?)^```$(\n\n```text\n([\s\S]*?)^```$)?/gm;

/**
 * The programs of a page: each block fenced as `ts`. A block that does not import asof is about an open `asof`: it gets
 * the lines that open and close it.
 */
export function programsOf(markdown: string): readonly Program[] {
  return [...markdown.matchAll(blocks)].map(([, block = '', , shown]) => ({
    source: /^import .* from '@asof-data\/asof';$/m.test(block)
      ? block
      : `import { open } from '@asof-data/asof';\nconst asof = await open();\n${block}await asof.close();\n`,
    shown,
  }));
}

/** The same markdown with `outputs[i]` in the `text` block after the i-th program, where it has one. */
export function withOutputs(markdown: string, outputs: readonly string[]): string {
  let index = 0;
  return markdown.replace(blocks, (whole, block: string, shown: string | undefined) => {
    const output = outputs[index] ?? '';
    index += 1;
    return shown === undefined ? whole : `\`\`\`ts\n${block}\`\`\`\n\n\`\`\`text\n${output}\`\`\``;
  });
}

/** A folder in which programs find the built asof, as in a project that depends on it. */
export class ProgramFolder {
  readonly #folder: string;

  /** `packages` are development dependencies that the programs import besides asof. */
  constructor(folder: string, packages: readonly string[] = []) {
    this.#folder = folder;
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
    const own = join(folder, 'node_modules', manifest.name);
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(root, own);
    for (const name of ['@types/node', ...packages])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }

  /** What the compiler reports of programs under `strict`, each error with the line that it is about. */
  errorsOf(programs: readonly Program[]): readonly string[] {
    const paths = programs.map(({ source }, i) => {
      const path = join(this.#folder, `program-${i}.mts`);
      writeFileSync(path, source);
      return path;
    });
    const compiled = ts.createProgram(paths, {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      typeRoots: [join(this.#folder, 'node_modules', '@types')],
      types: ['node'],
      skipLibCheck: true,
      noEmit: true,
    });
    return ts.getPreEmitDiagnostics(compiled).map(({ file, start, messageText }) => {
      const line = file?.text.slice(start).split('\n')[0] ?? '';
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  }

  /** Runs programs over the sample, one after another in one process, with arguments: what each of them prints. */
  async outputsOf(programs: readonly Program[], ...args: readonly string[]): Promise<readonly string[]> {
    const paths = programs.map(({ source }, i) => {
      const path = join(this.#folder, `program-${i}.mjs`);
      const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
      writeFileSync(path, ts.transpileModule(source, { compilerOptions }).outputText);
      return path;
    });
    const runner = join(this.#folder, 'run.mjs');
    writeFileSync(runner, `const paths = ${JSON.stringify(paths)};\n${runEach}`);
    const { stdout } = await promisify(execFile)(process.execPath, [runner, ...args], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH, HOME: this.#folder },
    });
    return stdout.split('\u0001').slice(0, -1);
  }
}

/** Runs each of `paths`; after what a program prints to stdout comes what it says on stderr, and its failure. */
const runEach = `
let said = '';
process.stderr.write = (text) => { said += text; return true; };
for (const path of paths) {
  await import(path).catch((error) => console.error(error));
  process.stdout.write(said + '\\u0001');
  said = '';
}
`;
