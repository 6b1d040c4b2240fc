import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

const folders = new Set<string>();

// Here, not in the functions below: vitest ignores a hook that is set within a test.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes an empty folder, which is removed when the test file has ended. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'asof-test-'));
  folders.add(folder);
  return folder;
}

/** Makes a folder with these files (path: content), which is removed when the test file has ended. */
export function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = scratchFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** A folder and the files in it. */
export type Folder = {
  readonly path: (name: string) => string;
  /** Writes a file; returns its path. */
  readonly write: (name: string, content: string) => string;
  readonly read: (name: string) => string;
  readonly has: (name: string) => boolean;
};

/** Makes an empty folder, which is removed when the test file has ended. */
export function newFolder(): Folder {
  const root = scratchFolder();
  const path = (name: string) => join(root, name);
  return {
    path,
    write(name, content) {
      writeFileSync(path(name), content);
      return path(name);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
  };
}

/** The user and group `nobody` on Linux. */
const nobody = 65_534;

/**
 * Runs `work` without the rights of the superuser: as the user `nobody`, if root runs the tests. Run the same work once
 * before with full rights, because that user may not be able to load modules.
 */
export async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.setegid === undefined || process.seteuid === undefined)
    return work();
  process.setegid(nobody);
  process.seteuid(nobody);
  try {
    return await work();
  } finally {
    process.seteuid(0);
    process.setegid(0);
  }
}
