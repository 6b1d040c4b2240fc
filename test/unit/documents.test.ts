import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { allPages, anchorsOf, linksOf, pageAt } from '../support/pages.ts';
import { manifest, root } from '../support/repository.ts';

const pages = allPages();

/** The file and the fragment that a link of a page leads to; undefined for a web address. */
function targetOf(
  page: string,
  link: string,
): { readonly path: string; readonly anchor: string } | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor = ''] = link.split('#');
  return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
}

/** The titles of a test file as a tree, and under each the other texts that it contains. */
type TitledNode = { readonly title: string; readonly below: TitledNode[]; readonly texts: string[] };

function titlesOf(path: string): TitledNode {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const functionName = (node: ts.Node): string =>
    ts.isIdentifier(node)
      ? node.text
      : ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)
        ? functionName(node.expression)
        : '';
  const visit = (node: ts.Node, parent: TitledNode): void => {
    let inside = parent;
    if (ts.isCallExpression(node)) {
      const [title, body] = node.arguments;
      const isTest = ['describe', 'it', 'test'].includes(functionName(node.expression));
      if (isTest && title !== undefined && body !== undefined && ts.isStringLiteralLike(title)) {
        inside = { title: title.text, below: [], texts: [] };
        parent.below.push(inside);
      }
      const told = functionName(node.expression) === 'transcript' ? (title?.getText() ?? '') : '';
      for (const [, one = ''] of told.matchAll(/^\s*# (.*)$/gm))
        parent.below.push({ title: one, below: [], texts: [] });
    }
    if (ts.isStringLiteralLike(node)) inside.texts.push(node.text);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  const tree: TitledNode = { title: '', below: [], texts: [] };
  visit(source, tree);
  return tree;
}

/** Whether titles lead to a test; the last one may be a case of the table of a test. */
function hasTest(node: TitledNode, [title, ...rest]: readonly string[]): boolean {
  if (title === undefined) return true;
  const isCase = rest.length === 0 && node.title.includes('%') && node.texts.includes(title);
  return isCase || node.below.some((one) => one.title === title && hasTest(one, rest));
}

/** The lines `Test: [file](link) › title › title` of a page. */
function testsNamedIn(text: string) {
  return [...text.matchAll(/^Test: \[[^\]]*\]\(([^)]*)\) › (.*)$/gm)].map(([, link = '', titles = '']) => ({
    link,
    titles: titles.split(' › '),
  }));
}

/** The packages that the commands of a text fetch with npm or npx. */
function fetchedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:npm (?:install|i|exec)|npx)(?: +--?[\w=-]+)* +([@./\w][\w@./:*-]*)/g)].map(
    ([, name = '']) => name,
  );
}

