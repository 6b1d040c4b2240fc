import { Readable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { type Asof, open } from '../../src/index.ts';
import { openStore } from '../../src/store/open.ts';
import { asof, type Ended, type Surroundings } from './command.ts';
import { newFolder } from './folders.ts';
import { type Running, startService } from './modes.ts';
import { importPaths } from './scratch-store.ts';

/** Where a command gets its answers. */
export type CommandMode = 'embedded' | 'remote';

/** Both modes, for `describe.each`. */
export const commandModes: readonly CommandMode[] = ['embedded', 'remote'];

/** A store that commands ask in both modes while the tests of a file run. */
export type AskedStore = {
  readonly store: string;
  /** The environment of a command that asks it, for transcripts. */
  readonly as: (mode: CommandMode) => Surroundings;
  /** Runs a line of words, separated by spaces; with what its standard input has. */
  readonly run: (mode: CommandMode, line: string, stdin?: string | Buffer) => Promise<Ended>;
  /** The store in the library, on 15 March 2026. */
  readonly library: () => Asof;
};

/** Imports files of the repository and made-up ones, by name, into a store that is asked. */
export function askedStore(
  files: readonly string[],
  made: Readonly<Record<string, string>> = {},
): AskedStore {
  const folder = newFolder();
  const store = folder.path('asked.db');
  return asking(store, () =>
    importPaths(store, [
      ...files,
      ...Object.entries(made).map(([name, content]) => folder.write(name, content)),
    ]),
  );
}

/** Makes a store before the tests of a file; a service of it runs until their end, on a day if one is given. */
export function asking(store: string, make: () => Promise<unknown>, now?: Date): AskedStore {
  let service: Running;
  let library: Asof;
  beforeAll(async () => {
    await make();
    service = await startService({
      openStore: () => openStore(store),
      ...(now !== undefined && { clock: () => now }),
    });
    library = await open(store, { clock: () => new Date('2026-03-15T12:00:00Z') });
  });
  afterAll(async () => {
    await library.close();
    await service.stop();
  });
  const as = (mode: CommandMode) => ({
    env:
      mode === 'embedded' ? { ASOF_STORE: store } : { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key },
  });
  return {
    store,
    as,
    run: (mode, line, stdin) =>
      asof(line.split(' '), {
        ...as(mode),
        ...(stdin !== undefined && { stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }) }),
      }),
    library: () => library,
  };
}
