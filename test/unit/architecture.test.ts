import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { questions } from '../../src/questions/table.ts';
import { root } from '../support/repository.ts';

const maxLines = 500;

/**
 * Which folders the files of each folder may import, besides itself, `errors` and, outside `domain`, `platform`.
 * `domain` stands for `domain` and every folder in it; `(api)` is `src` itself, whose only file is the public API.
 */
const allowed = tableOf(`
  (api): answering client domain import library maintenance operations pull questions snapshot store
  library: answering client domain import lines maintenance operations pull questions snapshot store table
  maintenance: domain import pull store
  errors:
  platform:
  domain/values:
  domain/calendar: domain/values
  domain/search: domain/values
  domain/series: domain/values
  domain/treasury: domain/series domain/values
  domain/insider: domain/series domain/values
  store: domain store
  store/postgres: store
  store/sql: domain store
  store/sqlite: domain store
  operations: domain operations store
  operations/calendar: domain operations operations/series store
  operations/insiders: domain operations store
  operations/rates: domain operations store
  operations/series: domain operations store
  service: domain operations store
  client: client operations service store
  client/remote: client operations
  answering: client domain operations
  questions: answering client domain operations questions
  questions/files: answering domain operations questions/series
  questions/rates: answering client domain operations
  questions/series: answering client domain operations
  render: domain operations render
  render/chart: domain operations render
  render/formats: domain operations render
  table: answering domain import/files import/readers operations
  mcp: answering client domain library operations questions
  snapshot: answering client domain operations render store
  import: domain import operations store
  import/files: domain/values
  import/readers: domain import/files
  import/formats: domain import/files import/formats import/readers
  import/formats/calendar: domain import/files import/formats import/readers
  import/formats/fred: domain import/files import/formats import/readers
  import/formats/own: domain import/files import/formats import/readers
  import/formats/sdmx: domain import/files import/formats import/readers
  import/formats/sec: domain import/files import/formats import/readers
  import/formats/sdmx: domain import/files import/formats import/readers
  import/load: domain import/files import/formats store
  pull: client/remote domain import operations pull store
  pull/calendar: client/remote domain import pull pull/fred
  pull/eurostat: client/remote domain import pull
  pull/oecd: client/remote domain import pull
  pull/fred: client/remote domain import pull store
  pull/ecb: client/remote domain import pull
  pull/sec: client/remote domain import pull store
  pull/philadelphia: domain import pull
  pull/st-louis: client/remote domain import pull store
  pull/treasury: domain import pull
  explorer: domain explorer
  explorer/chart: domain explorer
  explorer/controls: domain explorer explorer/chart
  explorer/home: domain explorer explorer/controls
  explorer/insiders: domain explorer explorer/controls
  explorer/rates: domain explorer explorer/chart explorer/controls
  explorer/series: domain explorer explorer/chart explorer/controls
  server: answering client domain operations questions server service store
  server/keys: operations store
  server/tables: answering client domain library operations render server service store
  lines: answering client/remote domain operations questions render
  cli/terminal: render
  cli/config: cli/terminal client/remote domain operations render store
  cli/run: answering cli/config cli/terminal client domain lines operations render store table
  cli/completion:
  cli/commands: answering cli client domain import library lines maintenance mcp operations pull render server snapshot store
  cli: cli lines
  bin: cli
`);

function tableOf(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(': '));
  return new Map(lines.map(([folder = '', list = '']) => [folder.replace(/:$/, ''), list.split(' ')]));
}

/**
 * The most lines of each folder of `src`. A number may fall; a commit that raises one says what users get for it.
 */
const mostLines: Readonly<Record<string, number>> = {
  answering: 2535,
  cli: 4687,
  client: 1668,
  domain: 6457,
  errors: 334,
  explorer: 3807,
  import: 9602,
  library: 1317,
  lines: 833,
  maintenance: 1143,
  mcp: 266,
  operations: 4499,
  platform: 593,
  pull: 5123,
  questions: 4892,
  render: 3439,
  server: 3341,
  service: 592,
  snapshot: 993,
  store: 8643,
  table: 208,
};

/** The most exports that one file alone imports, but the public API. The number may fall, like the lines. */
const mostSingles = 460;

type Source = { readonly path: string; readonly text: string; readonly nodes: readonly ts.Node[] };

/** A file with all nodes of its tree. */
function sourceOf(path: string, text: string): Source {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return { path, text, nodes };
}

const sources = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => sourceOf(join(folder, name), readFileSync(join(root, folder, name), 'utf8'))),
);

const files = sources.map(({ path }) => path);

/** `src/cli/terminal/io.ts` is in `cli/terminal`, `bin/asof.ts` in `bin`. */
function folderOf(path: string): string {
  return dirname(path).replace(/^src\/?/, '') || '(api)';
}

