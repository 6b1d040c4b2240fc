import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const longest = 300;

type Import = { readonly from: string; readonly to: string; readonly lazy: boolean };
type Rule = { readonly now: readonly string[]; readonly lazily: readonly string[] };

const files = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name)),
);

/** `src/cli/commands/import.ts` is called `cli/commands/import`, `bin/asof.ts` is `bin/asof`. */
function nameOf(path: string): string {
  return path.replace(/^src\//, '').replace(/\.ts$/, '');
}

function importsOf(path: string): Import[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(join(root, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, lazy: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return;
    const target = relative(root, join(root, dirname(path), specifier.text));
    found.push({ from: nameOf(path), to: nameOf(target), lazy });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier, false);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], true);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The table of ARCHITECTURE.md: each folder or file, and what it may import now or lazily. */
function readRules(): Map<string, Rule> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = /\| folder or file +\| may import +\|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()));
  return new Map(
    rows.map(([, name = '', allowed = '']) => {
      const [now = '', lazily = ''] = allowed.includes('lazily:') ? allowed.split('lazily:') : [allowed];
      return [name, { now: names(now), lazily: names(lazily) }];
    }),
  );
}

function names(list: string): string[] {
  return list
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

const rules = readRules();
const imports = files.flatMap(importsOf);

/** The rules for a file: of itself, and of its folder. */
function rulesFor(name: string): Rule[] {
  const folder = name.split('/')[0] ?? name;
  return [...new Set([name, folder])].flatMap((key) => rules.get(key) ?? []);
}

function within(name: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => name === entry || (!entry.includes('/') && name.startsWith(`${entry}/`)));
}

function isAllowed({ from, to, lazy }: Import): boolean {
  const folder = from.split('/')[0];
  if (to === 'problem' || (from.includes('/') && to.split('/')[0] === folder)) return true;
  return rulesFor(from).some((rule) => within(to, rule.now) || (lazy && within(to, rule.lazily)));
}

describe('the architecture of ARCHITECTURE.md', () => {
  it('has a rule for every folder of src', () => {
    const folders = new Set(files.map((path) => nameOf(path).split('/')[0]));
    folders.delete('problem');
    expect([...folders].filter((folder) => !rules.has(folder ?? ''))).toEqual([]);
  });

  it('names only what exists', () => {
    const known = new Set(files.flatMap((path) => [nameOf(path), nameOf(path).split('/')[0]]));
    const named = [...rules].flatMap(([name, { now, lazily }]) => [name, ...now, ...lazily]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('is kept by every import', () => {
    const broken = imports.filter((one) => !isAllowed(one));
    expect(broken.map(({ from, to, lazy }) => `${from} -> ${to}${lazy ? ' (lazily)' : ''}`)).toEqual([]);
  });

  it('finds imports at all', () => {
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it('has no cycles', () => {
    const edges = group(imports);
    const done = new Set<string>();
    const cycle = (name: string, path: readonly string[]): readonly string[] | undefined => {
      if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
      if (done.has(name)) return undefined;
      for (const next of edges.get(name) ?? []) {
        const found = cycle(next, [...path, name]);
        if (found !== undefined) return found;
      }
      done.add(name);
      return undefined;
    };
    expect(
      [...edges.keys()].map((name) => cycle(name, [])).find((found) => found !== undefined),
    ).toBeUndefined();
  });

  it(`has no file over ${longest} lines`, () => {
    const long = files.filter(
      (path) => readFileSync(join(root, path), 'utf8').split('\n').length > longest + 1,
    );
    expect(long).toEqual([]);
  });

  it('knows SQL in the engines alone', () => {
    const outside = files.filter((path) => !path.startsWith('src/store/sqlite/'));
    const guilty = outside.filter((path) =>
      /\bselect\b[^;`']*\bfrom\b|better-sqlite3/i.test(withoutComments(path)),
    );
    expect(guilty).toEqual([]);
  });

  it('has no drawers', () => {
    expect(files.filter((path) => /\b(utils?|helpers?|common|misc)\b/.test(path))).toEqual([]);
  });
});

function group(all: readonly Import[]): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const { from, to } of all) edges.set(from, [...(edges.get(from) ?? []), to]);
  return edges;
}

function withoutComments(path: string): string {
  return readFileSync(join(root, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
