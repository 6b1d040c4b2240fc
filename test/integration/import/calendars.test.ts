import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { mergeStore } from '../../../src/maintenance/merge.ts';
import { undoableImports, undoStoreImport } from '../../../src/maintenance/undo.ts';
import { scheduleIn } from '../../../src/operations/calendar/schedule.ts';
import { contract } from '../../support/engines.ts';
import { testData } from '../../support/repository.ts';
import {
  contentOf,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  reading,
} from '../../support/scratch-store.ts';

const made = (name: string) => readFileSync(join(testData, 'calendar', name), 'utf8');
// The jobs reports as planned before the lapse of 2025, and as known after it.
const before = { 'bls-2025-10-01.ics': made('bls-2025-10-01.ics') };
const after = { 'bls-2026-01-02.ics': made('bls-2026-01-02.ics') };
const moved = {
  'bls-2025-10-01.ics': before['bls-2025-10-01.ics'].replace(
    'DTSTART;TZID=US-Eastern:20251003',
    'DTSTART;TZID=US-Eastern:20251017',
  ),
};

/** The days of a release as known on a day, with their states. */
const knownOn = (address: string, asOf: string, release = 'bls:employment-situation') =>
  reading(address, async (view) =>
    (await scheduleIn(view, { asOf }))
      .filter((one) => one.release.id === release)
      .map(({ day, status }) => `${day} ${status}`),
  );

contract((engine) => {
  const storeOf = async (
    ...imports: readonly (readonly [Readonly<Record<string, string>>, ImportFlags?])[]
  ) => {
    const address = engine.newAddress();
    for (const [files, flags] of imports) await importFiles(address, files, flags);
    return address;
  };

  describe('calendars before and after the lapse of 2025', () => {
    it.each([
      ['in their order', [[before], [after]]],
      ['in the other order', [[after], [before]]],
    ] as const)('imported %s say what was planned as known on each day', async (_, imports) => {
      const address = await storeOf(...imports);
      expect(await knownOn(address, '2025-09-30')).toEqual([]);
      expect(await knownOn(address, '2025-10-02')).toEqual([
        '2025-09-05 passed',
        ...['2025-10-03', '2025-11-07', '2025-12-05', '2026-01-09', '2026-02-06'].map(
          (day) => `${day} planned`,
        ),
      ]);
      expect(await knownOn(address, '2026-01-02')).toEqual([
        ...['2025-09-05 passed', '2025-10-03 vanished', '2025-11-07 vanished', '2025-11-20 passed'],
        ...['2025-12-05 vanished', '2025-12-16 passed', '2026-01-09 planned', '2026-02-06 vanished'],
        ...['2026-02-11 planned', '2026-03-06 planned', '2026-04-03 planned'],
      ]);
    });

    it('have proofs of their days in the text of ALFRED, each known from its own day', async () => {
      const text =
        'Employment Situation\n\nRelease Dates:\n----------\n2025-09-05\n2025-11-20\n2025-12-16\n----------\n';
      const address = await storeOf([before], [after], [{ 'dates.txt': text }]);
      const released = async (asOf: string) =>
        (await knownOn(address, asOf)).filter((text) => text.endsWith('released'));
      expect(await released('2025-11-19')).toEqual(['2025-09-05 released']);
      expect(await released('2025-11-20')).toEqual(['2025-09-05 released', '2025-11-20 released']);
      expect(await released('2026-01-02')).toHaveLength(3);
    });
  });

  describe('a calendar', () => {
    it('imported twice is known', async () => {
      const address = engine.newAddress();
      const summaries = [await importFiles(address, before), await importFiles(address, before)];
      expect(
        summaries
          .flat()
          .map(({ listed, statementsNew, statementsKnown }) => [listed, statementsNew, statementsKnown]),
      ).toEqual([
        [7, 7, 0],
        [7, 0, 7],
      ]);
    });

    it('that differs from the stored one of its day is a conflict, unless it replaces that', async () => {
      const address = await storeOf([before]);
      const held = await contentOf(address);
      expect(await failureOf(importFiles(address, moved))).toMatch(/^1 conflict; nothing was imported:\n/);
      expect(await failureOf(importFiles(address, moved))).toContain(
        '/bls-2025-10-01.ics: another calendar of BLS is stored as seen on 2025-10-01: ' +
          '2025-10-03 08:30 America/New_York Employment Situation is missing; ' +
          '2025-10-17 08:30 America/New_York Employment Situation is new',
      );
      expect(await contentOf(address)).toEqual(held);
      await importFiles(address, moved, { replace: true });
      expect((await knownOn(address, '2025-10-02'))[1]).toBe('2025-10-17 planned');
    });

    it('lists at most four differences', async () => {
      const address = await storeOf([before]);
      const others = { 'bls-2025-10-01.ics': before['bls-2025-10-01.ics'].replaceAll('Situation', 'Report') };
      const message = await failureOf(importFiles(address, others));
      expect(message.split('; ').slice(-2)).toEqual([
        '2025-10-03 08:30 America/New_York Employment Situation is missing',
        '… and 8 more',
      ]);
    });

    it('that comes in two texts at once is a conflict', async () => {
      const [text = ''] = Object.values(moved);
      const address = engine.newAddress();
      const message = await failureOf(importFiles(address, { ...before, 'other-2025-10-01.ics': text }));
      expect(message).toContain(
        'other-2025-10-01.ics: another calendar of BLS is stored as seen on 2025-10-01',
      );
    });

    it('that is dated in the future is refused', async () => {
      expect(await failureOf(importFiles(engine.newAddress(), before, { latest: '2025-09-30' }))).toContain(
        'bls-2025-10-01.ics: "2025-10-01": the calendar of BLS is dated in the future; today is at most 2025-09-30',
      );
    });
  });

  describe('an undo', () => {
    it('takes a calendar back, or gives back the one that it replaced', async () => {
      const address = await storeOf([before], [moved, { replace: true }], [after]);
      const first = await contentOf(await storeOf([before]));
      const undone = await undoStoreImport(address);
      expect(undone).toMatchObject({ series: [], rates: 0, filings: 0, looks: 1, empty: false });
      expect(await undoStoreImport(address)).toMatchObject({ looks: 1 });
      expect(await contentOf(address)).toEqual(first);
      expect(await undoStoreImport(address)).toMatchObject({ looks: 1, empty: true });
      expect((await contentOf(address)).others).toEqual([]);
    });

    it('of a calendar that a later import replaced is refused', async () => {
      const address = await storeOf([before], [moved, { replace: true }]);
      const [, first] = await undoableImports(address);
      expect(await failureOf(undoStoreImport(address, { number: first?.number ?? 0 }))).toContain(
        'later imports changed the same data',
      );
    });
  });

  describe('a store with calendars', () => {
    it('is copied and merged with them', async () => {
      const address = await storeOf([before], [{ 'a.csv': facts('GDP 2014-10-01 2015-01-30 1.5') }]);
      const copy = engine.newAddress();
      expect(await copyStore(address, copy)).toMatchObject({ series: 1, looks: 1 });
      expect(await contentOf(copy)).toEqual(await contentOf(address));
      const into = await storeOf([after]);
      await mergeStore(address, into);
      expect((await contentOf(into)).others).toEqual(
        (await contentOf(await storeOf([before], [after]))).others,
      );
      expect(await failureOf(mergeStore(into, await storeOf([moved])))).toContain('another calendar of BLS');
    });
  });
});
