import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { classifyTrades } from '../../../src/domain/insider/classification.ts';
import { type Cluster, clustersOf } from '../../../src/domain/insider/cluster.ts';
import { type Filing, symbolsOf } from '../../../src/domain/insider/filing.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import { clusterPages } from '../../../src/operations/insiders/cluster-listings.ts';
import { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../src/operations/insiders/filings.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { createService, owner, type Service } from '../../../src/service/service.ts';
import { openWriter } from '../../../src/store/open.ts';
import type { ImportRecord, StoreView } from '../../../src/store/store.ts';
import { alikeFilings, days } from '../../support/alike-filings.ts';
import { filing } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFilings, newStorePath, withStore } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = scratchFolder();

const imported: ImportRecord = {
  importedAt: '2026-02-04T12:00:00Z',
  file: 'x',
  kind: 'x',
  sha256: '',
  series: 0,
  statementsNew: 1,
  statementsKnown: 0,
  withdrawn: 0,
};

/** Asks a service over these filings, by default at noon of 4 February. */
async function withService<T>(
  filings: readonly Filing[],
  ask: (service: Service) => Promise<T>,
  now = () => '2026-02-04T12:00:00Z',
): Promise<T> {
  const path = newStorePath(folder);
  await importFilings(path, filings);
  return withStore(path, (store) => ask(createService({ store, clock: () => new Date(now()) })));
}

/** Filings of three issuers, with their own symbol, that of another issuer, or no symbol. */
const filingsOfIssuers = fc
  .tuple(
    fc.array(alikeFilings, { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom('AAA', 'BBB, CCC', 'ZZZ', null), { minLength: 9, maxLength: 9 }),
  )
  .map(([issuers, symbols]) =>
    issuers.flatMap((filings, issuer) =>
      filings.map((one) => ({
        ...one,
        filingId: `${issuer}${one.filingId}`,
        accessionNumber: `${issuer}${one.filingId}`,
        issuerCik: `000000000${issuer}`,
        issuerName: `Issuer ${issuer}`,
        ticker: symbols[(Number(one.filingId.slice(1)) + issuer) % symbols.length] ?? null,
      })),
    ),
  );

/** All rows in pages of a size; expects each page to say correctly whether more follow. */
async function inPages(
  service: Service,
  operation: Operation,
  given: ParamTexts,
  size: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await service.answer(
      operation,
      [...given, ['limit', String(size)], ...(cursor === undefined ? [] : [['cursor', cursor] as const])],
      owner,
    );
    rows.push(...page.results);
    cursor = page.next_cursor;
    if (cursor === undefined) return rows;
    expect(page.results).toHaveLength(size);
  }
}

async function inPagesOfEverySize(service: Service, operation: Operation, given: ParamTexts): Promise<Row[]> {
  const whole = await inPages(service, operation, given, 1000);
  for (let size = 1; size <= Math.min(whole.length + 1, 6); size += 1)
    expect(await inPages(service, operation, given, size)).toEqual(whole);
  return whole;
}

const maybe = <T>(...values: readonly T[]) => fc.constantFrom(undefined, undefined, ...values);
const textsOf = (asked: Readonly<Record<string, unknown>>): ParamTexts =>
  Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );

const clusterQuestion = fc.record({
  min_insiders: fc.constantFrom(1, 2, 2, 3),
  days: fc.constantFrom(1, 6),
  ticker: maybe('zzz', 'CCC', 'XXX'),
  from: maybe('2026-01-21'),
  to: maybe('2026-01-20', '2026-01-25'),
  as_of: maybe('2025-12-31', ...days.slice(0, 4)),
});

/**
 * A cluster, with the symbol and the name of its issuer in its newest filing (in a search by symbol: with that
 * symbol).
 */
type Listed = { readonly cluster: Cluster; readonly ticker: string; readonly issuer: string };

