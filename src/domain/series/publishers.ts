// Why: docs/decisions/kinds-of-vintages.md

/** What the date of a vintage means: as an adverbial, and as a sentence about it. */
const meanings = {
  publication: ['by the day of publication', 'the day on which the figures appeared'],
  freeze: [
    'by the day before a meeting',
    'the day before a meeting, on which the bank froze what had been published by then',
  ],
  edition: [
    'by the month after an edition',
    'the first day of the month after an edition, which appeared at some time in its month',
  ],
  'mid-period': ['by the middle of a month or quarter', 'the middle of its month or quarter, by convention'],
  month: ['by the end of a month', 'the last day of the month in the name of its file'],
  fetched: [
    'by the day of a download',
    'the day of a download: the figures were published on that day or earlier',
  ],
} as const;

/** What the date of a vintage means. */
export type VintageMeaning = keyof typeof meanings;

/** A publisher of series, and what the dates of its vintages mean. */
export type Publisher = {
  /** Its name in the field `source` of series. */
  readonly name: string;
  /** The meaning of its vintages, unless they were downloaded without their dates. */
  readonly meaning: Exclude<VintageMeaning, 'fetched'>;
  /** How exactly it dates its vintages. */
  readonly precision: 'instant' | 'day' | 'month';
  /** The line that its terms ask for wherever its figures are shown. */
  readonly attribution?: string;
};

/** The publishers whose formats asof reads. */
export const publishers = {
  fred: { name: 'FRED', meaning: 'publication', precision: 'day' },
  fredMd: {
    name: 'FRED-MD',
    meaning: 'month',
    precision: 'month',
    attribution: 'FRED-MD, M. McCracken and S. Ng, Federal Reserve Bank of St. Louis',
  },
  fredQd: {
    name: 'FRED-QD',
    meaning: 'month',
    precision: 'month',
    attribution: 'FRED-QD, M. McCracken and S. Ng, Federal Reserve Bank of St. Louis',
  },
  rtdsm: {
    name: 'Philadelphia Fed Real-Time Data Set',
    meaning: 'mid-period',
    precision: 'month',
    attribution: 'Real-Time Data Set for Macroeconomists, Federal Reserve Bank of Philadelphia',
  },
  ecb: {
    name: 'ECB Real-Time Database',
    meaning: 'freeze',
    precision: 'instant',
    attribution: 'Source: ECB statistics',
  },
  ecbFiles: {
    name: 'ECB Real-Time Database, monthly files',
    meaning: 'month',
    precision: 'month',
    attribution: 'Source: ECB statistics',
  },
  eurostat: { name: 'Eurostat', meaning: 'publication', precision: 'day', attribution: 'Source: Eurostat' },
  oecd: {
    name: 'OECD',
    meaning: 'edition',
    precision: 'month',
    attribution: 'Source: OECD, Original Release Data and Revisions Database',
  },
  seco: {
    name: 'SECO',
    meaning: 'publication',
    precision: 'day',
    attribution: 'Source: State Secretariat for Economic Affairs (SECO); Indergand and Leist (2014)',
  },
} as const satisfies Readonly<Record<string, Publisher>>;

const byName = new Map<string, Publisher>(
  Object.values(publishers).map((publisher) => [publisher.name, publisher]),
);

/** Lists the names in the text of a source, which separates them by `; `. */
export function sourceNamesIn(source: string): readonly string[] {
  return source.split('; ').filter((name) => name !== '');
}

/** Finds the publishers that asof knows in the text of a source. */
export function publishersIn(source: string): readonly Publisher[] {
  return sourceNamesIn(source).flatMap((name) => byName.get(name) ?? []);
}

/** Lists the meanings of the vintages of a series, by their kinds as `kindsText` writes them; empty if unknown. */
export function meaningsOf(kinds: string, publishers: string): readonly VintageMeaning[] {
  const found = new Set<VintageMeaning>();
  for (const kind of kinds.split('; ')) {
    if (kind === 'exact') found.add('publication');
    if (kind === 'fetched') found.add('fetched');
    if (kind !== 'sampled') continue;
    for (const { meaning } of publishersIn(publishers)) if (meaning !== 'publication') found.add(meaning);
  }
  return vintageMeanings.filter((meaning) => found.has(meaning));
}

const vintageMeanings = Object.keys(meanings) as readonly VintageMeaning[];

/** Reads a text of meanings that are separated by `; `; other words are left out. */
export function readMeanings(text: string): readonly VintageMeaning[] {
  return vintageMeanings.filter((meaning) => text.split('; ').includes(meaning));
}

/** Says how vintages are dated: `by the day of publication`. */
export function datedText(all: readonly VintageMeaning[]): string {
  return all.map((meaning) => meanings[meaning][0]).join(' or ');
}

/** Says what the date of a vintage is: `the day on which the figures appeared`. */
export function meaningText(all: readonly VintageMeaning[]): string {
  return all.map((meaning) => meanings[meaning][1]).join('; or ');
}
