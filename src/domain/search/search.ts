// Why: docs/decisions/search.md
import type { Day } from '../values/date.ts';
import { type Area, areaAt, areasIn, areasOf, areaWords, codesOfAreas, wordsAbout } from './areas.ts';
import {
  closeNames,
  distance,
  longestWord,
  plainMatch,
  type SearchedSeries,
  searchableWords,
  wordsOf,
} from './words.ts';

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
consumer prices = CPIAUCSL, consumer price, hicp
producer prices = PPIFIS, producer price
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
labor costs = ULCBS, ULCNFB, unit labor, unit labour, labour costs
labour costs = ULCBS, ULCNFB, unit labour, unit labor, labor costs
labor = labour
labour = labor
labor market = UNRATE, PAYEMS, JTSJOL, CIVPART, unemployment, employment, payrolls, job openings
labour market = UNRATE, PAYEMS, JTSJOL, CIVPART, unemployment, employment, payrolls, job openings
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
interest rates = DGS10, DFF, FEDFUNDS, market yield, interest rate, treasury bill, treasury constant, federal funds, loan rate, spot rate
interest rate = DGS10, DFF, FEDFUNDS, market yield, treasury bill, treasury constant, federal funds, loan rate, spot rate
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
    words: [
      ...meant.words,
      ...near,
      ...areaCodes(near),
      ...terms.flatMap(({ area }) => (area === undefined ? [] : wordsAbout(area))),
    ],
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
  return {
    words: [...texts.filter(isWhole), ...texts.flatMap(singular)],
    starts: texts.filter((text) => !isWhole(text)),
  };
}

const stopWords: readonly string[] = 'a an and at by for from in of on or the to with'.split(' ');

function significant(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !stopWords.includes(word));
  return kept.length === 0 ? words : kept;
}

/** A word, a phrase with a meaning, or the name of an area; `near` corrects typos. */
type Term = {
  readonly typed: readonly string[];
  readonly meaning: Meaning | undefined;
  readonly area: Area | undefined;
  readonly near: readonly string[];
};

/** Splits a text into terms from its beginning: the longest phrase that has synonyms or is an area, or one word. */
function termsOf(typed: readonly string[], nearTo: (word: string) => readonly string[]): readonly Term[] {
  const { meanings, longest, words } = synonyms;
  const near = typed.map(nearTo);
  const isKnown = (word: string) => words.has(word) || areaWords.has(word);
  const meant = typed.map((word, i) => near[i]?.find(isKnown) ?? word);
  const terms: Term[] = [];
  for (let at = 0; at < typed.length; at += terms.at(-1)?.typed.length ?? 1) {
    let length = Math.min(longest, typed.length - at);
    while (length > 1 && !meanings.has(meant.slice(at, at + length).join(' '))) length -= 1;
    const found = areaAt(meant, at);
    const isArea = found !== undefined && found.length >= length;
    if (isArea) length = found.length;
    terms.push({
      typed: typed.slice(at, at + length),
      near: (length === 1 && near[at]) || [],
      meaning: isArea ? undefined : meanings.get(meant.slice(at, at + length).join(' ')),
      area: isArea ? found.area : undefined,
    });
  }
  return terms;
}

/** How well a series matches: a lower level is better, then a higher score. */
type Rank = {
  readonly matched: 'id' | 'title' | 'words' | 'some';
  readonly level: number;
  /** The position in the meaning of a text that is one synonym. */
  readonly place: number;
  /** The quality for each term, 0 for none. */
  readonly qualities: readonly number[];
  readonly length: number;
  /** True if the series is about an area that the text names; undefined if either names none. */
  readonly isThere: boolean | undefined;
  /** True if the series matches only the areas of a text that names more. */
  readonly hasAreaOnly: boolean;
  /** True if the series names an area and the text none. */
  readonly isAreal: boolean;
};

/** Ranks the series that match a term: by level, then by the sum of the qualities, of which rare terms weigh more. */
function ranked<T extends SearchedSeries>(
  all: readonly T[],
  text: string,
  terms: readonly Term[],
): readonly FoundSeries<T>[] {
  const found = all.flatMap((series) => {
    const rank = rankOf(series, text, terms);
    return rank === undefined ? [] : [{ series, rank }];
  });
  const scored = found.filter(({ rank }) => rank.matched !== 'id').map(({ rank }) => rank);
  const score = scorer(scored, terms);
  // Series of other areas would only hide those of the area that the text names; so would others of that area.
  const isThere = scored.some((rank) => rank.isThere === true);
  const isMatched = scored.some(({ matched }) => matched !== 'some');
  const hides = (rank: Rank) => (isThere && rank.isThere === false) || (isMatched && rank.hasAreaOnly);
  return found
    .filter(({ rank }) => rank.matched === 'id' || !hides(rank))
    .map((one) => ({ ...one, score: one.rank.matched === 'id' ? 0 : score(one.rank) }))
    .sort((a, b) => a.rank.level - b.rank.level || a.rank.place - b.rank.place || b.score - a.score)
    .map(({ series, rank: { matched } }) => ({ series, matched }));
}

