import { groupBy } from '../../domain/values/groups.ts';
import { cell, type ServedRow } from '../page-service.ts';

type Topic = {
  readonly name: string;
  /** Its best-known series with short names; the first two that a store has are shown with their values. */
  readonly known: Readonly<Record<string, string>>;
  /** Finds its other series by their titles. */
  readonly words: RegExp;
};

/** The subjects of the first page in its order. */
const topics: readonly Topic[] = [
  {
    name: 'Output',
    known: {
      GDP: 'Gross domestic product',
      INDPRO: 'Industrial production',
      GDPC1: 'Real gross domestic product',
    },
    words:
      /gross domestic|industrial production|output|capacity|orders|inventor|sales|income|consumption|investment|profit|saving|activity|business condition/i,
  },
  {
    name: 'Jobs',
    known: { PAYEMS: 'Nonfarm employment', UNRATE: 'Unemployment rate' },
    words: /employ|payroll|job|labou?r|wage|earnings|hours|claims/i,
  },
  {
    name: 'Prices',
    known: { CPIAUCSL: 'Consumer prices', PCEPILFE: 'Core PCE prices', PCEPI: 'PCE prices' },
    words: /price|inflation|deflator|unit labor cost|hicp/i,
  },
  {
    name: 'Rates',
    known: {
      FEDFUNDS: 'Federal funds rate',
      DGS10: '10-year Treasury yield',
      T10Y2Y: '10-year minus 2-year yield',
    },
    words: /yield|interest|treasury|federal funds|money stock|exchange rate/i,
  },
  {
    name: 'Housing',
    known: {
      HOUST: 'Housing starts',
      CSUSHPISA: 'House prices',
      HSN1F: 'New houses sold',
      PERMIT: 'Building permits',
    },
    words: /housing|house|home|mortgage|building permit|construction|residential/i,
  },
  {
    name: 'Trade',
    known: { BOPGSTB: 'Trade balance', BOPTEXP: 'Exports', BOPTIMP: 'Imports', NETEXC: 'Real net exports' },
    words: /export|import|trade balance|current account|balance of payments/i,
  },
];

/** Those whose words say more of a title than those of others: export prices are prices, and exports are no output. */
const bySpecificity = ['Prices', 'Housing', 'Trade', 'Rates', 'Jobs', 'Output'];

type KnownSeries = { readonly name: string; readonly row: ServedRow };

/** Series of one subject: the best known, and the others. */
export type SeriesGroup = {
  readonly name: string;
  readonly known: readonly KnownSeries[];
  readonly others: readonly ServedRow[];
};

const mostKnown = 2;

/** Groups series by subject; those without one are grouped by their source. */
export function groupsOf(rows: readonly ServedRow[]): readonly SeriesGroup[] {
  const ordered = bySpecificity.flatMap((name) => topics.filter((topic) => topic.name === name));
  const topicOf = (row: ServedRow) =>
    topics.find(({ known }) => Object.hasOwn(known, cell(row, 'id'))) ??
    ordered.find(({ words }) => words.test(cell(row, 'title')));
  const named = groupBy(rows, topicOf);
  const groups = topics.map((topic) => {
    const own = named.get(topic) ?? [];
    const known = Object.entries(topic.known)
      .flatMap(([id, name]) => own.filter((row) => cell(row, 'id') === id).map((row) => ({ name, row })))
      .slice(0, mostKnown);
    return { name: topic.name, known, others: own.filter((one) => !known.some(({ row }) => row === one)) };
  });
  const rest = groupBy(named.get(undefined) ?? [], (row) => cell(row, 'source') || 'Without a source');
  const bySource = [...rest].map(([source, others]) => ({ name: source, known: [], others }));
  return [...groups, ...bySource].filter(({ known, others }) => known.length + others.length > 0);
}
