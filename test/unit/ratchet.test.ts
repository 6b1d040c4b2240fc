import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from '../support/repository.ts';

/**
 * The most lines of each folder of `src`. A number may fall; a commit that raises one says what users get for it.
 */
const mostLines: Readonly<Record<string, number>> = {
  answering: 1924,
  cli: 4458,
  client: 1779,
  domain: 4106,
  errors: 323,
  explorer: 2002,
  import: 7303,
  library: 1000,
  lines: 863,
  maintenance: 1031,
  mcp: 359,
  operations: 3711,
  platform: 518,
  pull: 3162,
  questions: 4485,
  render: 2875,
  server: 3418,
  service: 465,
  snapshot: 1016,
  store: 6727,
  table: 144,
};

/** The most exports that one file alone imports. The number may fall, like the lines. */
const mostSingles = 352;

type Source = { readonly path: string; readonly tree: ts.SourceFile; readonly lines: number };

const sources: readonly Source[] = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(root, path), 'utf8');
      return {
        path,
        tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
        lines: text.split('\n').length - 1,
      };
    }),
);

/** The folder of `src` that a file is in; the public API is in none. */
function topFolder(path: string): string | undefined {
  const [top, folder, ...rest] = path.split('/');
  return top === 'src' && rest.length > 0 ? folder : undefined;
}

function exportedNames({ tree }: Source): readonly string[] {
  return tree.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      );
    const { name } = statement as ts.DeclarationStatement;
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
  });
}

/** The names that a file imports, as `file#name`; a lazily loaded module counts for each of its names that occurs. */
function importedNames({ path, tree }: Source): ReadonlySet<string> {
  const found = new Set<string>();
  const target = (specifier: string) => relative(root, join(root, dirname(path), specifier));
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      if (bindings !== undefined && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)))
        for (const { name, propertyName } of bindings.elements)
          found.add(`${target(node.moduleSpecifier.text)}#${(propertyName ?? name).text}`);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      const text = specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : '';
      const loaded = sources.find((source) => source.path === target(text));
      for (const name of loaded === undefined ? [] : exportedNames(loaded))
        if (new RegExp(`\\b${name}\\b`).test(tree.text)) found.add(`${target(text)}#${name}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it('no folder of src has more lines than it had', () => {
  const lines: Record<string, number> = {};
  for (const source of sources) {
    const folder = topFolder(source.path);
    if (folder !== undefined) lines[folder] = (lines[folder] ?? 0) + source.lines;
  }
  expect(Object.keys(lines).sort()).toEqual(Object.keys(mostLines).sort());
  expect(Object.entries(lines).filter(([folder, count]) => count > (mostLines[folder] ?? 0))).toEqual([]);
});

it('no more exports have one importer than had one', () => {
  const importers = new Map<string, number>();
  for (const source of sources)
    for (const name of importedNames(source)) importers.set(name, (importers.get(name) ?? 0) + 1);
  const singles = sources.flatMap((source) =>
    exportedNames(source).filter((name) => importers.get(`${source.path}#${name}`) === 1),
  );
  expect(singles.length).toBeLessThanOrEqual(mostSingles);
});
