import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filing, symbolsOf } from '../../../src/domain/insider/filing.ts';
import { openWriter } from '../../../src/store/open.ts';
import type { FilingsQuery } from '../../../src/store/store.ts';
import type { StoreWriter } from '../../../src/store/writer.ts';
import { runs } from '../../support/arbitrary.ts';
import { contract } from '../../support/engines.ts';
import { anyFiling, filing } from '../../support/filings.ts';
import { failureOf, importFiles, reading } from '../../support/scratch-store.ts';
import { documentOf, trade, whole } from '../../support/sec-documents.ts';

/** Filings that never contradict each other: one record for each name of a trade, which agree about their filing. */
const distinct = fc
  .uniqueArray(anyFiling, { maxLength: 40, selector: ({ filingId, row }) => `${filingId} ${row}` })
  .map((filings) => {
    const first = new Map<string, Filing>();
    return filings.map(({ row, isDerivative, transactionCode, shares, ...one }) => {
      const header = first.get(one.filingId) ?? { ...one, row, isDerivative, transactionCode, shares };
      first.set(one.filingId, header);
      return { ...header, row, isDerivative, transactionCode, shares };
    });
  });

/** The filings that the store must return, computed from the rulings alone. */
function naive(filings: readonly Filing[], query: Partial<FilingsQuery> = {}): Filing[] {
  const { ticker, ownerName = '', transactionCode, from = '', to = '9' } = query;
  const keyOf = ({ filingId, row }: Filing) => `${filingId} ${String(row).padStart(5, '0')}`;
  const named = ownerName.toLowerCase();
  return filings
    .filter((one) => ticker === undefined || symbolsOf(one.ticker).includes(ticker.toUpperCase()))
    .filter(({ owners }) => named === '' || owners.some(({ name }) => name.toLowerCase().includes(named)))
    .filter((one) => transactionCode === undefined || one.transactionCode === transactionCode)
    .filter(({ filedOn }) => filedOn >= from && filedOn <= to)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .sort((a, b) => (a.filedOn > b.filedOn ? -1 : Number(a.filedOn < b.filedOn)));
}

const queries = fc.record(
  {
    ticker: fc.constantFrom('HEI', 'hei.a', 'MAIA', 'X'),
    ownerName: fc.constantFrom('smith', 'STAN', 'é', 'z', 'N\nV'),
    transactionCode: fc.constantFrom('P', 'S', 'p'),
    from: fc.constantFrom('2026-01-01', '2026-01-03'),
    to: fc.constantFrom('2026-01-01', '2026-01-03'),
  },
  { requiredKeys: [] },
);

