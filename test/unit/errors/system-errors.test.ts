import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isClosedPipe, isSystemError, systemProblem } from '../../../src/errors/system-errors.ts';
import { tempFolder } from '../../support/folders.ts';

const folder = tempFolder({ file: '' });

function errorOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('the work did not fail');
}

describe('an error of the operating system', () => {
  it.each([
    ['a file that is missing', 'none.csv', 'there is no such file or folder'],
    ['a folder', '', 'it is a folder'],
    ['a path through a file', 'file/x', 'a part of the path is not a folder'],
    ['a name of 300 letters', 'x'.repeat(300), 'the name is too long'],
  ])('names the path and the reason in plain words when asof reads %s', (_, name, reason) => {
    const path = join(folder, name);
    const error = errorOf(() => readFileSync(path));
    expect(isSystemError(error)).toBe(true);
    const problem = systemProblem('read', path, error);
    expect(problem).toMatchObject({ kind: 'local-io', detail: `cannot read ${path}: ${reason}` });
    expect(problem.cause).toBe(error);
  });

  it('says that the folder is missing when asof writes a file into a missing folder', () => {
    const path = join(folder, 'none/x.csv');
    const error = errorOf(() => closeSync(openSync(path, 'w')));
    expect(systemProblem('write to', path, error).detail).toBe(
      `cannot write to ${path}: there is no such folder`,
    );
  });

  it('is shown with its own message where the table has no words for its code', () => {
    const error = Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' });
    expect(systemProblem('use', 'the store a.db', error).detail).toBe(
      'cannot use the store a.db: ESTALE: stale file handle',
    );
  });

  it('prefers the reason that the caller gives, if there is one', () => {
    expect(systemProblem('lock', 'a.lock', new Error('x'), 'it is not a lock').detail).toBe(
      'cannot lock a.lock: it is not a lock',
    );
  });
});

describe('a pipe without a reader', () => {
  it.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('is recognised by %s', (code) => {
    expect(isClosedPipe(Object.assign(new Error(code), { code }))).toBe(true);
  });

  it('is not confused with a full disk', () => {
    expect(isClosedPipe(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toBe(false);
  });
});
