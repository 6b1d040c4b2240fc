import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileRecord, type Manifest, parseManifest } from './manifest.ts';
import { manifestName } from './plan.ts';
import { sumOfFile } from './run.ts';

/** A difference from the manifest: a file, and what is different about it. */
export type Finding = { readonly name: string; readonly what: string };

/** The manifest in a folder; a Finding where it is damaged. Throws errors of the operating system. */
export async function readManifest(folder: string): Promise<Manifest | Finding> {
  const path = join(folder, manifestName);
  if (!(await lstat(path)).isFile()) return { name: manifestName, what: 'is no file' };
  const manifest = parseManifest(await readFile(path, 'utf8'), path);
  return manifest ?? { name: manifestName, what: 'is damaged' };
}

/** Compares the files of a folder with its manifest. */
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

/** Compares what the commands give now, in files of the same names, with the manifest and with the files of the snapshot. */
export async function compareOutputs(
  folder: string,
  { files }: Manifest,
  other: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, sha256 } of files) {
    const [own, given] = [join(folder, name), join(other, name)];
    const same = (await sumOfFile(given)).sha256 === sha256;
    const where = await firstDifference(own, given);
    if (!same) findings.push({ name, what: `is given otherwise by its command now${where ?? ''}` });
    else if (where !== undefined)
      findings.push({ name, what: `differs from what its command gives${where}` });
  }
  return findings;
}

/** The first line in which two texts differ, in words; undefined where they are equal or one is not a text. */
async function firstDifference(path: string, other: string): Promise<string | undefined> {
  const [own, others] = await Promise.all([path, other].map(linesOf));
  if (own === undefined || others === undefined) return undefined;
  const length = Math.max(own.length, others.length);
  for (let line = 0; line < length; line += 1)
    if (own[line] !== others[line])
      return `, from line ${line + 1} on: ${shown(own[line])} here, ${shown(others[line])} there`;
  return undefined;
}

/** The lines of a text; undefined for bytes, and for a missing file. */
async function linesOf(path: string): Promise<readonly string[] | undefined> {
  try {
    // Reading a pipe or a device would never end.
    if (!(await lstat(path)).isFile()) return undefined;
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
