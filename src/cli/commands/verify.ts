import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { samplePath } from '../../platform/installation.ts';
import { compareAnew, compareFiles, type Finding, readManifest } from '../../snapshot/comparison.ts';
import type { Manifest } from '../../snapshot/manifest.ts';
import { wordsOf } from '../../snapshot/plan.ts';
import { chosenBaseUrl } from '../config/base-url.ts';
import { storeToRead } from '../config/places.ts';
import { type DataFlags, withRemoteFlags, withStoreFlag, withTalkFlags } from '../options/flags.ts';
import { inOneLine } from '../plan/one-line.ts';
import { type BoundLine, boundLine } from '../plan/plan-line.ts';
import { writeLines } from '../plan/plan-run.ts';
import { withSession } from '../run/session.ts';
import type { Shell } from '../shell.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { talk } from '../terminal/messages.ts';

/** What a verify command works with. */
type Setting = { readonly io: Io; readonly done: (code: number) => void; readonly shell: Shell };

const about = `

Every file is read and held against manifest.json; then its command is run again, as of the
day recorded, and must give the same bytes. It is asked of the service or store that is
named (by flag, variable or setting); else of the store that the snapshot came from, where
that is on this machine, or the sample if it came from that; else of your own store. Where
there is none of these the files alone are looked at, and a note says so.

Each difference is a line on stdout, and the exit code is 1.`;

/** `asof verify`: whether a snapshot still is what its manifest says, and its commands still give it. */
export function verifyCommand(command: Command, setting: Setting): void {
  withTalkFlags(withRemoteFlags(withStoreFlag(command)))
    .summary(command.description())
    .description(command.description() + about)
    .argument('<dir>', 'a snapshot')
    .action(async (dir: string) => setting.done(await runVerify(dir, command.opts(), setting)));
}

async function runVerify(dir: string, flags: DataFlags, { io, shell }: Setting): Promise<number> {
  const said = talk(flags, io);
  try {
    // A snapshot that is replaced meanwhile is still read as it was.
    const folder = await realpath(dir).catch(unreadable);
    const manifest = await readManifest(folder).catch(unreadable);
    if ('what' in manifest) return told([manifest], dir, io, said.note);
    const findings = await compareFiles(folder, manifest).catch(unreadable);
    const source = sourceFor(manifest, flags, io);
    if (source === undefined) said.note(`asof: no store or service to ask again: only the files were read`);
    const asked = source && compareWithData(folder, manifest, source, shell, io);
    const anew = await asked?.catch((error) => {
      // What was found in the files is true whoever cannot be asked.
      list(findings, io);
      throw error;
    });
    const all = [...findings, ...(anew ?? [])];
    if (all.length > 0) return told(all, dir, io, said.note);
    const how = source === undefined ? '' : ', and given so by their commands';
    const { length } = manifest.files;
    const files = `${length} file${length === 1 ? '' : 's'}`;
    said.detail(`asof: ${dir} as of ${manifest.as_of}: ${files} as recorded${how}`);
    return exitCode.success;
  } catch (error) {
    throw io.signal.aborted ? error : inOneLine(error, {});
  }
}

function list(findings: readonly Finding[], { stdout }: Io): void {
  stdout.write(findings.map(({ name, what }) => `${name} ${what}\n`).join(''));
}

function told(findings: readonly Finding[], dir: string, io: Io, note: (text: string) => void): number {
  list(findings, io);
  const names = [...new Set(findings.map(({ name }) => name))];
  note(`asof: ${dir} is not as its manifest says: ${names.join(', ')}`);
  return exitCode.differences;
}

function unreadable(cause: NodeJS.ErrnoException): never {
  if (cause instanceof Problem) throw cause;
  throw systemProblem('read', cause.path ?? 'the snapshot', cause);
}

/** Whom to ask again, as flags; undefined where there is nobody. */
function sourceFor({ source }: Manifest, flags: DataFlags, io: Io): DataFlags | undefined {
  if (chosenBaseUrl(io, flags) !== undefined) return flags;
  const { namedBy, isSample } = storeToRead(io, flags.store);
  if (flags.store !== undefined || namedBy !== undefined) return flags;
  if ('sample' in source) return { ...flags, store: samplePath() };
  if ('store' in source && existsSync(source.store)) return { ...flags, store: source.store };
  return isSample ? undefined : flags;
}

/** What a manifest says of its files besides their bytes, where their commands say otherwise. */
function misstated(
  { files }: Manifest,
  lines: readonly BoundLine[],
  rows: readonly number[],
): readonly Finding[] {
  return lines.flatMap(({ name, asOf }, i) => {
    const said = files[i];
    return [
      ...(said?.as_of === asOf
        ? []
        : [{ name, what: `is as of ${asOf} by its command, not ${said?.as_of}` }]),
      ...(said?.rows === rows[i]
        ? []
        : [{ name, what: `has ${rows[i]} rows by its command, not ${said?.rows}` }]),
    ];
  });
}

/** The files that their commands give otherwise now. */
async function compareWithData(
  folder: string,
  manifest: Manifest,
  flags: DataFlags,
  shell: Shell,
  io: Io,
): Promise<readonly Finding[]> {
  const day = manifest.as_of;
  const explain = (error: unknown, { name }: { readonly name: string }) =>
    inOneLine(error, { before: `${name}: ` });
  const lines: BoundLine[] = [];
  for (const [index, { name, command }] of manifest.files.entries()) {
    try {
      // A manifest is a file like any other: what it names is run only if a plan could name it.
      lines.push(await boundLine({ number: index + 1, name, words: wordsOf(command) }, day, shell, io));
    } catch (error) {
      throw explain(error, { name });
    }
  }
  const anew = await mkdtemp(join(tmpdir(), 'asof-verify-'));
  try {
    const quiet = { ...flags, verbose: false, quiet: flags.debug !== true };
    const { rows } = await withSession(quiet, io, (session) =>
      writeLines(lines, { session, shell, flags, day, folder: anew, explain }, async () => undefined),
    );
    const differing = await compareAnew(folder, manifest, anew);
    const names = new Set(differing.map(({ name }) => name));
    return [...differing, ...misstated(manifest, lines, rows).filter(({ name }) => !names.has(name))];
  } finally {
    await rm(anew, { recursive: true, force: true });
  }
}
