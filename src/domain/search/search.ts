// Why: docs/decisions/search.md
import type { Day } from '../values/date.ts';
import { areasIn, areaWords, codesOfAreas } from './areas.ts';
import { closeNames, distance, plainMatch, type SearchedSeries, searchableWords, wordsOf } from './words.ts';

/**
 * What people type, and what series call it. To teach the search a word, add a line `typed = meant, meant, …`.
 * A meaning is a phrase, of which every word must begin a word of the title or the units,
 * or a series id in capital letters, the most likely first.
 */
const lines = `
jobs = PAYEMS, payrolls, all employees, employment
payrolls = PAYEMS, all employees
nonfarm = PAYEMS, total nonfarm
employment = PAYEMS, employees, payrolls
unemployment = UNRATE, jobless, uneto, unemp
jobless = UNRATE, unemployment
jobless claims = ICSA, initial claims, unemployment insurance
claims = ICSA, CLAIMSX
participation = CIVPART, labor force
wages = CES0500000003, earnings, compensation, wage
hours = AWHNONAG, hours worked

inflation = CPIAUCSL, PCEPI, CPILFESL, PCEPILFE, JCXFE, consumer price, hicp, personal consumption price, price index
core inflation = CPILFESL, PCEPILFE, JCXFE
core cpi = CPILFESL
core pce = PCEPILFE, JCXFE
core = less food energy, excluding food energy
headline = all items
cpi = CPIAUCSL, consumer price
pce = PCE, PCEC, personal consumption
pce inflation = PCEPI, PCEPILFE, JCXFE, personal consumption price
ppi = PPIFIS, producer price
price index = CPIAUCSL, PCEPI, price index
deflator = GDPDEF, P, price index gdp, implicit price
breakeven = T10YIE, T5YIE, breakeven inflation

gdp = GDP, GDPC1, gross domestic product, b1gq
real gdp = GDPC1, real gross domestic product, gross domestic product volume, gross domestic product chain linked
gnp = GNP, gross national product
growth = GDPC1, percent change
output = GDP, production, product
ip = INDPRO, industrial production
real = chained, constant prices, inflation indexed
nominal = current prices
consumption = PCE, PCEC, personal consumption
spending = expenditures, expenditure, consumption
investment = PNFIC1, GPDI, fixed investment
government = GCEC1, government
productivity = OPHPBS, OPHNFB, output per hour
labor costs = ULCBS, ULCNFB, unit labor
profits = CP, corporate profits
income = PINCOME, PI, DSPIC96, income
savings = PSAVERT, RATESAV, saving
saving = PSAVERT, RATESAV
retail = RSAFS, RSXFS, retail sales
housing = HOUST, housing, home, houses
home sales = HSN1F, houses sold
permits = PERMIT, building permits
orders = DGORDER, new orders
durable goods = DGORDER, durable
inventories = BUSINV, inventories
exports = EXPGS, EXPGSC1, BOPTEXP
imports = IMPGS, IMPGSC1, BOPTIMP
trade balance = BOPGSTB, NETEXC, net exports
sentiment = UMCSENT, consumer sentiment
capacity = TCU, CUMFNS, capacity utilization
oil = DCOILWTICO, OILPRICEX, crude, petroleum
dollar = DTWEXBGS, exchange rate
stocks = SP500, S&P 500, stock
vix = VIXCLS, VIXCLSX, volatility
money = M2SL, M1SL, money
money supply = M2SL, M1SL, money stock
m1 = M1SL, money stock
m2 = M2SL, money stock
mortgage = MORTGAGE30US
deficit = FYFSD, surplus

fed funds = DFF, FEDFUNDS, federal funds
federal funds = DFF, FEDFUNDS
policy rate = DFF, FEDFUNDS, federal funds
interest rates = DGS10, DFF, FEDFUNDS, market yield, rate
treasury = market yield, treasury
treasuries = market yield, treasury
yields = market yield, yield
yield curve = T10Y2Y, T10Y3M, market yield
tips = inflation indexed
real yield = DFII10, inflation indexed
real yields = DFII10, inflation indexed
spread = T10Y2Y, T10Y3M, minus
yield spread = T10Y2Y, T10Y3M, minus
term spread = T10Y2Y, T10Y3M
2s10s = T10Y2Y
3m10y = T10Y3M
us2y = DGS2
us10y = DGS10
us30y = DGS30
`;

/** Maturities: a number and a unit, the number in words, and ids; `10y` and `ten year` mean the same. */
const maturities = `
1 month, one, DGS1MO
3 month, three, DGS3MO, TB3MS
6 month, six, DGS6MO, TB6MS
1 year, one, DGS1
2 year, two, DGS2
3 year, three, DGS3
5 year, five, DGS5
7 year, seven, DGS7
10 year, ten, DGS10
20 year, twenty, DGS20
30 year, thirty, DGS30
`;

function maturityLines(line: string): readonly string[] {
  const [maturity = '', word, first, ...others] = line.split(', ');
  const [count, unit = ''] = maturity.split(' ');
  const meant = [first, ...others, maturity].join(', ');
  return [`${count}${unit.charAt(0)} = ${meant}`, `${word} ${unit} = ${meant}`, `${maturity} = ${first}`];
}

