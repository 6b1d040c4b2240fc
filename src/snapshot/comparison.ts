import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumOfFile } from './file.ts';
import { type FileRecord, type Manifest, parseManifest } from './manifest.ts';
import { manifestName } from './plan.ts';

/** What is not as the manifest says: a file, and in what. */
export type Finding = { readonly name: string; readonly what: string };

/** The manifest in a folder; a Finding where it is damaged. What the system refuses is thrown. */
export async function readManifest(folder: string): Promise<Manifest | Finding> {
  const path = join(folder, manifestName);
  const manifest = parseManifest(await readFile(path, 'utf8'), path);
  return manifest ?? { name: manifestName, what: 'is damaged' };
}

/** Holds what lies in a folder against its manifest. */
export async function compareFiles(folder: string, { files }: Manifest): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    const what = await faultOf(join(folder, file.name), file);
    if (what !== undefined) findings.push({ name: file.name, what });
  }
  const known = new Set([manifestName, ...files.map(({ name }) => name)]);
  const extra = (await readdir(folder)).filter((name) => !known.has(name)).sort();
  return [...findings, ...extra.map((name) => ({ name, what: 'is not in the manifest' }))];
}

async function faultOf(path: string, { bytes, sha256 }: FileRecord): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (found === undefined) return 'is missing';
  if (!found.isFile()) return 'is no file';
  if (found.size !== bytes) return `is changed: ${found.size} bytes, not ${bytes}`;
  return (await sumOfFile(path)).sha256 === sha256 ? undefined : 'is changed: its SHA-256 is another';
}

/** How what a command gives now differs from the file of a snapshot; undefined where it does not. */
export async function compareAnew(
  folder: string,
  { name, sha256 }: FileRecord,
  anew: string,
): Promise<string | undefined> {
  const path = join(anew, name);
  if ((await sumOfFile(path)).sha256 === sha256) return undefined;
  const [held, given] = await Promise.all([join(folder, name), path].map(linesOf));
  if (held === undefined || given === undefined) return 'is given otherwise now';
  const line = given.findIndex((text, i) => text !== held[i]);
  const at = line < 0 ? given.length : line;
  return `is given otherwise now, from line ${at + 1} on: ${shown(given[at])}, not ${shown(held[at])}`;
}

/** The lines of a text; undefined of what is none, or not there. */
async function linesOf(path: string): Promise<readonly string[] | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return text.includes('\0') ? undefined : text.split('\n');
  } catch {
    return undefined;
  }
}

const longest = 100;

function shown(line: string | undefined): string {
  if (line === undefined) return 'nothing';
  return JSON.stringify(line.length > longest ? `${line.slice(0, longest)}…` : line);
}
