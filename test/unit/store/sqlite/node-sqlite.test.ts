import { describe, expect, it } from 'vitest';
import { openWithNode } from '../../../../src/store/sqlite/node-sqlite.ts';

/** A database as `node:sqlite` has it, which Node 20 lacks. */
class DatabaseSync {
  readonly isTransaction = false;
  readonly prepare = () => {
    throw new Error('no statement is prepared');
  };
  readonly exec = () => undefined;
  readonly deserialize = () => undefined;
  readonly close = () => undefined;
}

describe("a copy by Node's own SQLite", () => {
  it.each([
    [13, 'SQLITE_FULL'],
    [14, 'SQLITE_CANTOPEN'],
    [778, 'SQLITE_IOERR_WRITE'],
  ])('fails with the name of error %i of SQLite', async (errcode, code) => {
    // As Node 24 rejects it.
    const failure = Object.assign(new Error('a reason'), { code: 'ERR_SQLITE_ERROR', errcode });
    const db = openWithNode({ DatabaseSync, backup: () => Promise.reject(failure) }, ':memory:', {});
    await expect(db.backup('copy.db', { progress: () => 1 })).rejects.toMatchObject({
      code,
      message: 'a reason',
    });
  });
});