/** The meanings of a phrase: ids, the likeliest first, and title phrases. */
type Meaning = { readonly ids: readonly string[]; readonly phrases: readonly string[] };

/** The meanings of phrases in lower case, the words in these phrases, and the most words in one. */
export const synonyms = readSynonyms();

function readSynonyms() {
  const linesOf = (text: string) => text.trim().split(/\n+/);
  const isId = (text: string) => text === text.toUpperCase() && /[A-Z]/.test(text);
  const meanings = new Map<string, Meaning>();
  for (const line of [...linesOf(lines), ...linesOf(maturities).flatMap(maturityLines)]) {
    const [typed = '', meant = ''] = line.split(' = ');
    const texts = meant.split(', ');
    meanings.set(typed, { ids: texts.filter(isId), phrases: texts.filter((text) => !isId(text)) });
  }
  const phrases = [...meanings.keys()].map((typed) => typed.split(' '));
  return { meanings, words: new Set(phrases.flat()), longest: Math.max(...phrases.map((one) => one.length)) };
}

/** Where to search for a text; `words` includes synonyms. */
export type SearchMatch = 'id' | 'title' | 'any' | 'words';

type FoundSeries<T> = {
  readonly series: T;
  readonly matched: 'id' | 'title' | 'words' | 'some' | 'nearest' | null;
};

/** A query of a word index, which may return too many series. */
type IndexQuery = {
  readonly words: readonly string[];
  /** Beginnings of words. */
  readonly starts: readonly string[];
  readonly ids: readonly string[];
  /** A part of an id, in upper case. */
  readonly part?: string;
  /** Only series that began on or before this day. */
  readonly upTo?: Day;
};

/** An index of the words of all series. */
export interface SearchIndex<T extends SearchedSeries> {
  /** Returns the series that have any of these words or ids, or an id with this part. */
  searchEntries(query: IndexQuery): Promise<readonly T[]>;
  /** Lists the ids or the words of all series, or of those that began by a day; there may be more words. */
  searchable(what: 'ids' | 'words', upTo?: Day): Promise<readonly string[]>;
}

/** Finds series like `findIndexed`, without an index. */
export async function findSeries<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  const searchable = async (what: 'ids' | 'words') =>
    all.flatMap((one) => (what === 'ids' ? [one.id] : searchableWords(one)));
  return findIndexed({ searchEntries: async () => all, searchable }, text, match);
}

/** Finds series by a text, the best first, then by id; an empty text finds every series. */
export async function findIndexed<T extends SearchedSeries>(
  index: SearchIndex<T>,
  text: string,
  match: SearchMatch,
): Promise<readonly FoundSeries<T>[]> {
  const search = async (query: Partial<IndexQuery>) =>
    inOrder(await index.searchEntries({ words: [], starts: [], ids: [], ...query }));
  if (text.trim() === '') return (await search({ part: '' })).map((series) => ({ series, matched: null }));
  if (match !== 'words') {
    const part = match === 'title' ? {} : { part: text.toUpperCase() };
    const found = (await search({ starts: longestWord(text), ...part })).flatMap((series) => {
      const matched = plainMatch(series, text, match);
      return matched === undefined ? [] : [{ series, matched }];
    });
    return found.sort((a, b) => Number(b.matched === 'id') - Number(a.matched === 'id'));
  }
  const typed = significant(wordsOf(text));
  const upper = text.trim().toUpperCase();
  const { words, starts } = lookedUp(typed);
  const first = await search({ words: [...words, ...areaCodes(typed)], starts, part: upper });
  const known = [...new Set(first.flatMap(foundWords))];
  const unknown = typed.filter(
    (start) => !synonyms.words.has(start) && !known.some((word) => begins(word, start)),
  );
  const vocabulary =
    unknown.length === 0 ? [] : [...synonyms.words, ...areaWords, ...(await index.searchable('words'))];
  const terms = termsOf(typed, (word) =>
    unknown.includes(word) ? vocabulary.filter((other) => isTypoOf(word, other)) : [],
  );
  const meanings = terms.flatMap(({ meaning }) => meaning ?? []);
  // All words of a phrase must match, so it is enough to look up the longest.
  const meant = lookedUp(meanings.flatMap(({ phrases }) => phrases.flatMap(longestWord)));
  const near = terms.flatMap((term) => term.near);
  const second = await search({
    words: [...meant.words, ...near, ...areaCodes(near)],
    starts: meant.starts,
    ids: meanings.flatMap(({ ids }) => ids),
  });
  const found = ranked(inOrder([...first, ...second]), upper, terms);
  if (found.length > 0) return found;
  const ids = closeNames(text, [...(await index.searchable('ids'))].sort()).slice(0, mostNearest);
  const nearest = ids.length === 0 ? [] : await search({ ids });
  return ids.flatMap((id) => {
    const series = nearest.find((one) => one.id === id);
    return series === undefined ? [] : [{ series, matched: 'nearest' as const }];
  });
}

