import { describe, expect, it } from 'vitest';
import { asof } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { facts, importFiles, newStorePath } from '../../../support/scratch-store.ts';

const scratch = scratchFolder();

/** The hints of `asof obs ID` in a store with some series. */
async function hintsFor(id: string, held: readonly string[]) {
  const store = newStorePath(scratch);
  const lines = ['ZZ', ...held].map((one) => `${one} 2020-01-01 2020-02-01 1`);
  await importFiles(store, { 'own.csv': facts(...lines) });
  const { code, err } = await asof(['obs', id, '--store', store]);
  expect([code, err.split('\n')[0]]).toEqual([3, `asof: series '${id}' not found`]);
  return err
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
    .filter((line) => !/^(?:did you mean|request |the sample has it)/.test(line));
}

const pulls: Readonly<Record<string, string>> = {
  UNRATE: 'asof pull fred UNRATE brings it; without a key: asof pull fred-md',
  RUC: 'asof pull rtdsm RUC brings it, without a key',
  GDPC1: 'asof pull fred GDPC1 brings it; without a key: asof pull fred-qd',
  ROUTPUT: 'asof pull rtdsm ROUTPUT brings it, without a key',
  GDP: 'asof pull fred GDP brings it',
  NOUTPUT: 'asof pull rtdsm NOUTPUT brings it, without a key',
};

describe('a well-known series that the store lacks', () => {
  it.each([
    ['UNRATE', `${pulls.UNRATE} or asof pull rtdsm RUC, which has it as RUC`],
    ['RUC', pulls.RUC],
    ['GDPC1', `${pulls.GDPC1} or asof pull rtdsm ROUTPUT, which has it as ROUTPUT`],
    ['ROUTPUT', pulls.ROUTPUT],
    ['GDP', `${pulls.GDP}; without a key: asof pull rtdsm NOUTPUT, which has it as NOUTPUT`],
    ['NOUTPUT', pulls.NOUTPUT],
  ])('gets pulls that bring %s, or say under which id', async (id, hint) => {
    expect(await hintsFor(id, [])).toEqual([hint]);
  });

  it.each([
    ['UNRATE', 'RUC'],
    ['RUC', 'UNRATE'],
    ['GDPC1', 'ROUTPUT'],
    ['ROUTPUT', 'GDPC1'],
    ['GDP', 'NOUTPUT'],
    ['NOUTPUT', 'GDP'],
  ])(
    'is named under its other id, if the store has %s as %s, and by pulls of its own id alone',
    async (id, other) => {
      expect(await hintsFor(id, [other])).toEqual([`the store has it under another id: ${other}`, pulls[id]]);
    },
  );
});
