import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtPath } from '../platform/installation.ts';
import { fileAnswer } from './respond.ts';

/** Everything comes from the service; pictures are made in the page, and saved through `blob:` addresses. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript' };

/**
 * The page of the explorer and what it loads, by their paths. The commands that the page shows name this store, where
 * it is empty the usual one; without a store, the service at the address of the page.
 */
export function explorerFiles(store?: string): ReadonlyMap<string, ReturnType<typeof fileAnswer>> {
  const answer = (name: string, type: string, change = (text: Buffer) => text) => {
    const content = async () => change(await readFile(join(builtPath('explorer'), name)));
    return fileAnswer({ type: `${type}; charset=utf-8`, policy, content });
  };
  const withStore = (page: Buffer): Buffer =>
    store === undefined
      ? page
      : Buffer.from(String(page).replace('<html ', () => `<html data-store="${escaped(store)}" `));
  const loaded = readdirSync(builtPath('explorer')).flatMap((name) => {
    const type = types[name.split('.').at(-1) ?? ''];
    return type === undefined ? [] : [[`/explorer/${name}`, answer(name, type)] as const];
  });
  return new Map([['/', answer('page.html', 'text/html', withStore)], ...loaded]);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