contract((engine) => {
  /** Merges filings in parts, as several files of one import. */
  async function merged(path: string, parts: readonly (readonly Filing[])[], replace = false) {
    const writer = await openWriter(path);
    const outcomes: Awaited<ReturnType<StoreWriter['mergeFilings']>>[] = [];
    for (const part of parts) outcomes.push(await writer.mergeFilings(part, { replace }));
    await writer.commit();
    return outcomes;
  }

  const allOf = (path: string, query: Partial<FilingsQuery> = {}) =>
    reading(path, (store) => store.filings.page({ limit: 1_000_000, ...query }));

  describe('what a store has of filings', () => {
    it('names those that it has with their time of acceptance, counts them, and lists each symbol once', async () => {
      const path = engine.newAddress();
      const acceptedAt = '2026-01-02T10:00:00Z';
      const one = filing({ filingId: 'a', ticker: 'NYSE: MOG.A, MOG.B', acceptedAt });
      const others = ['MOG.A', null, 'ABC'].map((ticker, i) => filing({ filingId: `b${i}`, ticker }));
      await merged(path, [[one, { ...one, row: 2 }, ...others]]);
      await reading(path, async (store) => {
        expect([...(await store.filings.accepted(['none', 'b1', 'a']))]).toEqual(['a']);
        expect(await store.filings.counts()).toEqual({ filings: 4, trades: 5 });
        expect(await store.filings.symbols()).toEqual(['ABC', 'MOG.A', 'MOG.B']);
      });
    });
  });

  describe('a store of filings', () => {
    it('returns each trade as it was imported, in any order of import', async () => {
      const shuffled = distinct.chain((filings) =>
        fc.tuple(fc.constant(filings), fc.shuffledSubarray(filings, { minLength: filings.length })),
      );
      await fc.assert(
        fc.asyncProperty(shuffled, fc.nat(40), async ([filings, mixed], cut) => {
          const path = engine.newAddress();
          await merged(path, [mixed.slice(0, cut), mixed.slice(cut)]);
          expect(await allOf(path)).toEqual(naive(filings));
        }),
        { numRuns: runs(30, engine) },
      );
    });

    it('finds trades by ticker, owner, code and filing date, in pages of any size', async () => {
      await fc.assert(
        fc.asyncProperty(distinct, queries, fc.integer({ min: 1, max: 5 }), async (filings, query, limit) => {
          const path = engine.newAddress();
          await merged(path, [filings]);
          const expected = naive(filings, query);
          expect(await allOf(path, query)).toEqual(expected);
          const paged: Filing[] = [];
          await reading(path, async (store) => {
            for (;;) {
              const last = paged.at(-1);
              const page = await store.filings.page({ ...query, limit, ...(last && { after: last }) });
              if (page.length === 0) break;
              paged.push(...page);
            }
          });
          expect(paged).toEqual(expected);
        }),
        { numRuns: runs(40, engine) },
      );
    });

    it('returns the trades that clusters are made of, one issuer at a time, for any code, ticker and as-of date', async () => {
      const asked = fc.record(
        {
          code: fc.constantFrom('P', 'P', 'S', 'G'),
          uncounted: fc.boolean(),
          ticker: fc.constantFrom('MAIA', 'hei.a'),
          asOf: fc.constantFrom('2026-01-01', '2026-01-02'),
        },
        { requiredKeys: ['code', 'uncounted'] },
      );
      await fc.assert(
        fc.asyncProperty(distinct, asked, async (filings, { code, uncounted, ...bounds }) => {
          const path = engine.newAddress();
          await merged(path, [filings]);
          const { ticker, asOf = '9' } = bounds;
          const ofTicker = naive(filings, ticker === undefined ? {} : { ticker });
          const issuers = new Set(ofTicker.map(({ issuerCik }) => issuerCik));
          const expected = filings
            .filter(({ issuerCik, filedOn }) => issuers.has(issuerCik) && filedOn <= asOf)
            .filter(({ isDerivative, formType, transactionCode }) => {
              const isInShares = !isDerivative && formType !== '3';
              if (transactionCode === code) return isInShares || uncounted;
              return isInShares && formType === '4/A';
            });
          const batches: (readonly Filing[])[] = [];
          await reading(path, async (store) => {
            for await (const batch of store.filings.clusterTrades({ code, uncounted, ...bounds }))
              batches.push(batch);
          });
          expect(naive(batches.flat())).toEqual(naive(expected));
          const owners = batches.map((batch) => [...new Set(batch.map(({ issuerCik }) => issuerCik))]);
          expect(owners.flat()).toEqual([...new Set(owners.flat())]);
          expect(owners.every((own) => own.length === 1)).toBe(true);
        }),
        { numRuns: runs(60, engine) },
      );
    });

    it('combines two records of one trade, in either order, and applies them to other rows of the filing', async () => {
      const first = filing({ row: 2, acceptedAt: null, ticker: null });
      const one = filing({ acceptedAt: null, shares: '10', sharesOwnedAfter: '5.0', ticker: null });
      const other = filing({ acceptedAt: '2026-01-02T10:00:00Z', shares: '10.00', sharesOwnedAfter: null });
      const { acceptedAt, ticker } = other;
      const expected = [
        { ...other, sharesOwnedAfter: '5.0' },
        { ...first, acceptedAt, ticker },
      ];
      for (const parts of [
        [[first, one], [other]],
        [[first, other], [one]],
      ]) {
        const path = engine.newAddress();
        const [, second] = await merged(path, parts);
        expect(second).toMatchObject({ added: 0, known: 1, changed: true });
        expect(await allOf(path)).toEqual(expected);
        expect(await allOf(path, { ticker: 'MAIA' })).toEqual(expected);
      }
    });

    it('reports another filing date in another row as a conflict, and accepts it with --replace', async () => {
      const path = engine.newAddress();
      await merged(path, [[filing()]]);
      const given = filing({ row: 2, filedOn: '2026-01-03' });
      const [refused] = await merged(path, [[given]]);
      const conflicts = [{ given, fields: ['filedOn'] }];
      expect(refused).toMatchObject({ added: 0, changed: false, conflicts });
      expect(await allOf(path)).toEqual([filing()]);
      const [accepted] = await merged(path, [[given]], true);
      expect(accepted).toMatchObject({ added: 1, changed: true, conflicts: [] });
      expect(await allOf(path)).toContainEqual(given);
    });
  });

  const asFolder = Object.fromEntries(
    Object.entries(whole).map(([name, content]) => [`set/${name}`, content]),
  );
  const later = { latest: '2026-12-31' };

  describe('an import of filings', () => {
    it('counts the filings and trades of each file, and changes nothing the second time', async () => {
      const path = engine.newAddress();
      const imported = async () => {
        const summaries = await importFiles(path, asFolder, later);
        return summaries.map(({ filings, statementsNew, statementsKnown }) =>
          [filings, statementsNew, statementsKnown].join(' '),
        );
      };
      const revision = () => reading(path, async (view) => (await view.state()).revision);
      expect(await imported()).toEqual(['0 0 0', '0 0 0', '2 3 0', '1 1 0']);
      const before = await revision();
      expect(await imported()).toEqual(['0 0 0', '0 0 0', '2 0 3', '1 0 1']);
      expect(await revision()).toBe(before);
    });

    it('fails if a trade differs from the one held, names it, and succeeds with --replace', async () => {
      const path = engine.newAddress();
      await importFiles(path, asFolder, later);
      const digest = await engine.digest(path);
      const table = asFolder['set/NONDERIV_TRANS.tsv']?.replace('\t3\t1.3877', '\t33\t1.3877') ?? '';
      const other = { ...asFolder, 'set/NONDERIV_TRANS.tsv': table };
      const message = await failureOf(importFiles(path, other, later));
      expect(message).toContain('1 conflict; nothing was imported');
      expect(message).toContain('filing 0001878313-26-000062 row 2: shares 33, against 3');
      expect(await engine.digest(path)).toBe(digest);
      await importFiles(path, other, { ...later, replace: true });
      expect((await allOf(path)).map(({ shares }) => shares)).toContain('33');
    });

    it('fails if a filing date is in the future', async () => {
      const message = await failureOf(importFiles(engine.newAddress(), asFolder, { latest: '2026-06-01' }));
      expect(message).toMatch(/NONDERIV_TRANS|DERIV_TRANS/);
      expect(message).toContain('"2026-06-02": the filing 0001878313-26-00006');
    });

    it('dates ownership XML by --filed-on, a flag that it refuses for other files', async () => {
      const path = engine.newAddress();
      const xml = documentOf({ tables: trade() });
      await importFiles(path, { 'doc4.xml': xml }, { filedOn: '2023-05-12' });
      expect(await allOf(path)).toMatchObject([{ filedOn: '2023-05-12', ticker: 'HEAR', shares: '5000' }]);
      const csv = { 'a.csv': 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n' };
      expect(await failureOf(importFiles(path, csv, { filedOn: '2023-05-12' }))).toContain(
        '--filed-on does not apply to asof-csv: it is for ownership XML',
      );
    });
  });
});