describe('the documentation', () => {
  it('and what people copy from tell nobody to fetch a package that is not what asof means', () => {
    const { name, version, dependencies, optionalDependencies, devDependencies } = manifest;
    const packed = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const known = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const allowed = new Set([...known, `./${packed}`, '/tmp/asof.tgz']);
    // CONTRIBUTING.md is for a clone, where npx finds what `npm ci` installed.
    const paths = ['deploy', 'clients', 'src'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    const texts = [...pages, ...paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))].filter(
      ({ path }) => path !== 'CONTRIBUTING.md',
    );
    const wrong = texts.flatMap(({ path, text }) =>
      fetchedIn(text)
        .filter((fetched) => !allowed.has(fetched))
        .map((fetched) => `${path}: ${fetched}`),
    );
    expect(wrong).toEqual([]);
    expect(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')).toContain(
      `COPY ${packed.replace(version, '*')} /tmp/asof.tgz`,
    );
    expect(readFileSync(join(root, '.dockerignore'), 'utf8')).toContain(`!${packed.replace(version, '*')}\n`);
  });

  it.each(pages)('$path has no link to a file or heading that does not exist', ({ path, text }) => {
    const broken = linksOf(text).filter((link) => {
      const target = targetOf(path, link);
      if (target === undefined) return false;
      const file = join(root, target.path);
      if (!existsSync(file)) return true;
      return target.anchor !== '' && !anchorsOf(readFileSync(file, 'utf8')).has(target.anchor);
    });
    expect(broken).toEqual([]);
  });

  it('has no restore by psql that ends with 0 although it failed', () => {
    const restores = pages.flatMap(({ text }) => text.match(/^psql .*-f .*$/gm) ?? []);
    expect(restores.length).toBeGreaterThan(0);
    for (const line of restores) expect(line).toContain('-v ON_ERROR_STOP=1');
  });

  it('links every page of docs/ from docs/README.md', () => {
    const linked = new Set(
      linksOf(pageAt('docs/README.md').text).map((link) => targetOf('docs/README.md', link)?.path),
    );
    const unlinked = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith('docs/') && !linked.has(path));
    expect(unlinked).toEqual(['docs/README.md']);
  });

  it('says in CONTRIBUTING.md what each package is for', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const [, section = ''] = /^## Packages$([\s\S]*?)^## /m.exec(pageAt('CONTRIBUTING.md').text) ?? [];
    const described = section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    expect(described.sort()).toEqual(installed.sort());
  });

  it.each(['README.md', 'ARCHITECTURE.md'])('keeps %s within 150 lines', (path) => {
    expect(pageAt(path).text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it.each(pages)('$path names only files and folders that exist', ({ text }) => {
    const named = [...text.matchAll(/`((?:bench|bin|data|docs|scripts|src|test)\/[\w./-]*)`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it('describes every folder of src in ARCHITECTURE.md', () => {
    const [, tree = ''] = /^```\n(bin\/[\s\S]*?)^```$/m.exec(pageAt('ARCHITECTURE.md').text) ?? [];
    const described = [...tree.matchAll(/^ {2}(\w+)\/ /gm)].map(([, name]) => name);
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    expect(described.sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it('names only exported names of src in ARCHITECTURE.md', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
      .join('\n');
    const text = pageAt('ARCHITECTURE.md').text.replace(/^```[\s\S]*?^```$/gm, '');
    const named = [...text.matchAll(/`([a-z]+[A-Z]\w*|[A-Z][a-z]+(?:[A-Z]\w*)?)(?:\([^`]*\))?`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  });
});

describe('the rules of docs/rules', () => {
  const rules = pages.filter(({ path }) => path.startsWith('docs/rules/'));

  it.each(rules)('of $path each name the test that proves them', ({ text }) => {
    const sections = text.split(/^## /m).slice(1);
    expect(sections.filter((section) => testsNamedIn(section).length === 0)).toEqual([]);
  });

  it.each(rules)('of $path name tests that exist', ({ path, text }) => {
    const missing = testsNamedIn(text).flatMap(({ link, titles }) => {
      const name = targetOf(path, link)?.path ?? '';
      const file = join(root, name);
      if (!existsSync(file)) return [`${name} does not exist`];
      const tree = titlesOf(file);
      if (hasTest(tree, titles)) return [];
      return [
        `${name} has no '${titles.join(' › ')}'; it has '${closest(allTitles(tree), titles).join(' › ')}'`,
      ];
    });
    expect(missing).toEqual([]);
  });
});

/** Every path of titles in a tree, and the cases of tables below them. */
function allTitles({ title, below, texts }: TitledNode): readonly (readonly string[])[] {
  const cases = title.includes('%') ? texts.map((text) => [text]) : [];
  const inside = [...below.flatMap((one) => allTitles(one)), ...cases];
  const paths = inside.length === 0 || cases.length > 0 ? [[], ...inside] : inside;
  return title === '' ? paths : paths.map((path) => [title, ...path]);
}

/** The path that shares the most words with the wanted one. */
function closest(paths: readonly (readonly string[])[], wanted: readonly string[]): readonly string[] {
  const wordsOf = (path: readonly string[]) =>
    new Set(
      path
        .join(' ')
        .toLowerCase()
        .match(/[a-z]{3,}/g) ?? [],
    );
  const words = wordsOf(wanted);
  const scored = paths.map((path) => {
    const own = wordsOf(path);
    const shared = [...own].filter((word) => words.has(word)).length;
    return { path, score: shared / Math.max(own.size, words.size) };
  });
  return scored.sort((a, b) => b.score - a.score)[0]?.path ?? [];
}

describe('the decisions of docs/decisions', () => {
  const decisions = pages.filter(({ path }) => path.startsWith('docs/decisions/'));

  it.each(decisions)('$path is named in the source that it explains', ({ path }) => {
    const readers = ['src', 'scripts', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.m?ts$|\.mjs$/.test(name))
        .map((name) => join(root, folder, name)),
    );
    expect(readers.some((file) => readFileSync(file, 'utf8').includes(path))).toBe(true);
  });

  it.each(decisions)('$path gives the context, the decision and the consequence', ({ text }) => {
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      'Context',
      'Decision',
      'Consequence',
    ]);
  });
});