/** The clusters of every issuer, chosen and ordered as the rulings say. */
function expectedClusters(
  filings: readonly Filing[],
  {
    min_insiders,
    days,
    ticker,
    from = '',
    to = '9',
    as_of = '9',
  }: {
    readonly min_insiders: number;
    readonly days: number;
    readonly ticker?: string | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly as_of?: string | undefined;
  },
): readonly string[] {
  const known = filings.filter(({ filedOn }) => filedOn <= as_of);
  return [...new Set(known.map(({ issuerCik }) => issuerCik))]
    .flatMap((issuer) => {
      const { trades } = classifyTrades(known.filter(({ issuerCik }) => issuerCik === issuer));
      return clustersOf(trades, { minInsiders: min_insiders, days }).map((cluster): Listed => {
        const named = cluster.trades
          .map(({ filing }) => filing)
          .filter((one) => one.ticker !== null)
          .filter((one) => ticker === undefined || symbolsOf(one.ticker).includes(ticker.toUpperCase()))
          .sort((a, b) => (`${a.filedOn}${a.filingId}` < `${b.filedOn}${b.filingId}` ? 1 : -1));
        return { cluster, ticker: named[0]?.ticker ?? '', issuer };
      });
    })
    .filter(
      ({ cluster }) =>
        cluster.dateLast >= from &&
        cluster.dateLast <= to &&
        (ticker === undefined ||
          cluster.trades.some((one) => symbolsOf(one.filing.ticker).includes(ticker.toUpperCase()))),
    )
    .map(({ cluster, ticker: symbol, issuer }) => ({
      order: [
        9e9 - Date.parse(cluster.dateLast) / 1000,
        100 - cluster.size,
        symbol,
        issuer,
        cluster.dateFirst,
      ],
      text: [symbol, issuer, cluster.dateFirst, cluster.dateLast, cluster.size, cluster.detectedOn].join(' '),
    }))
    .sort((a, b) => (a.order.join('\n') < b.order.join('\n') ? -1 : 1))
    .map(({ text }) => text);
}

const filingQuestion = fc.record({
  ticker: maybe('zzz', 'CCC', 'XXX'),
  owner_name: maybe('bo', 'FUND', 'nobody'),
  transaction_code: maybe('P', 'j', 'S'),
  from: maybe('2026-02-02'),
  to: maybe('2026-02-01', '2026-02-04'),
  as_of: maybe('2025-12-31', ...days.slice(0, 4)),
});

describe('the clusters of any filings', () => {
  it('are those requested, in the order of the rulings, in pages of every size', async () => {
    await fc.assert(
      fc.asyncProperty(filingsOfIssuers, clusterQuestion, async (filings, asked) => {
        fc.pre(asked.from === undefined || asked.to === undefined || asked.from <= asked.to);
        const rows = await withService(filings, (service) =>
          inPagesOfEverySize(service, insiderClusters, textsOf(asked)),
        );
        const day = (cell: unknown) => String(cell).slice(0, 10);
        expect(
          rows.map(({ ticker, issuer_cik, date_first, date_last, cluster_size, detected_on }) =>
            [ticker ?? '', issuer_cik, day(date_first), day(date_last), cluster_size, day(detected_on)].join(
              ' ',
            ),
          ),
        ).toEqual(expectedClusters(filings, asked));
      }),
      { numRuns: 60 },
    );
  });
});