type Import = {
  readonly from: string;
  readonly to: string;
  /** The names that are imported; of a module that is loaded later, all that it exports are meant. */
  readonly names: readonly string[] | undefined;
};

/** Every import of a file: of values, of types, and by `import()`. */
function importsOf({ path, nodes }: Source): readonly Import[] {
  return nodes.flatMap((node): Import[] => {
    const isLoading = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    let specifier: ts.Node | undefined = isLoading ? node.arguments[0] : undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) specifier = node.argument.literal;
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return [];
    const to = relative(root, join(root, dirname(path), specifier.text));
    return [{ from: path, to, names: isLoading ? undefined : namesIn(node) }].filter(() =>
      specifier.text.startsWith('.'),
    );
  });
}

function namesIn(node: ts.Node): readonly string[] {
  let bindings: ts.Node | undefined;
  if (ts.isImportDeclaration(node)) bindings = node.importClause?.namedBindings;
  if (ts.isExportDeclaration(node)) bindings = node.exportClause;
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return [];
  return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

const imports = sources.flatMap(importsOf);

function exportedNames({ nodes: [tree] }: Source): readonly string[] {
  if (tree === undefined || !ts.isSourceFile(tree)) return [];
  return tree.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement];
    return declared.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []));
  });
}

function mayImport(from: string, to: string): boolean {
  if (from === to || to === 'errors') return true;
  if (to === 'platform') return from !== 'errors' && !from.startsWith('domain');
  return (allowed.get(from) ?? []).some((folder) => to === folder || to.startsWith(`${folder}/`));
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

function graph(pairs: readonly Pick<Import, 'from' | 'to'>[]): Map<string, Set<string>> {
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
  // The ECB has a status of 404 both for a series and for a path that it does not have.
  'src/pull/ecb/ecb.ts: detail',
  // OpenSSL and proxies.
  'src/client/remote/exchange.ts: message',
  // The parsers of command lines and of XML.
  'src/lines/read-line.ts: message',
  'src/import/readers/xml.ts: message',
  'src/store/postgres/failures.ts: message',
];

const messageNames = /^(?:about|description|detail|headline|message|reason|summary)$/;

const edits =
  /^(?:at|charAt|endsWith|exec|includes|indexOf|match|matchAll|replace|replaceAll|search|slice|split|startsWith|substring|test)$/;

/** The name of what an expression is a text of: `(error.detail ?? '')` and `String(error.detail)` are of `detail`. */
function subjectOf(node: ts.Node | undefined): string {
  if (node === undefined) return '';
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return subjectOf(node.expression);
  if (ts.isBinaryExpression(node)) return subjectOf(node.left);
  const isText = ts.isCallExpression(node) && subjectOf(node.expression) === 'String';
  return isText ? subjectOf(node.arguments[0]) : '';
}

/** The names of messages whose text a file cuts, replaces or searches, each once. */
function editedMessages({ nodes }: Source): readonly string[] {
  const found = nodes.flatMap((node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    const { name, expression } = node.expression;
    const isSearched = name.text === 'test' || name.text === 'exec';
    const subject = edits.test(name.text) ? subjectOf(isSearched ? node.arguments[0] : expression) : '';
    return messageNames.test(subject) ? [subject] : [];
  });
  return [...new Set(found)];
}

/** Quoted texts that are the name of a question, and stand for something else. */
const otherThings: readonly string[] = [
  // The words of a command that has a file of its own.
  'src/cli/dispatch.ts: ping',
  // What an undo takes back.
  'src/cli/commands/store.ts: vintages',
  // A kind of note, and a stage of a copy.
  'src/answering/answer.ts: check',
  'src/maintenance/copy.ts: check',
  // The objects of answers in files, whatever asked for them.
  'src/import/formats/own/answers.ts: insider_filings',
  // A live source.
  'src/pull/options.ts: calendar',
  // A member of an answer of FRED.
  'src/import/formats/fred/api.ts: observations',
  // A table of a store.
  'src/store/postgres/store.ts: curve',
];

/** The names that a file has in a union of types, a list or a key, each once. */
function quotedNames({ nodes }: Source, names: readonly string[]): readonly string[] {
  const found = nodes.filter(ts.isStringLiteralLike).filter((node) => names.includes(node.text));
  return [
    ...new Set(found.filter((node) => isOneOfSeveral(node) && !isPicked(node)).map(({ text }) => text)),
  ];
}

/** Whether a literal is one of several: a member of a union or a list, or a key. */
function isOneOfSeveral(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isLiteralTypeNode(parent)) return ts.isUnionTypeNode(parent.parent);
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node;
  return ts.isArrayLiteralExpression(parent) || ts.isElementAccessExpression(parent);
}

