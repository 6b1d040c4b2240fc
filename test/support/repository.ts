import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '..', '..');

type Versions = Readonly<Record<string, string>>;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
};

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What the package says of itself. */
export const manifest = manifestIn(root);

/** The names of all packages that asof, work on it, and the tools of its tests depend on. */
export const packages: readonly string[] = [manifest, manifestIn(join(root, 'test'))].flatMap((one) =>
  Object.keys({ ...one.dependencies, ...one.devDependencies, ...one.optionalDependencies }),
);

/** The built program. */
export const builtProgram = join(root, 'dist', 'asof.cjs');

/** The sample store that is shipped with it. */
export const builtSample = join(root, 'dist', 'sample.db');

/** TypeScript 7, which checks programs in a fifth of the time of the one with an API. */
export const compiler = join(root, 'node_modules/typescript-native/bin/tsc');

/** Where `npm run tools` installs what few tests need. */
export const tools = join(root, 'test/node_modules');

/** The folder of small real files; test/data/README.md names their sources. */
export const testData = join(root, 'test', 'data');

/**
 * The folder of the whole real files, which only the tests of test/large read: ASOF_TEST_DATA, default
 * ../shared/data.
 */
export const largeData = process.env.ASOF_TEST_DATA || join(root, '..', 'shared', 'data');

/** The path of a real file in one of these folders, where the file may be packed as `.gz`. */
export function dataPath(folder: string, name: string): string {
  const path = join(folder, name);
  return existsSync(path) ? path : `${path}.gz`;
}

/** The content of a real file, unpacked. */
export function readData(folder: string, name: string): Buffer {
  const path = dataPath(folder, name);
  const content = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(content) : content;
}

/** One recorded exchange with a live source. */
export type Recording = {
  readonly request: { readonly host: string; readonly path: string };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
};

/** A recorded exchange of test/data/recordings: `sec/submissions-404.json`. */
export function recording(path: string): Recording {
  return JSON.parse(recordedBody(path).toString());
}

/** A recorded body that was kept alone: `treasury/daily_treasury_yield_curve_2010.xml`. */
export function recordedBody(path: string): Buffer {
  return readData(join(testData, 'recordings'), path);
}

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

/** A page of the documentation; `path` is relative to the root of the repository. */
export type Page = { readonly path: string; readonly text: string };

/** Every page of the documentation, in the order of their paths. */
export function allPages(): readonly Page[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  const others = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'data/README.md'];
  return [...others, ...docs.sort()].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The page at `path`. */
export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** The text without fenced blocks and code spans, which hold no links. */
function proseOf(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of the links of a page, in order. */
export function linksOf(markdown: string): readonly string[] {
  return [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The fragments that links to a page may end with, made from its headings as GitHub makes them. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The content of every block fenced as `language`. */
export function blocksOf(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}