/** Weighs terms as BM25 does: a term in few of the series counts more, and a word of a short title too. */
function scorer(ranks: readonly Rank[], terms: readonly Term[]): (rank: Rank) => number {
  const weights = terms.map((_, term) => {
    const having = ranks.filter(({ qualities }) => (qualities[term] ?? 0) > 0).length;
    return Math.log(1 + ranks.length / Math.max(1, having));
  });
  const usual = ranks.reduce((sum, { length }) => sum + length, 0) / Math.max(1, ranks.length);
  return ({ qualities, length, isAreal }) => {
    const short = 2.2 / (1.3 + 0.9 * (length / Math.max(1, usual)));
    const sum = qualities.reduce((total, one, term) => {
      const isByTitle = one <= 1 && terms[term]?.area === undefined;
      return total + (weights[term] ?? 0) * one * (isByTitle ? short : 1);
    }, 0);
    const having = qualities.filter((one) => one > 0).length;
    return sum * (having / terms.length) * (isAreal ? 0.8 : 1);
  };
}

function rankOf(series: SearchedSeries, text: string, terms: readonly Term[]): Rank | undefined {
  const { id } = series;
  const [first] = terms;
  // A text that is one whole synonym names series.
  const names = (terms.length === 1 && first?.meaning?.ids) || [];
  // Two letters are in many ids, and the name of an area is no part of them.
  const isPart = !(terms.length === 1 && first?.area !== undefined) && id.includes(text);
  const level = [id === text, names.includes(id), isPart && id.startsWith(text), isPart && text.length > 2];
  const byId = level.indexOf(true);
  const qualities: number[] = [];
  const about = { place: 0, qualities, length: 0, isThere: undefined, isAreal: false, hasAreaOnly: false };
  if (byId >= 0) return { ...about, matched: 'id', level: byId, place: names.indexOf(id) };
  const words = foundWords(series);
  const titleWords = wordsOf(series.title);
  const { named, implied } = areasOf(id, titleWords);
  qualities.push(...terms.map((term) => (term.area === undefined ? qualityOf(term, id, words) : 0)));
  const hasOthers = qualities.some((quality) => quality > 0);
  for (const [at, { area }] of terms.entries()) {
    if (area === undefined) continue;
    if (named.has(area)) qualities[at] = 1;
    // That a series says nothing of its area makes it no match.
    else if (implied === area && hasOthers) qualities[at] = 0.8;
  }
  const missing = qualities.filter((quality) => quality === 0).length;
  if (missing === terms.length) return undefined;
  const asked = terms.flatMap(({ area }) => area ?? []);
  const own = implied === undefined ? named : new Set([implied]);
  const rank = {
    ...about,
    length: titleWords.length,
    isThere: asked.length === 0 || own.size === 0 ? undefined : asked.some((area) => own.has(area)),
    isAreal: asked.length === 0 && named.size > 0,
    hasAreaOnly: missing > 0 && !hasOthers,
  };
  const typed = terms.flatMap((term) => term.typed);
  const inTitle = typed.every((start) => titleWords.some((word) => begins(word, start)));
  if (missing === 0) return { ...rank, matched: inTitle ? 'title' : 'words', level: 4 };
  return { ...rank, matched: 'some', level: 5 };
}

/** Returns the quality of a match: above 1 by id, 1 as typed, less by a synonym, a beginning or a typo, or 0. */
function qualityOf({ typed, meaning, near }: Term, id: string, words: readonly string[]): number {
  const place = meaning?.ids.indexOf(id) ?? -1;
  if (place >= 0) return 2 - 0.1 * Math.min(place, 9);
  if (typed.every((word) => words.includes(word))) return 1;
  const hasAll = (starts: readonly string[]) =>
    starts.every((start) => words.some((word) => begins(word, start)));
  if (meaning?.phrases.some((phrase) => hasAll(wordsOf(phrase))) === true) return 0.9;
  if (hasAll(typed)) return 0.8;
  return near.some((word) => words.includes(word)) ? 0.4 : 0;
}

/** Tells whether a word begins with a text, or is its singular; a number or a single letter is a whole word. */
function begins(word: string, start: string): boolean {
  if (isWhole(start)) return word === start;
  return word.startsWith(start) || (start.startsWith(word) && singular(start).includes(word));
}

/** Returns the singular of a text that looks like a plural; none for any other. */
function singular(text: string): readonly string[] {
  return /^\p{L}{3,}[^s]s$/u.test(text) ? [text.slice(0, -1)] : [];
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
