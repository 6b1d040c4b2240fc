import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { isClosedPipe, isSystemError, systemProblem } from '../../../src/errors/system-errors.ts';
import { counted, someOf } from '../../../src/errors/wording.ts';
import { tempFolder } from '../../support/folders.ts';

describe('a copy of a problem', () => {
  const parts = {
    field: 'id',
    hints: ['did you mean GDP?'],
    requestId: 'req_1',
    retryAfter: 3,
    type: 'https://errors.example/not-found',
    missing: true,
    cause: new Error('the reason'),
  };
  const detail = "series 'GPD' not found";
  const problem = new Problem('not-found', detail, parts);

  it('keeps everything that is not changed, and the cause', () => {
    const copy = problem.with({ instance: '/v1/series/GPD' });
    const all = { ...parts, kind: 'not-found', detail, message: detail, instance: '/v1/series/GPD' };
    expect(copy).toMatchObject(all);
    expect(copy.cause).toBe(parts.cause);
    expect(problem.instance).toBeUndefined();
  });

  it('can have another kind, detail and hints, and lose a field', () => {
    const copy = problem.with({ kind: 'bad-input', detail: 'line 3: no', hints: [], field: undefined });
    expect(copy).toMatchObject({ kind: 'bad-input', message: 'line 3: no', detail: 'line 3: no', hints: [] });
    expect([copy.field, copy.requestId]).toEqual([undefined, 'req_1']);
  });

  it('has no cause where the problem has none', () => {
    expect(Object.hasOwn(new Problem('no-rows', 'no rows').with({ hints: ['x'] }), 'cause')).toBe(false);
  });
});

describe('an error of the operating system', () => {
  const folder = tempFolder({ file: '' });

  function errorOf(work: () => void): unknown {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error('the work did not fail');
  }

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
    const { detail } = systemProblem(
      'write to',
      path,
      errorOf(() => closeSync(openSync(path, 'w'))),
    );
    expect(detail).toBe(`cannot write to ${path}: there is no such folder`);
  });

  it('is shown with its own message where the table has no words for its code', () => {
    const error = Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' });
    const { detail } = systemProblem('use', 'the store a.db', error);
    expect(detail).toBe('cannot use the store a.db: ESTALE: stale file handle');
  });

  it('prefers the reason that the caller gives, if there is one', () => {
    const { detail } = systemProblem('lock', 'a.lock', new Error('x'), 'it is not a lock');
    expect(detail).toBe('cannot lock a.lock: it is not a lock');
  });

  it.each([
    ['EPIPE', true],
    ['ERR_STREAM_DESTROYED', true],
    ['ENOSPC', false],
  ])('says by %s whether a pipe lost its reader: %s', (code, isClosed) => {
    expect(isClosedPipe(Object.assign(new Error(code), { code }))).toBe(isClosed);
  });
});

describe('a count in a message', () => {
  it('has the digits that the language of the messages has, for any count', () => {
    assert(
      property(nat(), (count) => {
        expect(counted(count, 'row', 'rows').split(' ')[0]).toBe(count.toLocaleString('en-US'));
      }),
    );
  });

  it('has the noun in the singular for 1 alone', () => {
    expect([0, 1, 2].map((count) => counted(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows']);
    expect(counted(1000, 'entry', 'entries')).toBe('1,000 entries');
  });
});

describe('some of many names', () => {
  it('are the first ones and the number of the others, of which a single one is named', () => {
    const names = ['A', 'B', 'C', 'D'];
    expect(someOf(names, 2)).toEqual(['A', 'B', '2 more']);
    expect(someOf(names, 2, 'columns')).toEqual(['A', 'B', '2 more columns']);
    expect(someOf(names, 3, 'columns')).toEqual(names);
    expect(someOf([], 3)).toEqual([]);
  });
});