const mostNearest = 5;

function inOrder<T extends SearchedSeries>(series: readonly T[]): readonly T[] {
  return [...new Map(series.map((one) => [one.id, one])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Lists the words by which a search finds a series: its own, and the names of its areas. */
function foundWords(series: SearchedSeries): readonly string[] {
  return [...searchableWords(series), ...areasIn(series.id)];
}

function areaCodes(typed: readonly string[]): readonly string[] {
  return codesOfAreas((word) => typed.some((start) => begins(word, start)));
}

/** Splits texts into whole words and beginnings of words, to look them up. */
function lookedUp(texts: readonly string[]): Pick<IndexQuery, 'words' | 'starts'> {
  return { words: texts.filter(isWhole), starts: texts.filter((text) => !isWhole(text)) };
}

function longestWord(phrase: string): readonly string[] {
  return [...wordsOf(phrase)].sort((a, b) => b.length - a.length).slice(0, 1);
}

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

/** A word or a phrase with a meaning; `near` corrects typos. */
type Term = {
  readonly typed: readonly string[];
  readonly meaning: Meaning | undefined;
  readonly near: readonly string[];
};

/** Splits a text into terms from its beginning: the longest phrase that has synonyms, otherwise one word. */
function termsOf(typed: readonly string[], nearTo: (word: string) => readonly string[]): readonly Term[] {
  const { meanings, longest, words } = synonyms;
  const near = typed.map(nearTo);
  const meant = typed.map((word, i) => near[i]?.find((other) => words.has(other)) ?? word);
  const terms: Term[] = [];
  for (let at = 0; at < typed.length; at += terms.at(-1)?.typed.length ?? 1) {
    let length = Math.min(longest, typed.length - at);
    while (length > 1 && !meanings.has(meant.slice(at, at + length).join(' '))) length -= 1;
    terms.push({
      typed: typed.slice(at, at + length),
      near: (length === 1 && near[at]) || [],
      meaning: meanings.get(meant.slice(at, at + length).join(' ')),
    });
  }
  return terms;
}

/** Ranks the series that match a term: by level, quality, then length of title. */
function ranked<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  terms: readonly Term[],
): readonly FoundSeries<T>[] {
  return all
    .flatMap((series) => {
      const rank = rankOf(series, text, terms);
      return rank === undefined ? [] : [{ series, ...rank }];
    })
    .sort((a, b) => a.level - b.level || b.quality - a.quality || a.length - b.length)
    .map(({ series, matched }) => ({ series, matched }));
}

function rankOf(series: SearchedSeries, text: string, terms: readonly Term[]) {
  const { id } = series;
  // A text that is one whole synonym names series.
  const names = (terms.length === 1 && terms[0]?.meaning?.ids) || [];
  // Two letters are in many ids.
  const isPart = text.length > 2 && id.includes(text);
  const level = [id === text, names.includes(id), id.startsWith(text), isPart].indexOf(true);
  if (level >= 0) return { matched: 'id', level, quality: -names.indexOf(id), length: 0 } as const;
  const words = foundWords(series);
  const qualities = terms.map((term) => qualityOf(term, id, words));
  const missing = qualities.filter((quality) => quality === 0).length;
  if (missing === terms.length) return undefined;
  const titleWords = wordsOf(series.title);
  const about = { quality: qualities.reduce((sum, one) => sum + one, 0), length: titleWords.length };
  const typed = terms.flatMap((term) => term.typed);
  if (typed.every((start) => titleWords.some((word) => begins(word, start))))
    return { matched: 'title', level: 4, ...about } as const;
  return { matched: missing === 0 ? 'words' : 'some', level: 5 + missing, ...about } as const;
}

/** Returns the quality of a match: 3 as typed or by id, 2 by a beginning or a synonym, 1 by a typo, or 0. */
function qualityOf({ typed, meaning, near }: Term, id: string, words: readonly string[]): number {
  if (typed.every((word) => words.includes(word)) || meaning?.ids.includes(id) === true) return 3;
  const hasAll = (starts: readonly string[]) =>
    starts.every((start) => words.some((word) => begins(word, start)));
  if (hasAll(typed) || meaning?.phrases.some((phrase) => hasAll(wordsOf(phrase))) === true) return 2;
  return near.some((word) => words.includes(word)) ? 1 : 0;
}

/** Tells whether a word begins with a text; a number or a single letter must be the whole word. */
function begins(word: string, start: string): boolean {
  return isWhole(start) ? word === start : word.startsWith(start);
}

function isWhole(text: string): boolean {
  return text.length === 1 || /^\p{N}+$/u.test(text);
}

/** Tells whether a text is a word, or from five letters on the beginning of a word, with one mistake. */
function isTypoOf(text: string, word: string): boolean {
  if (text.length < 4 || /\p{N}/u.test(text)) return false;
  if (distance(text, word, 1) <= 1) return true;
  if (text.length < 5 || word.length <= text.length) return false;
  return [0, 1].some((more) => distance(text, word.slice(0, text.length + more), 1) <= 1);
}