describe('any filings', () => {
  it('are those requested, newest first, then by number and row, in pages of every size', async () => {
    await fc.assert(
      fc.asyncProperty(filingsOfIssuers, filingQuestion, async (filings, asked) => {
        const { ticker, owner_name, transaction_code, from = '', to = '9', as_of = '9' } = asked;
        fc.pre(from <= to);
        const rows = await withService(filings, (service) =>
          inPagesOfEverySize(service, insiderFilings, textsOf(asked)),
        );
        const expected = filings
          .filter(
            ({ filedOn }) => filedOn >= from && filedOn <= to && filedOn <= as_of && filedOn <= '2026-02-05',
          )
          .filter((one) => ticker === undefined || symbolsOf(one.ticker).includes(ticker.toUpperCase()))
          .filter(
            (one) =>
              owner_name === undefined ||
              one.owners.some(({ name }) => name.toLowerCase().includes(owner_name.toLowerCase())),
          )
          .filter(
            (one) => transaction_code === undefined || one.transactionCode === transaction_code.toUpperCase(),
          )
          .map(({ filedOn, filingId, row }) => ({
            order: [9e9 - Date.parse(filedOn) / 1000, filingId, String(row).padStart(4, '0')].join('\n'),
            text: `${filedOn} ${filingId} ${row}`,
          }))
          .sort((a, b) => (a.order < b.order ? -1 : 1))
          .map(({ text }) => text);
        expect(
          rows.map(
            ({ filing_date, accession_number, row }) =>
              `${String(filing_date).slice(0, 10)} ${accession_number} ${row}`,
          ),
        ).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an answer that another day changes', () => {
  const filedDaily = days.map((filedOn, place) =>
    filing({ filingId: `F${place}`, filedOn, transactionDate: '2026-01-30' }),
  );

  it.each<[string, ParamTexts]>([
    ['without a date', []],
    ['of days', [['days', '2']]],
    ['of days up to one to come', textsOf({ days: 2, to: '2026-12-31' })],
    ['of days as known where the day begins first', textsOf({ days: 2, as_of: '2026-02-05' })],
    ['of days up to one that is over', textsOf({ days: 2, to: '2026-02-02' })],
    ['from a day', [['from', '2026-02-02']]],
    ['up to one to come', [['to', '2026-12-31']]],
  ])('has another tag, so that no client gets a 304: %s', async (_, given) => {
    let now = '';
    await withService(
      filedDaily,
      async (service) => {
        const replies = [];
        for (const time of ['2026-02-04T12:00:00Z', '2026-02-05T12:00:00Z', '2026-03-20T12:00:00Z']) {
          now = time;
          const question = { operation: insiderFilings, texts: given, principal: owner, requestId: 'req_1' };
          replies.push(await service.reply(question, () => false));
        }
        const [first, ...others] = replies.map(({ tag, envelope }) => ({
          tag,
          rows: JSON.stringify(envelope?.results),
        }));
        for (const other of others) if (other.rows !== first?.rows) expect(other.tag).not.toBe(first?.tag);
      },
      () => now,
    );
  });
});

describe('the clusters of a store', () => {
  const bought = (place: number, changes: Partial<Filing> = {}) =>
    filing({
      filingId: `F${place}`,
      issuerCik: `000000000${place}`,
      ticker: 'SVN',
      shares: `${place}`,
      ...changes,
    });
  const all: ParamTexts = textsOf({ min_insiders: 1 });

  it('are found again after an import', async () => {
    const path = newStorePath(folder);
    const put = async (one: Filing) => {
      const writer = await openWriter(path);
      await writer.mergeFilings([one], { replace: false });
      await writer.recordImport(imported);
      await writer.commit();
    };
    await put(bought(1));
    await withStore(path, async (store) => {
      const service = createService({ store, clock: () => new Date('2026-02-04T12:00:00Z') });
      expect((await service.answer(insiderClusters, all, owner)).results_count).toBe(1);
      await put(bought(2));
      expect((await service.answer(insiderClusters, all, owner)).results_count).toBe(2);
    });
  });

  it('have the issuer name of the newest filing that states one', async () => {
    const filings = [
      bought(1, { issuerName: 'Old Name', ticker: 'OLD' }),
      bought(2, { issuerCik: '0000000001', filedOn: '2026-01-03', issuerName: 'New Name', ticker: 'NEW' }),
      bought(3, { issuerCik: '0000000001', filedOn: '2026-01-04', issuerName: null, ticker: null }),
    ];
    const { results } = await withService(filings, (service) => service.answer(insiderClusters, all, owner));
    expect(results).toMatchObject([{ issuer_name: 'New Name', ticker: 'NEW', issuer_cik: '0000000001' }]);
  });

  it('of one symbol come by issuer, for any order in the store', async () => {
    const found = [3, 1, 2].map((place) => bought(place));
    const backwards = {
      state: async () => ({ name: 'x', revision: 1, sample: false }),
      filings: {
        coveredTo: async () => '2026-01-02',
        async tradePlaces() {
          const trades = found.map(({ issuerCik, filingId }) => ({
            issuerCik,
            filingId,
            date: '2026-01-01',
          }));
          return { trades, before: undefined };
        },
        async *clusterTrades() {
          for (const one of found) yield [one];
        },
      },
    } as unknown as StoreView;
    const { rows } = await clusterPages.clusters(backwards, {
      ...{ transaction_code: 'P', min_insiders: 1, days: 1, min_value: undefined, ticker: '', limit: 9 },
      ...{ as_of: undefined, from: undefined, to: undefined },
    });
    expect(rows.map(({ issuer_cik }) => issuer_cik.at(-1))).toEqual(['1', '2', '3']);
  });
});

describe('a cursor of clusters', () => {
  it('that names a cluster which is gone is refused, even after the same number of imports', async () => {
    const clusters = (issuer: string) =>
      ['2026-01-01', '2026-01-20'].map((transactionDate, place) =>
        filing({
          filingId: `${issuer}${place}`,
          issuerCik: issuer,
          ticker: null,
          transactionDate,
          filedOn: day,
        }),
      );
    const day = '2026-01-21';
    const given: ParamTexts = textsOf({ min_insiders: 1, days: 1, limit: 1 });
    const first = await withService(clusters('1'), (service) =>
      service.answer(insiderClusters, given, owner),
    );
    const next: ParamTexts = [...given, ['cursor', first.next_cursor ?? '']];
    await expect(
      withService(clusters('2'), (service) => service.answer(insiderClusters, next, owner)),
    ).rejects.toMatchObject({ field: 'cursor', detail: expect.stringContaining('start again') });
    const { results } = await withService(clusters('1'), (service) =>
      service.answer(insiderClusters, next, owner),
    );
    expect(results).toMatchObject([{ date_last: '2026-01-01' }]);
  });
});
