import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { questions } from '../../src/questions/table.ts';
import { root } from '../support/repository.ts';

const maxLines = 500;

/**
 * Which folders the files of each folder may import, besides itself, `errors` and, outside `domain`, `platform`. `domain` stands for `domain` and
 * every folder in it. `''` is `src` itself, whose only file is the public API.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  '': [
    'answering',
    'client',
    'domain',
    'import',
    'library',
    'maintenance',
    'operations',
    'pull',
    'questions',
    'snapshot',
    'store',
  ],
  library: [
    'answering',
    'client',
    'domain',
    'import',
    'lines',
    'maintenance',
    'operations',
    'pull',
    'questions',
    'snapshot',
    'store',
    'table',
  ],
  maintenance: ['domain', 'import', 'store'],
  errors: [],
  platform: [],
  'domain/series': [],
  'domain/treasury': ['domain/series'],
  'domain/insider': ['domain/series'],
  store: ['domain', 'store'],
  'store/postgres': ['domain', 'store'],
  'store/sql': ['domain', 'store'],
  'store/sqlite': ['domain', 'store'],
  operations: ['domain', 'operations', 'store'],
  'operations/insiders': ['domain', 'operations', 'store'],
  'operations/rates': ['domain', 'operations', 'store'],
  'operations/series': ['domain', 'operations', 'store'],
  service: ['domain', 'operations', 'store'],
  client: ['client', 'domain/series', 'operations', 'service', 'store'],
  'client/remote': ['client', 'domain', 'operations'],
  answering: ['answering', 'client', 'domain', 'operations'],
  questions: ['answering', 'client', 'domain', 'operations', 'questions'],
  'questions/files': ['answering', 'domain', 'operations', 'questions/series'],
  'questions/rates': ['answering', 'client', 'domain', 'operations'],
  'questions/series': ['answering', 'client', 'domain', 'operations', 'questions'],
  render: ['domain', 'operations', 'render'],
  'render/chart': ['domain', 'operations', 'render'],

  table: ['answering', 'domain', 'import/files', 'import/readers', 'operations'],
  mcp: ['answering', 'client', 'domain', 'library', 'operations', 'questions'],
  snapshot: ['answering', 'client', 'domain/series', 'operations', 'render', 'store'],
  import: ['domain', 'import', 'operations', 'store'],
  'import/files': [],
  'import/readers': ['domain/series', 'import/files'],
  'import/formats': ['domain', 'import/files', 'import/formats', 'import/readers'],
  'import/formats/fred': ['domain', 'import/files', 'import/formats', 'import/readers'],
  'import/formats/own': ['domain', 'import/files', 'import/formats', 'import/readers'],
  'import/formats/sec': ['domain', 'import/files', 'import/formats', 'import/readers'],
  'import/load': ['domain', 'import/files', 'import/formats', 'store'],
  pull: ['client/remote', 'domain', 'import', 'operations', 'pull', 'store'],
  'pull/fred': ['client/remote', 'domain', 'import', 'pull', 'store'],
  'pull/sec': ['client/remote', 'domain', 'import', 'pull', 'store'],
  'pull/treasury': ['client/remote', 'domain', 'import', 'pull', 'store'],
  explorer: ['domain/series', 'domain/treasury', 'render/chart'],
  server: [
    'answering',
    'client',
    'domain/series',
    'library',
    'operations',
    'questions',
    'render',
    'server/keys',
    'service',
    'store',
  ],
  'server/keys': ['operations', 'store'],
  lines: ['answering', 'client/remote', 'domain', 'operations', 'questions', 'render'],
  'cli/terminal': ['domain/series', 'operations', 'render'],
  'cli/config': ['cli/terminal', 'client/remote', 'domain/series', 'operations', 'render', 'store'],
  'cli/run': [
    'answering',
    'cli/config',
    'cli/terminal',
    'client',
    'domain',
    'lines',
    'operations',
    'render',
    'store',
    'table',
  ],
  'cli/completion': [],
  'cli/commands': [
    'answering',
    'cli',
    'client',
    'domain',
    'import',
    'lines',
    'maintenance',
    'mcp',
    'operations',
    'pull',
    'render',
    'server',
    'snapshot',
    'store',
  ],
  cli: ['cli', 'lines'],
  bin: ['cli'],
};

type Import = { readonly from: string; readonly to: string };

const files = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const sources = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** `src/cli/terminal/io.ts` is in `cli/terminal`, `bin/asof.ts` in `bin`. */
function folderOf(path: string): string {
  return dirname(path).replace(/^src\/?/, '');
}