/** Whether a literal is a member of a type that is picked from, which has names of its own. */
function isPicked(node: ts.Node): boolean {
  const picked = /^(?:Omit|Pick)$/;
  const isPick = (one: ts.Node) => ts.isTypeReferenceNode(one) && picked.test(one.typeName.getText());
  return ts.findAncestor(node, isPick) !== undefined;
}

describe('the architecture', () => {
  const names = Object.values(questions).map(({ name }) => name);

  it('has a rule for every folder of src, and none for a folder that is gone', () => {
    expect([...allowed.keys()].sort()).toEqual([...new Set(files.map(folderOf))].sort());
  });

  it('allows every import that there is', () => {
    const broken = imports.filter(({ from, to }) => !mayImport(folderOf(from), folderOf(to)));
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
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
    const found = sources.flatMap((source) =>
      editedMessages(source).map((name) => `${source.path}: ${name}`),
    );
    expect(found.filter((one) => !foreignTexts.includes(one))).toEqual([]);
    expect(foreignTexts.filter((one) => !found.includes(one))).toEqual([]);
  });

  it.each([
    ['detail.replace(/a/, "")', ['detail']],
    ['error.refusal?.reason?.slice(1)', ['reason']],
    ['(described.description ?? "").startsWith("a")', ['description']],
    ['String(error.message).split(": ")', ['message']],
    ['pattern.exec(said?.headline ?? "")', ['headline']],
    ['names.includes(message)', []],
    ['message.length', []],
  ])('finds the text of a message that is cut or searched in %s', (text, names) => {
    expect(editedMessages(sourceOf('a.ts', text))).toEqual(names);
  });

  it('branches on no question or operation outside of its declaration', () => {
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
    const found = sources
      // A view of the explorer may have the name of what it shows.
      .filter(({ path }) => !/^src\/(?:explorer|operations|questions)\//.test(path))
      .flatMap((source) => quotedNames(source, names).map((name) => `${source.path}: ${name}`));
    expect(found.filter((one) => !otherThings.includes(one))).toEqual([]);
    expect(otherThings.filter((one) => !found.includes(one))).toEqual([]);
  });

  it.each([
    ["type Drawn = 'curve' | 'panel';", ['curve', 'panel']],
    ["const drawn = ['curve', 'panel'];", ['curve', 'panel']],
    ["const drawings = { 'curve': f };", ['curve']],
    ["const drawing = drawings['curve'];", ['curve']],
    ["type Rates = Pick<RateReads, 'curve' | 'panel'>;", []],
    ["f('curve');", []],
    ["const subject = { kind: 'curve' };", []],
  ])('finds the quoted names of questions in %s', (text, names) => {
    expect(quotedNames(sourceOf('a.ts', text), ['curve', 'panel'])).toEqual(names);
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
      'src/domain/calendar/zones.ts formats',
      'src/import/import.ts turns',
      'src/store/postgres/connection.ts withoutTls',
      'src/store/sql/series.ts implied',
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

  it('has no folder of more lines than it had', () => {
    const lines: Record<string, number> = {};
    for (const { path, text } of sources) {
      const [top, folder = '', ...rest] = path.split('/');
      const isInFolder = top === 'src' && rest.length > 0;
      if (isInFolder) lines[folder] = (lines[folder] ?? 0) + text.split('\n').length - 1;
    }
    expect(Object.keys(lines).sort()).toEqual(Object.keys(mostLines).sort());
    expect(Object.entries(lines).filter(([folder, count]) => count > (mostLines[folder] ?? 0))).toEqual([]);
  });

  it('has no more exports with one importer than it had', () => {
    const importers = new Map<string, Set<string>>();
    const published = new Set<string>();
    const byPath = new Map(
      sources.map((source) => [source.path, { ...source, names: exportedNames(source) }]),
    );
    for (const { from, to, names: imported } of imports) {
      // A name of the public API has readers outside of `src`.
      if (from === 'src/index.ts') for (const name of imported ?? []) published.add(`${to}#${name}`);
      const occurs = (name: string) => new RegExp(`\\b${name}\\b`).test(byPath.get(from)?.text ?? '');
      // A module that is loaded later counts for each of its names that occurs.
      for (const name of imported ?? byPath.get(to)?.names.filter(occurs) ?? [])
        importers.set(`${to}#${name}`, (importers.get(`${to}#${name}`) ?? new Set()).add(from));
    }
    const singles = [...byPath].flatMap(([path, { names: exported }]) =>
      exported.filter(
        (name) => importers.get(`${path}#${name}`)?.size === 1 && !published.has(`${path}#${name}`),
      ),
    );
    expect(singles.length).toBeLessThanOrEqual(mostSingles);
  });
});
