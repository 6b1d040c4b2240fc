import { existsSync } from 'node:fs';
import { counted } from '../../errors/wording.ts';
import { connectionIn, messagesIn } from '../../lines/command.ts';
import type { ConnectionFlags } from '../../lines/line.ts';
import { planLineParser } from '../../lines/parse.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { samplePath } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import { inOneLine, type ParseLine } from '../../snapshot/line.ts';
import type { Manifest } from '../../snapshot/manifest.ts';
import { type Finding, openSnapshot, verify } from '../../snapshot/verify.ts';
import { isDatabase } from '../../store/address.ts';
import { chosenBaseUrl, storeToRead } from '../config/places.ts';
import { type SessionFlags, withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';
import { command } from './command.ts';

const { connection, messages } = sharedFlags;

const verifySnapshot = command({
  words: 'verify',
  heading: 'Files',
  summary: 'Check a snapshot against its manifest and its data',
  about: `First compares every file with manifest.json. Then runs the command of each file again as
of the recorded date and compares the bytes. These commands ask the first of:

  1. the service or store that a flag, a variable or a setting names
  2. the store that the snapshot came from, if it is on this machine, or the sample
  3. your own store

Without any of these, verify compares only the files and says so.

Prints one line for each difference and exits with code 1 if there is any.`,
  examples: `
# whether the files are still what their commands give (needs a snapshot)
asof verify desk
# the same, with the data of a service (needs a service at that address)
asof verify desk --base-url https://data.example.org
`,
  args: [{ name: 'dir', complete: 'folders', about: 'a snapshot' }],
  flags: [...connection, ...messages],
  read: (line) => ({
    folder: line.arg(0),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
  async run(line, io, load) {
    const messages = messagesOf(line.messages, io);
    try {
      const findings = await printed(
        findingsOf(line, planLineParser(io.clock(), await load(true)), io, messages),
        io,
      );
      if (findings.length === 0) return exitCode.success;
      const names = [...new Set(findings.map(({ name }) => name))];
      messages.note(`asof: ${line.folder} differs from its manifest or its data: ${names.join(', ')}`);
      return exitCode.differences;
    } catch (error) {
      throw io.signal.aborted ? error : inOneLine(error, {});
    }
  },
});

/** `asof verify`: compares a snapshot with its manifest, and with what its commands give now. */
export const commands = [verifySnapshot];

/** Prints findings as they come, so that those about files appear even if the data cannot be read. */
async function printed(findings: AsyncIterable<Finding>, io: Io): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings) {
    await print(`${finding.name} ${finding.what}\n`, io);
    all.push(finding);
  }
  return all;
}

async function* findingsOf(
  { folder, connection, messages: flags }: SessionFlags & { readonly folder: string },
  parseLine: ParseLine,
  io: Io,
  messages: Messages,
): AsyncGenerator<Finding> {
  const opened = await openSnapshot(folder);
  if ('what' in opened) {
    yield opened;
    return;
  }
  const { manifest } = opened;
  const source = sourceOf(manifest, connection, io);
  if (source === undefined)
    messages.note('asof: no store or service to compare with: only the files were read');
  let count = 0;
  const findings = verify(opened, {
    parseLine,
    signal: io.signal,
    async withData(compare) {
      if (source === undefined) return undefined;
      const quiet = { quiet: !flags.debug, verbose: false, debug: flags.debug };
      return withClient({ connection: source, messages: quiet }, io, compare);
    },
  });
  for await (const finding of findings) {
    count += 1;
    yield finding;
  }
  if (count > 0) return;
  const { length } = manifest.files;
  const how = source === undefined ? '' : ', and as their commands give them';
  messages.detail(`asof: ${folder} as of ${manifest.as_of}: ${counted(length, 'file')} as recorded${how}`);
}

/** The store or service to compare with; undefined if there is none. */
function sourceOf({ source }: Manifest, flags: ConnectionFlags, io: Io): ConnectionFlags | undefined {
  if (chosenBaseUrl(io, flags) !== undefined) return flags;
  const { namedBy, isSample } = storeToRead(io, flags.store);
  if (flags.store !== undefined || namedBy !== undefined) return flags;
  if ('sample' in source) return { ...flags, store: samplePath() };
  if ('store' in source && (isDatabase(source.store) || existsSync(source.store)))
    return { ...flags, store: source.store };
  return isSample ? undefined : flags;
}