/** Every import of a file: of values, of types, and by `import()`. */
function importsOf({ path, text }: { readonly path: string; readonly text: string }): Import[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined): void => {
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return;
    found.push({ from: path, to: relative(root, join(root, dirname(path), specifier.text)) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const imports = sources.flatMap(importsOf);

function mayImport(from: string, to: string): boolean {
  if (from === to || to === 'errors') return true;
  if (to === 'platform') return from !== 'errors' && !from.startsWith('domain');
  return (allowed[from] ?? []).some((folder) => to === folder || to.startsWith(`${folder}/`));
}

/** Whether one folder contains the other: such folders may import each other's files. */
function isWithin(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** The first cycle of a graph, or undefined. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const search = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of edges.get(name) ?? []) {
      const found = search(next, [...path, name]);
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of edges.keys()) {
    const found = search(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

function graph(pairs: readonly Import[]): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of pairs) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}

/** Texts of other programs, which say in words alone what their errors are. */
const foreignTexts: readonly string[] = [
  // FRED has a status of 400 for most of its refusals.
  'src/pull/fred/api.ts: message',
  // The contract has no member for the kind of a refusal.
  'src/client/remote/answer.ts: detail',
  // OpenSSL and proxies.
  'src/client/remote/exchange.ts: message',
  // The parsers of command lines and of XML.
  'src/lines/read-line.ts: message',
  'src/lines/read-line.ts: detail',
  'src/import/readers/xml.ts: message',
  'src/store/postgres/connection.ts: message',
];

const messageNames = /^(?:about|description|detail|headline|message|reason|summary)$/;

const edits =
  /^(?:at|charAt|endsWith|exec|includes|indexOf|match|matchAll|replace|replaceAll|search|slice|split|startsWith|substring|test)$/;

/** The names of messages whose text a file cuts, replaces or searches, each once. */
function editedMessages(path: string, text: string): readonly string[] {
  const found = new Set<string>();
  /** The name of what an expression is a text of: `(error.detail ?? '')` and `String(error.detail)` are of `detail`. */
  const nameOf = (node: ts.Node | undefined): string => {
    if (node === undefined) return '';
    if (ts.isIdentifier(node)) return node.text;
    if (ts.isPropertyAccessExpression(node)) return node.name.text;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return nameOf(node.expression);
    if (ts.isBinaryExpression(node)) return nameOf(node.left);
    return ts.isCallExpression(node) && nameOf(node.expression) === 'String' ? nameOf(node.arguments[0]) : '';
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const isSearched = name.text === 'test' || name.text === 'exec';
      const subject = nameOf(isSearched ? node.arguments[0] : expression);
      if (edits.test(name.text) && messageNames.test(subject)) found.add(subject);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...found];
}

/** Quoted texts that are the name of a question, and stand for something else. */
const otherThings: readonly string[] = [
  // The words of a command that has a file of its own.
  'src/cli/dispatch.ts: ping',
  // A kind of note, and stages of a copy.
  'src/answering/answer.ts: check',
  'src/maintenance/copy.ts: check',
  'src/maintenance/copy.ts: compare',
  // The objects of answers in files, whatever asked for them.
  'src/import/formats/own/answers.ts: insider_filings',
  'src/import/formats/recognise.ts: insider_cluster_signals',
  'src/import/formats/recognise.ts: insider_clusters',
  'src/import/formats/recognise.ts: yield_table',
  // A member of an answer of FRED.
  'src/import/formats/fred/api.ts: observations',
  // A table of a store.
  'src/store/postgres/store.ts: curve',
];

/** The names that a file has in a union of types, a list or a key, each once. */
function quotedNames(path: string, text: string, names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && names.includes(node.text) && isOneOfSeveral(node))
      found.add(node.text);
    // Members of a type that is picked from have names of their own.
    if (!ts.isTypeReferenceNode(node) || !/^(?:Omit|Pick)$/.test(node.typeName.getText()))
      ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...found];
}

/** Whether a literal is one of several: a member of a union or a list, or a key. */
function isOneOfSeveral(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isLiteralTypeNode(parent)) return ts.isUnionTypeNode(parent.parent);
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node;
  return ts.isArrayLiteralExpression(parent) || ts.isElementAccessExpression(parent);
}

