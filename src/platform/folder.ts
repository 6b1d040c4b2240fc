import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; one that is there stays as it is. Node's own way of doing so never
 * ends where the system says of a folder in a folder that exists that there is no such folder, as it does in `/proc`.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    const mayHelp = (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== path && !isFolder(above);
    if (!mayHelp) throw error;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
