import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { removeSeries, renameSeries } from '../../../src/maintenance/series.ts';
import { undoableImports, undoStoreImport } from '../../../src/maintenance/undo.ts';
import { writing } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { contract, inDatabase, schemaOf } from '../../support/engines.ts';
import { contentOf, facts, failureOf, importFiles, reading } from '../../support/scratch-store.ts';
import { documentOf, trade } from '../../support/sec-documents.ts';

/** The numbers of new statements by the log. */
const countsIn = (address: string) =>
  reading(address, async (view) => (await view.sources.imports()).map(({ statementsNew }) => statementsNew));

const idsIn = (address: string) => reading(address, (view) => view.contents.seriesIds());

const madeElsewhere =
  'no import can be undone: an older asof made them, or they are older than this copy of the store';

contract((engine) => {
  /** A store into which some imports were made. */
  async function storeOf(...imports: readonly string[][]): Promise<string> {
    const address = engine.newAddress();
    for (const [i, lines] of imports.entries()) await importFiles(address, { [`${i}.csv`]: facts(...lines) });
    return address;
  }

  describe('an import older than what --keep-undo keeps', () => {
    const day = 86_400;
    const said = (id: string, on: string, keepDays?: number) =>
      [
        { [`${id}.csv`]: facts(`${id} 2014-10-01 2015-01-30 1`) },
        { importedAt: `${on}T12:00:00.000Z`, ...(keepDays !== undefined && { keepUndo: keepDays * day }) },
      ] as const;
    const numbersIn = async (address: string) => (await undoableImports(address)).map(({ number }) => number);
    /** The imports of which the store has what an undo needs. */
    const recordedIn = async (address: string): Promise<readonly number[]> => {
      const sql = 'select import from series_change order by import';
      if (address.startsWith('postgres:'))
        return inDatabase(async (client) => {
          await client.query(`set search_path to ${schemaOf(address)}`);
          return (await client.query<{ import: string }>(sql)).rows.map((row) => Number(row.import));
        }, address);
      const db = openDatabase(address, { readonly: true });
      const rows = db.prepare(sql).all() as readonly { readonly import: number }[];
      db.close();
      return rows.map((row) => row.import);
    };

    it('can no longer be undone, and the refusal says since when; later ones can', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLD', '2026-01-01'));
      await importFiles(address, ...said('YOUNG', '2026-01-10'));
      await importFiles(address, ...said('NEW', '2026-01-15', 7));
      expect(await recordedIn(address)).toEqual([2, 3]);
      expect(await numbersIn(address)).toEqual([3, 2]);
      expect(await failureOf(undoStoreImport(address, { number: 1 }))).toBe(
        'import 1 of 2026-01-01T12:00:00.000Z is too old to undo: --keep-undo made the store forget what the imports up to 1 changed',
      );
      await undoStoreImport(address, { number: 2 });
      expect(await idsIn(address)).toEqual(['NEW', 'OLD']);
      expect((await checkStore(address)).faults).toEqual([]);
    });

    it('leaves nothing to undo if it is the last, and its number is not given again', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLD', '2026-01-01'));
      await importFiles(address, ...said('GONE', '2026-01-02'));
      await undoStoreImport(address, { number: 2 });
      // Nothing new, and yet the older import is forgotten.
      await importFiles(address, ...said('OLD', '2026-01-15', 1));
      await undoStoreImport(address);
      expect(await numbersIn(address)).toEqual([]);
      expect(await failureOf(undoStoreImport(address))).toContain(
        'import 1 of 2026-01-01T12:00:00.000Z is too old',
      );
      await importFiles(address, ...said('NEW', '2026-01-15'));
      expect(await numbersIn(address)).toEqual([4]);
    });

    it('names the last of those that can no longer be undone', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLDEST', '2026-01-01'));
      await importFiles(address, ...said('OLD', '2026-01-02'));
      await importFiles(address, ...said('NEW', '2026-01-15', 7));
      await undoStoreImport(address);
      expect(await failureOf(undoStoreImport(address))).toContain(
        'import 2 of 2026-01-02T12:00:00.000Z is too old',
      );
    });

    it('stays as it is where another process forgets it while an undo begins', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLD', '2026-01-01'));
      await importFiles(address, ...said('NEW', '2026-01-15', 7));
      const before = await contentOf(address);
      const undo = writing(address, async (writer) => {
        await writer.undo(1, async () => undefined);
        await writer.commit();
      });
      expect(await failureOf(undo)).toBe(
        'import 1 can no longer be undone: meanwhile another command undid it, or forgot what it changed',
      );
      expect(await contentOf(address)).toEqual(before);
      expect(await countsIn(address)).toEqual([1, 1]);
    });

    it('is forgotten by no import that keeps more days than there are', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLD', '2026-01-01'));
      await importFiles(address, ...said('NEW', '2026-01-15', Number.MAX_SAFE_INTEGER / day));
      expect(await numbersIn(address)).toEqual([2, 1]);
    });

    it('is kept by an import without the flag, by one of the same age, and by a dry run', async () => {
      const address = engine.newAddress();
      await importFiles(address, ...said('OLD', '2026-01-01'));
      await importFiles(address, ...said('OTHER', '2026-01-15'));
      await importFiles(address, ...said('THIRD', '2026-01-15', 14));
      const [files, flags] = said('FOURTH', '2026-01-15', 1);
      await importFiles(address, files, { ...flags, dryRun: true });
      expect(await recordedIn(address)).toEqual([1, 2, 3]);
    });
  });

  it('an import that another process undoes first is not undone twice', async () => {
    const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['GDP 2014-10-01 2015-02-27 2']);
    const undo = () =>
      writing(address, async (writer) => {
        await writer.undo(2, async () => undefined);
        await writer.commit();
      });
    await undo();
    expect(await failureOf(undo())).toContain('import 2 can no longer be undone');
  });

  describe('an import that is taken back', () => {
    it('is as if it had never been, for any imports and any of the last', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.nat(), fc.boolean(), async (imports, count, replace) => {
          const [address, never] = [engine.newAddress(), engine.newAddress()];
          const kept = imports.slice(0, Math.max(1, imports.length - 1 - (count % 3)));
          for (const one of imports) await importMixed(address, one, { replace });
          for (const one of kept) await importMixed(never, one, { replace });
          for (let i = kept.length; i < imports.length; i += 1) await undoStoreImport(address);
          expect(await contentOf(address)).toEqual(await contentOf(never));
          expect(await countsIn(address)).toEqual(await countsIn(never));
          expect((await checkStore(address)).faults).toEqual([]);
        }),
        { numRuns: runs(8, engine) },
      );
    });

    it('may be any that no later one is about, and the later ones stay', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.nat(), async (imports, which) => {
          const address = engine.newAddress();
          for (const one of imports) await importMixed(address, one);
          const undone = which % imports.length;
          const [at] = (await undoableImports(address)).slice(imports.length - 1 - undone);
          const before = await engine.digest(address);
          try {
            await undoStoreImport(address, { number: at?.number ?? 0 });
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
            expect((error as Problem).message).toMatch(
              /^later imports changed the same data:\n {2}import \d+: /,
            );
            expect(await engine.digest(address)).toBe(before);
            return;
          }
          const never = engine.newAddress();
          for (const [i, one] of imports.entries()) if (i !== undone) await importMixed(never, one);
          const nothing = { series: [], others: [], symbols: [], followed: [] };
          expect(await contentOf(address)).toEqual(imports.length > 1 ? await contentOf(never) : nothing);
        }),
        { numRuns: runs(8, engine) },
      );
    });

    it('gives back the values, texts and titles that it replaced', async () => {
      const address = engine.newAddress();
      const said = (value: string, title: string) => ({
        'a.csv': facts(`GDP 2014-10-01 2015-01-30 ${value}`),
        'm.csv': `series_id,title\nGDP,${title}\n`,
      });
      await importFiles(address, said('1.5', 'Product'));
      const before = await contentOf(address);
      await importFiles(address, said('1.6', 'Gross Product'), { replace: true });
      await undoStoreImport(address);
      expect(await contentOf(address)).toEqual(before);
      await importFiles(address, { 'c.csv': facts('GDP 2014-10-01 2015-01-30 1.500') });
      await undoStoreImport(address);
      expect(await contentOf(address)).toEqual(before);
    });

    it('is refused while later ones are about the same, which it names, and nothing changes', async () => {
      const address = await storeOf(
        ['GDP 2014-10-01 2015-01-30 1', 'CPI 2014-10-01 2015-01-30 1'],
        ['UNRATE 2014-10-01 2015-01-30 1'],
        // The same again: it would be missing if the first import had never been.
        ['CPI 2014-10-01 2015-01-30 1'],
      );
      const before = await engine.digest(address);
      const [last = 0, , first = 0] = (await undoableImports(address)).map(({ number }) => number);
      expect(await failureOf(undoStoreImport(address, { number: first }))).toBe(
        `later imports changed the same data:\n  import ${last}: CPI`,
      );
      expect(await engine.digest(address)).toBe(before);
      await undoStoreImport(address, { number: last });
      const undone = { series: ['CPI', 'GDP'], rates: 0, filings: 0 };
      expect(await undoStoreImport(address, { number: first })).toMatchObject(undone);
      expect(await idsIn(address)).toEqual(['UNRATE']);
    });

    it('is refused while a later one listed the same days of a calendar', async () => {
      const day = (on: string) => `BEGIN:VEVENT\nDTSTART:${on}T080000Z\nSUMMARY:Jobs\nEND:VEVENT`;
      const seen = (on: string, ...days: string[]) => ({
        [`office-${on}.ics`]: `BEGIN:VCALENDAR\nPRODID:-//Office//EN\n${days.map(day).join('\n')}\nEND:VCALENDAR`,
      });
      const address = engine.newAddress();
      for (let i = 0; i < 2; i += 1) await importFiles(address, seen('2025-10-03', '20251004', '20251005'));
      const before = await contentOf(address);
      expect(await failureOf(undoStoreImport(address, { number: 1 }))).toBe(
        'later imports changed the same data:\n  import 2: looks at calendars',
      );
      // The second import changed nothing of the look, and then it replaces it.
      await importFiles(address, seen('2025-10-03', '20251005'), { replace: true });
      expect(await undoStoreImport(address)).toMatchObject({ subjects: [{ removed: 0, restored: 1 }] });
      expect(await undoStoreImport(address)).toMatchObject({ subjects: [{ removed: 0, restored: 0 }] });
      expect(await contentOf(address)).toEqual(before);
      expect(await undoStoreImport(address)).toMatchObject({ looks: 1, empty: true });
    });

    it('changes nothing in a dry run, or if it is stopped', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['CPI 2014-10-01 2015-01-30 1']);
      const before = await engine.digest(address);
      const dry = { series: ['CPI'], dryRun: true };
      expect(await undoStoreImport(address, { dryRun: true })).toMatchObject(dry);
      expect(await engine.digest(address)).toBe(before);
      const stop = new AbortController();
      const undone = undoStoreImport(address, { signal: stop.signal });
      stop.abort();
      await expect(undone).rejects.toMatchObject({ name: 'AbortError' });
      expect(await engine.digest(address)).toBe(before);
      expect(await undoStoreImport(address)).toMatchObject({ series: ['CPI'] });
    });

    it('says of each series, curve and filing what changes, and whether anything is left', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1', 'GDP 2014-07-01 2015-01-30 2']);
      const files = {
        'b.csv': facts(
          'GDP 2014-10-01 2015-02-27 3',
          'GDP 2014-07-01 2015-01-30 9',
          'GDP 2014-04-01 2015-01-30 4',
          'CPI 2014-10-01 2015-01-30 1',
          'CPI 2015-01-01 2015-02-27 1',
        ),
        'par.csv': 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n',
        '0000000001-26-000001.xml': documentOf({ tables: trade() }),
      };
      await importFiles(address, files, { filedOn: '2026-01-05', replace: true });
      const { subjects } = await undoStoreImport(address);
      const line = (one: (typeof subjects)[number]) =>
        `${one.subject}: ${one.goes ? 'goes' : 'stays'}, ${one.vintages} ${one.removed} ${one.restored}, ${one.first} to ${one.last}`;
      expect(subjects.map(line)).toEqual([
        'PAR curve: stays, 0 4 0, 2015-01-02 to 2015-01-05',
        'filings: stays, 0 1 0, null to null',
        'CPI: goes, 2 2 0, 2014-10-01 to 2015-01-01',
        // A vintage, a statement more in the one before, and a value that was replaced.
        'GDP: stays, 1 2 1, 2014-04-01 to 2014-10-01',
      ]);
      expect(await undoStoreImport(address)).toMatchObject({ empty: true, subjects: [{ subject: 'GDP' }] });
    });

    /** Makes two pulls of an item, each up to a bookmark. */
    async function pullTwice(address: string): Promise<void> {
      const begun = {
        source: 'fred',
        name: 'GDP',
        since: 'x',
        upTo: undefined,
        lastRun: undefined,
        left: '',
      };
      const counts = { series: 1, statementsNew: 1, statementsKnown: 0, withdrawn: 0 };
      for (const bookmark of ['first', 'second'])
        await writing(address, async (writer) => {
          await writer.recordImport({ importedAt: 'x', file: 'w', kind: 'fred-api', sha256: '0', ...counts });
          await writer.follow({ ...begun, bookmark });
          await writer.commit();
        });
    }

    it('sets back what a pull had reached, so that the next pull asks again', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1']);
      await pullTwice(address);
      const bookmarks = () =>
        reading(address, async (view) => (await view.sources.followed()).map(({ bookmark }) => bookmark));
      await undoStoreImport(address);
      expect(await bookmarks()).toEqual(['first']);
      await undoStoreImport(address);
      expect(await bookmarks()).toEqual([]);
    });

    it('leaves what is no longer followed as it is', async () => {
      const address = engine.newAddress();
      await pullTwice(address);
      await writing(address, async (writer) => {
        await writer.unfollow('fred', 'GDP');
        await writer.commit();
      });
      expect(await undoStoreImport(address)).toMatchObject({
        subjects: [{ subject: 'followed', restored: 0 }],
      });
      expect(await reading(address, (view) => view.sources.followed())).toEqual([]);
    });

    it('keeps the coverage that a pull without news added afterwards', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['GDP 2014-10-01 2015-02-27 2']);
      await writing(address, async (writer) => {
        (await writer.series('GDP')).cover('2015-03-20');
        await writer.finish(['GDP']);
        await writer.commit();
      });
      await undoStoreImport(address);
      const left = { coveredTo: '2015-03-20', lastVintage: '2015-01-30' };
      expect(await reading(address, (view) => view.series.find('GDP'))).toMatchObject(left);
    });

    it('follows its series to a new id, and leaves out one that was removed', async () => {
      const address = await storeOf(
        ['OTHER 2014-10-01 2015-01-30 1'],
        ['GDP 2014-10-01 2015-01-30 1', 'CPI 2014-10-01 2015-01-30 1'],
      );
      await renameSeries(address, 'GDP', 'PRODUCT');
      await removeSeries(address, 'CPI');
      expect(await undoStoreImport(address)).toMatchObject({ series: ['PRODUCT'] });
      expect(await idsIn(address)).toEqual(['OTHER']);
    });

    it('gives a renamed series the changes of its description back, and none to one with its old id', async () => {
      const address = engine.newAddress();
      const titled = (title: string) => ({ 'm.csv': `series_id,title\nGDP,${title}\n` });
      const replaced = (day: string) => ({ replace: true, importedAt: `${day}T12:00:00.000Z` });
      await importFiles(address, titled('Product'));
      await importFiles(address, titled('Gross Product'), replaced('2026-01-10'));
      await importFiles(address, titled('Gross Domestic Product'), replaced('2026-01-12'));
      await renameSeries(address, 'GDP', 'OUTPUT');
      await importFiles(address, titled('Another'));
      await undoStoreImport(address, { number: 3 });
      const changesOf = (id: string) =>
        reading(address, async (view) =>
          (await view.series.descriptionChanges(id)).map(({ changedOn, after }) => `${changedOn} ${after}`),
        );
      expect(await changesOf('OUTPUT')).toEqual(['2026-01-10 Gross Product']);
      expect(await changesOf('GDP')).toEqual([]);
      expect((await checkStore(address)).faults).toEqual([]);
    });
  });

  it('the number of an import that was taken back is not given to another one', async () => {
    const add = (id: string) => importFiles(address, { 'a.csv': facts(`${id} 2014-10-01 2015-01-30 1`) });
    const newest = async () => (await undoableImports(address))[0]?.number ?? 0;
    const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['CPI 2014-10-01 2015-01-30 1']);
    const second = await newest();
    await undoStoreImport(address, { number: second });
    await add('M2');
    const third = await newest();
    expect(third).toBeGreaterThan(second);
    expect(await failureOf(undoStoreImport(address, { number: second }))).toBe(
      `the store has no import ${second} that can be undone`,
    );
    await undoStoreImport(address);
    await undoStoreImport(address);
    await add('GDP');
    expect(await newest()).toBeGreaterThan(third);
    expect(await idsIn(address)).toEqual(['GDP']);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('what cannot be taken back is said: the imports of a copy, and of a store without any', async () => {
    const address = await storeOf(['GDP 2014-10-01 2015-01-30 1']);
    const copy = engine.newAddress();
    await copyStore(address, copy);
    expect(await failureOf(undoStoreImport(copy))).toBe(madeElsewhere);
    await importFiles(copy, { 'more.csv': facts('GDP 2014-10-01 2015-02-27 2') });
    await undoStoreImport(copy);
    expect(await contentOf(copy)).toEqual(await contentOf(address));
    await undoStoreImport(address);
    expect(await failureOf(undoStoreImport(address))).toBe('the store has no import to undo');
  });
});