describe('the architecture', () => {
  it('has a rule for every folder of src, and none for a folder that is gone', () => {
    expect(Object.keys(allowed).sort()).toEqual([...new Set(files.map(folderOf))].sort());
  });

  it('allows every import that there is', () => {
    const broken = imports.filter(({ from, to }) => !mayImport(folderOf(from), folderOf(to)));
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('is checked on all imports', () => {
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it('has no cycle of files', () => {
    expect(cycleIn(graph(imports))).toBeUndefined();
  });

  it('has no cycle of folders', () => {
    const between = imports
      .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
      .filter(({ from, to }) => from !== to && !isWithin(from, to));
    expect(cycleIn(graph(between))).toBeUndefined();
  });

  it(`has no file over ${maxLines} lines`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length > maxLines + 1);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('gives no two types the same name', () => {
    const places = new Map<string, string[]>();
    for (const { path, text } of sources) {
      for (const [, name = ''] of text.matchAll(/^(?:export )?(?:declare )?(?:type|interface|class) (\w+)/gm))
        places.set(name, [...(places.get(name) ?? []), path]);
    }
    const twice = [...places].filter(([, paths]) => paths.length > 1);
    expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
  });

  it('keeps SQL in the engines and in what both send', () => {
    const outside = sources.filter(({ path }) => !/^src\/store\/(?:postgres|sql|sqlite)\//.test(path));
    const guilty = outside.filter(({ text }) =>
      /\bselect\b[^;`']*\bfrom\b|better-sqlite3|from 'pg'/i.test(
        text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
      ),
    );
    expect(guilty.map(({ path }) => path)).toEqual([]);
  });

  it('never cuts, replaces or searches the text of a message', () => {
    const found = sources.flatMap(({ path, text }) =>
      editedMessages(path, text).map((name) => `${path}: ${name}`),
    );
    expect(found.filter((one) => !foreignTexts.includes(one))).toEqual([]);
    expect(foreignTexts.filter((one) => !found.includes(one))).toEqual([]);
  });

  it.each([
    ['detail.replace(/a/, "")', ['detail']],
    ['error.refusal?.reason?.slice(1)', ['reason']],
    ['question.about.replaceAll(/`\\w+`/g, camelCase)', ['about']],
    ['(described.description ?? "").startsWith("a")', ['description']],
    ['String(error.message).split(": ")', ['message']],
    ['/^invalid/.test(problem.detail)', ['detail']],
    ['pattern.exec(said?.headline ?? "")', ['headline']],
    ['names.includes(message)', []],
    ['message.length', []],
  ])('finds the text of a message that is cut or searched in %s', (text, names) => {
    expect(editedMessages('a.ts', text)).toEqual(names);
  });

  it('branches on no question or operation outside of its declaration', () => {
    const names = [...Object.values(questions), ...operations].map(({ name }) => name);
    const branch = new RegExp(`(?:[=!]== |case )'(?:${names.join('|')})'`);
    const guilty = sources
      // A view of the explorer may have the name of what it shows.
      .filter(({ path }) => !/^src\/explorer\//.test(path))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((line, i) => (branch.test(line) ? [`${path}:${i + 1}`] : [])),
      );
    expect(guilty).toEqual([]);
  });

  it('lists no question or operation outside of its declaration', () => {
    const names = [...Object.values(questions), ...operations].map(({ name }) => name);
    const found = sources
      // A view of the explorer may have the name of what it shows.
      .filter(({ path }) => !/^src\/(?:explorer|operations|questions)\//.test(path))
      .flatMap(({ path, text }) => quotedNames(path, text, names).map((name) => `${path}: ${name}`));
    expect(found.filter((one) => !otherThings.includes(one))).toEqual([]);
    expect(otherThings.filter((one) => !found.includes(one))).toEqual([]);
  });

  it.each([
    ["type Drawn = 'curve' | 'panel';", ['curve', 'panel']],
    ["const drawn = ['curve', 'panel'];", ['curve', 'panel']],
    ["const drawings = { 'curve': f };", ['curve']],
    ["const drawing = drawings['curve'];", ['curve']],
    ["const isDrawn = new Set(['curve']);", ['curve']],
    ["type Rates = Pick<RateReads, 'curve' | 'panel'>;", []],
    ["f('curve');", []],
    ["const subject = { kind: 'curve' };", []],
  ])('finds the quoted names of questions in %s', (text, names) => {
    expect(quotedNames('a.ts', text, ['curve', 'panel'])).toEqual(names);
  });

  it('has no list that loading other modules fills', () => {
    const empty = /^(?:export )?const (\w+)[^=\n]*= (?:new (?:Map|Set)\b[^;\n]*\(\)|\[\]|\{\});$/gm;
    const filled = sources.flatMap(({ path, text }) =>
      Array.from(text.matchAll(empty), ([, name = '']) => ({ path, text, name })).filter(({ text, name }) =>
        new RegExp(`\\b${name}(?:\\.(?:set|add|push)\\(|\\[[^\\]]+\\] = )`).test(text),
      ),
    );
    // What a file computed or met before, by what it was asked for.
    const caches = [
      'src/domain/treasury/curve-faults.ts holidays',
      'src/import/import.ts turns',
      'src/store/postgres/connection.ts withoutTls',
    ];
    expect(filled.map(({ path, name }) => `${path} ${name}`).sort()).toEqual(caches);
  });

  it('finds no method by its name', () => {
    // What a package may lack is not of asof.
    const allowed = /^src\/import\/readers\/\w+\.ts$/;
    const guilty = sources.filter(({ path, text }) => /\bReflect\./.test(text) && !allowed.test(path));
    expect(guilty.map(({ path }) => path)).toEqual([]);
  });

  it('has no folder or file for unrelated helpers', () => {
    expect(files.filter((path) => /\b(utils?|helpers?|common|misc)\b/.test(path))).toEqual([]);
  });
});
