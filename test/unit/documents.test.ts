import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allPages, anchorsOf, linksOf, manifest, packages, pageAt, root } from '../support/repository.ts';

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

/** Whether titles follow each other in a test file, each quoted or as the title of a transcript; cases come before. */
function hasTest(file: string, titles: readonly string[]): boolean {
  const whole = readFileSync(file, 'utf8');
  let rest = whole;
  return titles.every((title, i) => {
    const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const isCase = titles[i - 1]?.includes('%') === true;
    const found = new RegExp(`(['"\`])${quoted}\\1|^ *# ${quoted}$`, 'm').exec(isCase ? whole : rest);
    rest = rest.slice(found?.index ?? rest.length);
    return found !== null;
  });
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
    const { name, version } = manifest;
    const packed = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const allowed = new Set([...packages, `./${packed}`, '/tmp/asof.tgz']);
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

  it('has no link to a file or heading that does not exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => {
          const target = targetOf(path, link);
          if (target === undefined) return false;
          const file = join(root, target.path);
          if (!existsSync(file)) return true;
          return target.anchor !== '' && !anchorsOf(readFileSync(file, 'utf8')).has(target.anchor);
        })
        .map((link) => `${path}: ${link}`),
    );
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
    const [, section = ''] = /^## Packages$([\s\S]*?)^## /m.exec(pageAt('CONTRIBUTING.md').text) ?? [];
    const described = section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(described.sort()).toEqual([...packages].sort());
  });

  it.each(['README.md', 'ARCHITECTURE.md'])('keeps %s within 150 lines', (path) => {
    expect(pageAt(path).text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('names only files and folders that exist', () => {
    const named = /`((?:bench|bin|data|docs|scripts|src|test)\/[\w./-]*)`/g;
    const missing = pages.flatMap(({ path, text }) =>
      Array.from(text.matchAll(named), ([, name = '']) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
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
    const sources = codeIn('src');
    const text = pageAt('ARCHITECTURE.md').text.replace(/^```[\s\S]*?^```$/gm, '');
    const named = [...text.matchAll(/`([a-z]+[A-Z]\w*|[A-Z][a-z]+(?:[A-Z]\w*)?)(?:\([^`]*\))?`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  });
});

/** All code of some folders as one text. */
function codeIn(...folders: readonly string[]): string {
  const texts = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?ts$|\.mjs$/.test(name))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  return texts.join('\n');
}

describe('the rules of docs/rules', () => {
  const rules = pages.filter(({ path }) => path.startsWith('docs/rules/'));

  it.each(rules)('of $path each name the test that proves them', ({ text }) => {
    const sections = text.split(/^## /m).slice(1);
    expect(sections.filter((section) => testsNamedIn(section).length === 0)).toEqual([]);
  });

  it.each(rules)('of $path name tests that exist', ({ path, text }) => {
    const missing = testsNamedIn(text).filter(({ link, titles }) => {
      const file = join(root, targetOf(path, link)?.path ?? '');
      return !existsSync(file) || !hasTest(file, titles);
    });
    expect(missing).toEqual([]);
  });
});

describe('the decisions of docs/decisions', () => {
  const decisions = pages.filter(({ path }) => path.startsWith('docs/decisions/'));

  it('are each named in the source that they explain', () => {
    const code = codeIn('src', 'scripts', 'test');
    expect(decisions.map(({ path }) => path).filter((path) => !code.includes(path))).toEqual([]);
  });

  it('each give the context, the decision and the consequence', () => {
    for (const { path, text } of decisions) {
      const headings = Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading);
      expect([path, ...headings]).toEqual([path, 'Context', 'Decision', 'Consequence']);
    }
  });
});
