import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.ts';

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
